import { selectTraceRow } from '#model/selection.ts';
import { RowLink as Link } from '#ui/row-link.tsx';

/** Leads to the row of the trace that shows it. */
export const RowLink = ({ sessionId, row }: { readonly sessionId: string; readonly row: number }) => (
  <Link row={row} onOpen={() => selectTraceRow(sessionId, row)} />
);
