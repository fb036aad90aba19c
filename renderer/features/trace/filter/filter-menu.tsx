import { Check, ListFilter, Trash2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { removeFromSettings } from '#model/removed-settings.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { fields, usualFilters } from '#shared/trace/filter/index.ts';
import type { RowCounts } from '#shared/contract/trace.ts';
import { formatCount } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { Input } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { useSignalled } from '#ui/frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { hasTerm, toggleTerm, filterErrorOf } from './filter-text.tsx';

/** The usual filters, the saved ones, and the fields of the language. */
export function FilterMenu({
  view,
  text,
  onChange,
}: {
  readonly view: CountedRows;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <Popover
      label="Filters"
      align="end"
      className="w-[520px] p-0"
      trigger={
        <IconButton size="small" label="Usual and saved filters">
          <ListFilter aria-hidden className="size-3.5" />
        </IconButton>
      }
    >
      <div className="grid max-h-[420px] grid-cols-[200px_minmax(0,1fr)] overflow-auto">
        <div className="border-r border-line p-2.5">
          <UsualFilters view={view} text={text} onChange={onChange} />
          <SavedFilters text={text} onChange={onChange} />
        </div>
        <FieldHelp />
      </div>
    </Popover>
  );
}

function UsualFilters({
  view,
  text,
  onChange,
}: {
  readonly view: CountedRows;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <>
      <h3 className="caption mb-1">Usual</h3>
      {usualFilters.map((usual) => {
        const chip = chips[usual.text];
        return (
          <FilterLine
            key={usual.text}
            label={usual.label}
            count={chip && <ChipCount view={view} of={chip.of} />}
            title={`${usual.hint}: ${usual.text}`}
            isOn={hasTerm(text, usual.text)}
            onClick={() => onChange(toggleTerm(text, usual.text))}
          />
        );
      })}
    </>
  );
}

function FilterLine({
  label,
  count,
  title,
  isOn,
  onClick,
}: {
  readonly label: string;
  readonly count?: ReactNode;
  readonly title: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      title={title}
      onClick={onClick}
      className="flex h-row w-full min-w-0 items-center gap-1.5 rounded-sm px-1 text-left hover:bg-hover"
    >
      <Check aria-hidden className={isOn ? 'size-3.5 shrink-0 text-accent' : 'invisible size-3.5 shrink-0'} />
      <span className="truncate">{label}</span>
      {count}
    </button>
  );
}

/** Filters saved under a name. */
function SavedFilters({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const saved = useSettings(({ savedFilters }) => savedFilters);
  const [name, setName] = useState('');
  const nameId = useId();
  const canSave = text.trim() !== '' && filterErrorOf(text) === null;
  const keep = (savedFilters: typeof saved) =>
    reportFault(changeSettings({ savedFilters: [...savedFilters] }));
  const save = () => {
    const own = { name: name.trim(), text };
    keep([...saved.filter((one) => one.name !== own.name), own]);
    setName('');
  };
  return (
    <>
      <h3 className="caption mt-3 mb-1">Saved</h3>
      {saved.length === 0 && !canSave && (
        <p className="px-1 text-sm text-mute">Type a filter to save it here.</p>
      )}
      {saved.map((one) => (
        <div key={one.name} className="flex items-center">
          <FilterLine
            label={one.name}
            title={one.text}
            isOn={one.text === text}
            onClick={() => onChange(one.text)}
          />
          <IconButton
            size="small"
            label={`Delete the filter ${one.name}`}
            onClick={() =>
              reportFault(removeFromSettings('savedFilters', [one], `Removed the filter “${one.name}”`))
            }
          >
            <Trash2 aria-hidden className="size-3.5" />
          </IconButton>
        </div>
      ))}
      {canSave && (
        <form
          className="mt-1 flex gap-1"
          onSubmit={(submit) => {
            submit.preventDefault();
            if (name.trim() !== '') save();
          }}
        >
          <label htmlFor={nameId} className="sr-only">
            Name of this filter
          </label>
          <Input
            id={nameId}
            value={name}
            placeholder="Name of this filter"
            onChange={({ target }) => setName(target.value)}
            className="h-6 min-w-0 flex-1"
          />
          <Button type="submit" size="small" disabled={name.trim() === ''}>
            Save
          </Button>
        </form>
      )}
    </>
  );
}

/** A reference of the filter language. */
function FieldHelp() {
  return (
    <div className="p-2.5 text-sm">
      <h3 className="caption mb-1">Fields</h3>
      <dl className="grid grid-cols-[72px_minmax(0,1fr)] gap-x-2 gap-y-0.5">
        {fields.map(({ name, hint, values }) => (
          <div key={name} className="contents">
            <dt className="mono text-key">{name}:</dt>
            <dd className="text-mute">
              {hint} <span className="text-faint">({values})</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-mute">
        All terms must match, with or without <code className="mono text-text">and</code>.{' '}
        <code className="mono text-text">not</code>, <code className="mono text-text">-</code> or{' '}
        <code className="mono text-text">!</code> excludes, <code className="mono text-text">or</code> means
        either, commas separate values, <code className="mono text-text">*</code> matches anything, quotes
        enclose spaces. Plain text is searched for in the method, the name and the whole message, ignoring
        case; paste a piece of JSON to search for it, quotes included.
      </p>
    </div>
  );
}

interface ChipPlan {
  /** Its number of rows in the whole trace. */
  readonly of: keyof RowCounts;
  /** In a bar too narrow for it, where only the menu has it. */
  readonly whenNarrow: string;
}

/** The filters beside the field; the others are only in the menu. */
const chips: Readonly<Record<string, ChipPlan>> = {
  'is:error': { of: 'errors', whenNarrow: '@max-[740px]:hidden' },
  'finding:any': { of: 'found', whenNarrow: '@max-[980px]:hidden' },
  'is:ask': { of: 'asks', whenNarrow: '@max-[980px]:hidden' },
};

type CountedRows = Pick<TraceView, 'signal' | 'counts'>;

/** The most usual filters; a click adds one to the filter or removes it. */
export function FilterChips({
  view,
  text,
  onChange,
}: {
  readonly view: CountedRows;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <div role="group" aria-label="Usual filters" className="flex shrink-0 gap-1 @max-[740px]:hidden">
      {usualFilters.map((usual) => {
        const chip = chips[usual.text];
        return chip === undefined ? null : (
          <Tooltip key={usual.text} text={`${usual.hint}: ${usual.text}`}>
            <button
              type="button"
              aria-pressed={hasTerm(text, usual.text)}
              onClick={() => onChange(toggleTerm(text, usual.text))}
              className={cx(
                'h-[20px] rounded-full border px-2 text-xs whitespace-nowrap',
                chip.whenNarrow,
                hasTerm(text, usual.text)
                  ? 'border-accent bg-accent-soft text-text'
                  : 'border-line text-mute hover:border-line-strong hover:text-text',
              )}
            >
              {usual.label} <ChipCount view={view} of={chip.of} />
            </button>
          </Tooltip>
        );
      })}
    </div>
  );
}

/** How many rows of the trace a filter matches; nothing for none. */
function ChipCount({ view, of }: { readonly view: CountedRows; readonly of: keyof RowCounts }) {
  const count = useSignalled(view.signal, () => view.counts?.[of] ?? 0);
  if (count === 0) return null;
  return <span className="mono ml-1.5 text-text">{formatCount(count)}</span>;
}
