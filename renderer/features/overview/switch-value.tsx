import { type KeyboardEvent, useState } from 'react';
import { z } from 'zod';
import { type Switches, switchesSchema } from '#shared/client-switches/switches.ts';
import { Button } from '#ui/button.tsx';
import { TextArea, TextField } from '#ui/field.tsx';

/** The value of an active switch that has one. */
export function SwitchValue({
  name,
  switches,
  onChange,
}: {
  readonly name: keyof Switches;
  readonly switches: Switches;
  readonly onChange: (switches: Switches) => void;
}) {
  const { initialized, versionHeader, meta } = switches;
  if (name === 'initialized' && initialized.how === 'delay') {
    const applied = String(initialized.milliseconds);
    return (
      <ValueField
        key={applied}
        label="Delay"
        hint="milliseconds, up to 10 minutes"
        applied={applied}
        read={readDelay}
        onApply={(value) => onChange({ ...switches, initialized: value })}
      />
    );
  }
  if (name === 'versionHeader' && versionHeader.how === 'replace') {
    return (
      <ValueField
        key={versionHeader.value}
        label="Value of the header"
        hint="any text"
        applied={versionHeader.value}
        read={readHeader}
        onApply={(value) => onChange({ ...switches, versionHeader: { how: 'replace', value } })}
      />
    );
  }
  if (name === 'meta' && meta.how === 'change') {
    const applied = JSON.stringify(meta.members, null, 2);
    return (
      <ValueField
        key={applied}
        multiline
        label="Members"
        hint="a JSON object; null removes a member"
        applied={applied}
        read={readMembers}
        onApply={(members) => onChange({ ...switches, meta: { how: 'change', members } })}
      />
    );
  }
  return null;
}

const delaySchema = switchesSchema.shape.initialized;

function readDelay(text: string): Parsed<Switches['initialized']> {
  const parsed = delaySchema.safeParse({ how: 'delay', milliseconds: Number(text) });
  return parsed.success && /^\d+$/.test(text)
    ? { ok: true, value: parsed.data }
    : { ok: false, error: 'A whole number of milliseconds from 1 to 600,000.' };
}

/** Characters not allowed in a header (RFC 9110 section 5.5): a line break would start another header. */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

const readHeader = (text: string): Parsed<string> =>
  notInHeader.test(text)
    ? { ok: false, error: 'A header cannot contain line breaks or characters outside Latin-1.' }
    : { ok: true, value: text };

const membersSchema = z.record(z.string(), z.unknown());

function readMembers(text: string): Parsed<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
  const parsed = membersSchema.safeParse(json);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, error: 'This must be a JSON object.' };
}

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/**
 * Edits the value of a switch. It takes effect only when applied, so that no half-typed value is sent.
 */
function ValueField<T>({
  label,
  hint,
  applied,
  read,
  onApply,
  multiline = false,
}: {
  readonly label: string;
  readonly hint: string;
  /** The applied value as text. */
  readonly applied: string;
  readonly read: (text: string) => Parsed<T>;
  readonly onApply: (value: T) => void;
  readonly multiline?: boolean;
}) {
  const [text, setText] = useState(applied);
  const reading = read(text);
  const isApplied = text === applied;
  const apply = () => {
    if (reading.ok && !isApplied) onApply(reading.value);
  };
  const applyByKey = (press: KeyboardEvent) => {
    const isWanted = multiline ? press.ctrlKey || press.metaKey : true;
    if (press.key !== 'Enter' || !isWanted) return;
    press.preventDefault();
    press.stopPropagation();
    apply();
  };
  const field = {
    label: <span className="font-normal text-mute">{label}</span>,
    hint,
    mono: true,
    value: text,
    error: reading.ok ? undefined : reading.error,
    onChange: setText,
    onKeyDown: applyByKey,
  };
  return (
    <div className="flex flex-col gap-1.5">
      {multiline ? <TextArea {...field} rows={4} /> : <TextField {...field} />}
      {!isApplied && (
        <div className="flex items-center gap-2">
          <Button size="small" disabled={!reading.ok} onClick={apply}>
            Apply
          </Button>
          <Button size="small" variant="quiet" onClick={() => setText(applied)}>
            Discard
          </Button>
          <span className="text-xs text-warn">not applied yet</span>
        </div>
      )}
    </div>
  );
}
