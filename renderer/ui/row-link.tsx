import { rowNumber } from '#shared/trace/row.ts';

/** Links to a row of the trace that its parent shows. Renders nothing without a row. */
export function RowLink({
  row,
  onOpen,
}: {
  readonly row: number | null;
  readonly onOpen: (row: number) => void;
}) {
  if (row === null) return null;
  return (
    <button
      type="button"
      aria-label={`Row ${rowNumber(row)} of the trace`}
      onClick={() => onOpen(row)}
      className="mono text-key underline-offset-2 hover:underline"
    >
      {rowNumber(row)}
    </button>
  );
}
