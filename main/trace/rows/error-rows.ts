import type { RowKind, RowStatus } from '#shared/trace/row.ts';

/** The columns that decide whether a row is an error. */
interface OutcomeColumns {
  status(row: number): RowStatus;
  kind(row: number): RowKind;
  pair(row: number): number | null;
  code(row: number): number | null;
  method(row: number): string | null;
  isExcludedFromErrors(row: number): boolean;
  isPartOfProbe(row: number): boolean;
}

/** Statuses that are errors. A cancelled call or a late response is not. */
const failures: ReadonlySet<RowStatus> = new Set([
  'error',
  'tool-error',
  'unanswered',
  'orphan',
  'invalid',
  'failed',
]);

export const isFailure = (status: RowStatus): boolean => failures.has(status);

/**
 * Whether a row counts as an error: the one definition behind the filter `is:error`, the status bar, the list of traces
 * and the overview. Each problem counts once: a failed call on the row of its request, not on its response or its
 * HTTP exchange; a failed start on the process or the call that failed.
 */
export function isErrorRow(columns: OutcomeColumns, row: number): boolean {
  const status = columns.status(row);
  if (!isFailure(status) || columns.isExcludedFromErrors(row)) return false;
  switch (columns.kind(row)) {
    case 'request':
      // A server of one era need not understand a probe of the other.
      return status === 'tool-error' || !columns.isPartOfProbe(row);
    case 'result':
    case 'error':
    case 'invalid':
      return columns.pair(row) === null && !columns.isPartOfProbe(row);
    case 'noise':
      // A response that cannot be read as a message.
      return columns.pair(row) === null;
    case 'http':
      if (status === 'failed') return !columns.isPartOfProbe(row);
      // A stream that was open when the session ended is not an unanswered call.
      return status === 'error' && !columns.isPartOfProbe(row) && !isDeclined(columns, row);
    default:
      return true;
  }
}

/** Whether a server declines GET or DELETE, as it may: both are optional (MCP 2025-06-18 transports). */
const isDeclined = (columns: OutcomeColumns, row: number): boolean =>
  columns.code(row) === 405 && (columns.method(row) === 'GET' || columns.method(row) === 'DELETE');
