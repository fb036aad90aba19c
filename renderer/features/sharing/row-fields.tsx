import { formatCount, formatQuantity } from '#shared/format.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { Choice } from './choice.tsx';
import type { ShownRows } from './chosen-rows.ts';

/** Which rows: all, those that the trace shows, or those that were selected when the form was opened. */
export function RowFields({
  meant,
  filter,
  total,
  chosen,
  onChange,
}: {
  readonly meant: RowChoice;
  readonly filter: ShownRows | null;
  readonly total: number;
  readonly chosen: RowChoice['of'];
  readonly onChange: (chosen: RowChoice['of']) => void;
}) {
  if (meant.of !== 'rows' && filter === null) {
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
      {meant.of === 'rows' && (
        <Choice
          name="rows"
          label={`The selected rows, ${formatCount(meant.rows.length)}`}
          checked={chosen === 'rows'}
          onChoose={() => onChange('rows')}
        />
      )}
      {filter !== null && (
        <Choice
          name="rows"
          label={`The rows that the filter shows, ${formatCount(filter.matches)}`}
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
