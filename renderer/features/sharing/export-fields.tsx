import { useId } from 'react';
import type { ExportSubject } from '#model/exports.ts';
import { type ExportFormat, exportFormats } from '#shared/contract/exports.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { formatLabels } from './formats.ts';

/** The rows that match the filter of the trace. */
export interface ShownRows {
  readonly filterId: string;
  readonly matches: number;
  /** Whether all rows were scanned. */
  readonly isDone: boolean;
}

/** The chosen rows; all rows when the filter no longer exists. */
export function chosenRows(
  choice: RowChoice['of'],
  preselected: RowChoice,
  filter: ShownRows | null,
): RowChoice {
  if (choice === 'rows' && preselected.of === 'rows') return preselected;
  if (choice === 'filter' && filter !== null) return { of: 'filter', filterId: filter.filterId };
  return { of: 'all' };
}

/** Which rows: all, those that match the filter, or those that were selected when the form opened. */
export function RowFields({
  preselected,
  filter,
  total,
  chosen,
  onChange,
}: {
  readonly preselected: RowChoice;
  readonly filter: ShownRows | null;
  readonly total: number;
  readonly chosen: RowChoice['of'];
  readonly onChange: (chosen: RowChoice['of']) => void;
}) {
  if (preselected.of !== 'rows' && filter === null) {
    return (
      <p>
        <span className="font-medium">The whole trace</span>
        <span className="text-mute">, {formatQuantity(total, 'row')}</span>
      </p>
    );
  }
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Which rows</legend>
      {preselected.of === 'rows' && (
        <Choice
          name="rows"
          label={`The selected rows, ${formatCount(preselected.rows.length)}`}
          checked={chosen === 'rows'}
          onChoose={() => onChange('rows')}
        />
      )}
      {filter !== null && (
        <Choice
          name="rows"
          label={`The filtered rows, ${formatCount(filter.matches)}`}
          checked={chosen === 'filter'}
          onChoose={() => onChange('filter')}
        />
      )}
      <Choice
        name="rows"
        label={`The whole trace, ${formatQuantity(total, 'row')}`}
        checked={chosen === 'all'}
        onChoose={() => onChange('all')}
      />
    </fieldset>
  );
}

/** The formats, each with its purpose and what it leaves out. */
export function FormatFields({
  subject,
  format,
  onChange,
}: {
  readonly subject: ExportSubject;
  readonly format: ExportFormat;
  readonly onChange: (format: ExportFormat) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Format</legend>
      {exportFormats.map((one) => {
        const { label, purpose, omits, unavailableReason } = formatLabels[one];
        const why = unavailableReason(subject);
        return (
          <Choice
            key={one}
            name="format"
            label={label}
            notes={why === null ? [purpose, omits] : [why]}
            checked={one === format}
            disabled={why !== null}
            onChoose={() => onChange(one)}
          />
        );
      })}
    </fieldset>
  );
}

/** A radio button with notes, a line each. */
function Choice({
  name,
  label,
  notes = [],
  checked,
  disabled = false,
  onChoose,
}: {
  /** The name of the group. */
  readonly name: string;
  readonly label: string;
  readonly notes?: readonly string[];
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2 py-0.5">
      <input
        type="radio"
        id={id}
        name={name}
        aria-describedby={notes.length === 0 ? undefined : `${id}-note`}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        className="mt-[3px] size-3.5 shrink-0 accent-accent outline-offset-1"
      />
      <div className="min-w-0">
        <label htmlFor={id} className={cx(disabled && 'text-faint')}>
          {label}
        </label>
        {notes.length > 0 && (
          <div id={`${id}-note`} className="text-xs text-faint">
            {notes.map((note) => (
              <p key={note}>{note}</p>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
