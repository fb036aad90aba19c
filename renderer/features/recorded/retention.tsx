import { Settings2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { faultOf } from '#model/faults.ts';
import { useSessions } from '#model/sessions.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { useTraces } from '#model/traces.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Settings } from '#shared/contract/settings.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { IconButton, Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, FieldError, Input } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { useNow } from '#ui/use-now.ts';
import { openPrompt, closePrompt, usePrompt } from './entries.ts';

/** The button and form for how long traces are kept. */
export function Retention({ files }: { readonly files: readonly TraceFileView[] }) {
  const isOpen = usePrompt(({ prompt }) => prompt?.what === 'keep');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Opened by the palette, it may be out of view.
    if (isOpen) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <Popover
      label="Keep traces"
      open={isOpen}
      onOpenChange={(isNowOpen) => {
        if (isNowOpen) openPrompt({ what: 'keep' });
        else closePrompt('keep');
      }}
      side="right"
      align="end"
      className="w-[360px]"
      trigger={
        <IconButton ref={button} size="small" label="Keep traces…">
          <Settings2 aria-hidden className="size-3.5" />
        </IconButton>
      }
    >
      <RetentionForm files={files} onDone={() => closePrompt('keep')} />
    </Popover>
  );
}

const GB = 1_000_000_000;
const sizeOf = (files: readonly TraceFileView[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Which traces are deleted automatically; none by default. */
export function RetentionForm({
  files,
  onDone,
}: {
  readonly files: readonly TraceFileView[];
  /** Saved or cancelled; the form can be cancelled only with it. */
  readonly onDone?: () => void;
}) {
  const { days, bytes } = useSettings((settings) => settings.retention);
  const opened = useTraces((traces) => traces.opened);
  const sessions = useSessions((known) => known.sessions);
  const [hasDays, setHasDays] = useState(days !== null);
  const [hasSize, setHasSize] = useState(bytes !== null);
  const [daysText, setDaysText] = useState(String(days ?? 30));
  const [sizeText, setSizeText] = useState(String(bytes === null ? 10 : bytes / GB));
  const [fault, setFault] = useState<Fault | null>(null);
  const now = useNow(60_000, true);
  const limits = {
    days: hasDays ? readDays(daysText) : null,
    bytes: hasSize ? readSize(sizeText) : null,
  };
  const errors = {
    days: hasDays && limits.days === null ? 'Enter a whole number of days, 1 or more.' : null,
    size: hasSize && limits.bytes === null ? 'Enter a number of gigabytes above 0, such as 10 or 0.5.' : null,
  };
  const isGood = errors.days === null && errors.size === null;
  const inUse = new Set([
    ...Object.values(opened).map(({ path }) => path),
    ...Object.values(sessions).map(({ traceFile }) => traceFile.path),
  ]);
  const gone = isGood ? deletedBy(limits, files, inUse, now) : [];
  const save = async () => {
    try {
      await changeSettings({ retention: limits });
      onDone?.();
    } catch (error) {
      setFault(faultOf(error));
    }
  };
  return (
    <form
      noValidate
      onSubmit={(submit) => {
        submit.preventDefault();
        // Enter in a field saves, but deletes nothing: that takes its button.
        if (isGood && gone.length === 0) void save();
      }}
    >
      <p className="font-medium">Keep traces</p>
      <p className="mt-1 text-mute">
        {hasDays || hasSize
          ? 'Traces beyond these limits are deleted permanently and automatically, except for open traces and those of sessions in this window.'
          : 'Every trace is kept until you delete it.'}
      </p>
      <div className="mt-3 flex flex-col gap-2">
        <Limit
          label="Delete traces older than"
          unit="days"
          isOn={hasDays}
          onToggle={setHasDays}
          value={daysText}
          onChange={setDaysText}
          error={errors.days}
        />
        <Limit
          label="Delete the oldest beyond"
          unit="GB in total"
          isOn={hasSize}
          onToggle={setHasSize}
          value={sizeText}
          onChange={setSizeText}
          error={errors.size}
        />
      </div>
      <p className="mt-3 text-sm text-mute">
        Now: {formatQuantity(files.length, 'trace')}, {formatBytes(sizeOf(files))}.
        {gone.length > 0 && (
          <span className="text-err">
            {' '}
            Saving deletes about {formatQuantity(gone.length, 'trace')} of them, {formatBytes(sizeOf(gone))}.
          </span>
        )}
      </p>
      {fault && <FaultCard fault={fault} className="mt-2" />}
      <div className="mt-3 flex gap-2">
        {gone.length > 0 ? (
          <Button key="delete" variant="danger" disabled={!isGood} onClick={() => void save()}>
            Save and delete
          </Button>
        ) : (
          <Button key="save" type="submit" variant="primary" disabled={!isGood}>
            Save
          </Button>
        )}
        {onDone && <Button onClick={onDone}>Cancel</Button>}
      </div>
    </form>
  );
}

function Limit({
  label,
  unit,
  isOn,
  onToggle,
  value,
  onChange,
  error,
}: {
  readonly label: string;
  readonly unit: string;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | null;
}) {
  return (
    <div>
      <div className="flex items-center gap-2">
        <Checkbox label={label} checked={isOn} onChange={onToggle} className="min-w-[172px]" />
        <div className="w-16 shrink-0">
          <Input
            aria-label={`${label}, in ${unit}`}
            aria-invalid={error === null ? undefined : true}
            inputMode="decimal"
            value={value}
            disabled={!isOn}
            onChange={({ target }) => onChange(target.value)}
          />
        </div>
        <span className="whitespace-nowrap text-mute">{unit}</span>
      </div>
      {error !== null && <FieldError>{error}</FieldError>}
    </div>
  );
}

function readDays(text: string): number | null {
  const days = Number(text.trim());
  return Number.isInteger(days) && days > 0 ? days : null;
}

function readSize(text: string): number | null {
  const bytes = Math.round(Number(text.trim().replace(',', '.')) * GB);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * The files that a rule would delete: those too old, and the oldest beyond the total size. An estimate, because the
 * engine goes by the modification time of files.
 */
export function deletedBy(
  { days, bytes }: Settings['retention'],
  files: readonly TraceFileView[],
  inUse: ReadonlySet<string>,
  now: number,
): TraceFileView[] {
  let total = files.reduce((sum, { size }) => sum + size, 0);
  const oldestFirst = [...files].sort((a, b) => a.createdAt - b.createdAt);
  return oldestFirst.filter(({ path, createdAt, size, sessionId }) => {
    const isTooOld = days !== null && createdAt < now - days * DAY;
    const isTooMuch = bytes !== null && total > bytes;
    const isDeleted = (isTooOld || isTooMuch) && sessionId === null && !inUse.has(path);
    if (isDeleted) total -= size;
    return isDeleted;
  });
}
