import { rowNumber } from '#shared/trace/row.ts';

/** Links to a row of the trace that its parent shows. */
export function RowLink({ row, onOpen }: { readonly row: number; readonly onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Row ${rowNumber(row)} of the trace`}
      onClick={onOpen}
      className="mono text-key underline-offset-2 hover:underline"
    >
      {rowNumber(row)}
    </button>
  );
}
