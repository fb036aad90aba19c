import { selectTraceRow } from '#model/selection.ts';
import { rowNumber } from '#shared/trace/row.ts';

/** Leads to the row of the trace that shows it. */
export function RowLink({ sessionId, row }: { readonly sessionId: string; readonly row: number }) {
  return (
    <button
      type="button"
      aria-label={`Row ${rowNumber(row)} of the trace`}
      onClick={() => selectTraceRow(sessionId, row)}
      className="mono text-key underline-offset-2 hover:underline"
    >
      {rowNumber(row)}
    </button>
  );
}
