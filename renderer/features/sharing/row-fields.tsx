import { formatCount, formatQuantity } from '#shared/format.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { Choice } from './choice.tsx';

/** Which rows: all, or those that were meant when the form was opened. */
export function RowFields({
  meant,
  total,
  isWhole,
  onChange,
}: {
  readonly meant: RowChoice;
  readonly total: number;
  readonly isWhole: boolean;
  readonly onChange: (isWhole: boolean) => void;
}) {
  if (meant.of === 'all') {
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
      <Choice
        name="rows"
        label={meant.of === 'filter' ? 'The rows that the filter shows' : 'The selected rows'}
        note={meant.of === 'rows' ? `${formatCount(meant.rows.length)} selected` : undefined}
        checked={!isWhole}
        onChoose={() => onChange(false)}
      />
      <Choice
        name="rows"
        label="The whole trace"
        note={formatQuantity(total, 'row')}
        checked={isWhole}
        onChoose={() => onChange(true)}
      />
    </fieldset>
  );
}
