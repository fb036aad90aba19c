import { rowNumber } from '#shared/trace/row.ts';
import { Button } from './button.tsx';
import { Tooltip } from './tooltip.tsx';

/** Links to a row of the trace. Renders nothing without a row. */
export function RowLink({
  row,
  onOpen,
  of,
  hint,
}: {
  readonly row: number | null;
  readonly onOpen: (row: number) => void;
  /** Makes it a button of its own that says which half of a call the row is. */
  readonly of?: 'request' | 'response';
  readonly hint?: string;
}) {
  if (row === null) return null;
  if (of !== undefined) {
    const text = `Show the ${of} in the trace`;
    return (
      <Tooltip text={text}>
        <Button size="small" variant="quiet" className="mono" aria-label={text} onClick={() => onOpen(row)}>
          <span className={of === 'request' ? 'text-out' : 'text-in'}>{of === 'request' ? '→' : '←'}</span>
          {rowNumber(row)}
        </Button>
      </Tooltip>
    );
  }
  const link = (
    <button
      type="button"
      aria-label={`Row ${rowNumber(row)} of the trace`}
      onClick={() => onOpen(row)}
      className="mono text-key underline-offset-2 hover:underline"
    >
      {rowNumber(row)}
    </button>
  );
  return hint === undefined ? link : <Tooltip text={hint}>{link}</Tooltip>;
}
