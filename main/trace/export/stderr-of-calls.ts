import { CANCELLED } from '#shared/protocol/methods.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { ChosenRows } from '#trace/trace-feed.ts';
import { eachOf, type Source } from './source.ts';

/**
 * Microseconds after the end of a call in which standard error still counts: it comes on another pipe than the response, so a
 * line that the server printed before it may be read after it.
 */
const GRACE = 20_000;
/** The same in rows: many records of a file may have the same time. */
const MAX_AFTER = 1000;
/** Rows after a call without a response in which its end is looked for. */
const MAX_SEARCHED = 5000;
/** Rows between two checks whether to yield. */
const SOME = 1024;

/** The last rows of standard error during a call, in order, and how many came before them. @param count rows of the trace that are exported */
export function lastStderrDuring(
  columns: RowColumns,
  call: number,
  { most, count }: { readonly most: number; readonly count: number },
): { readonly rows: readonly number[]; readonly more: number } {
  const rows: number[] = [];
  let more = 0;
  for (let row = lastRowDuring(columns, call, count); row > call; row--) {
    if (columns.kind(row) !== 'stderr') continue;
    if (rows.length < most) rows.push(row);
    else more++;
  }
  return { rows: rows.reverse(), more };
}

/** Adds the rows of standard error during the calls of the chosen rows. @param kept a row of 1 is in the file */
export async function addStderr(source: Source, kept: Uint8Array): Promise<void> {
  const { columns } = source.trace.index;
  const lastOf = new Map<number, number>();
  for (const call of callsOf(columns, source.rows)) {
    await source.pass();
    if (!lastOf.has(call)) lastOf.set(call, lastRowDuring(columns, call, kept.length));
  }
  let last = -1;
  for (let row = 0; row < kept.length; row++) {
    if (row % SOME === 0) await source.pass();
    last = Math.max(last, lastOf.get(row) ?? -1);
    if (row <= last && columns.kind(row) === 'stderr') kept[row] = 1;
  }
}

/** Whether one of the chosen calls failed. */
export function hasFailedCall(columns: RowColumns, chosen: ChosenRows): boolean {
  for (const call of callsOf(columns, chosen)) if (columns.isError(call)) return true;
  return false;
}

/** The requests to the server among the chosen rows, and those that chosen responses and notifications belong to. */
function* callsOf(columns: RowColumns, chosen: ChosenRows): Generator<number> {
  for (const row of eachOf(chosen)) {
    const call = [row, columns.pair(row), columns.parent(row)].find(
      (one) => one !== null && columns.kind(one) === 'request' && columns.direction(one) === 'out',
    );
    if (call !== undefined && call !== null) yield call;
  }
}

/** The last row that may have come because of a call. */
function lastRowDuring(columns: RowColumns, call: number, count: number): number {
  const end = Math.min(columns.pair(call) ?? endWithoutResponse(columns, call, count), count - 1);
  let last = end;
  // What comes after the next request may be of that.
  const most = Math.min(count - 1, end + MAX_AFTER);
  while (
    last < most &&
    columns.at(last + 1) <= columns.at(end) + GRACE &&
    !(columns.kind(last + 1) === 'request' && columns.direction(last + 1) === 'out')
  )
    last++;
  return last;
}

/** The row that ended a call without a response: its cancellation, the end of the session, or the last row. */
function endWithoutResponse(columns: RowColumns, call: number, count: number): number {
  const last = Math.min(count - 1, call + MAX_SEARCHED);
  for (let row = call + 1; row <= last; row++) {
    if (columns.parent(row) === call && columns.method(row) === CANCELLED) return row;
    if (isEndOfSession(columns, row)) return row;
  }
  return last;
}

const endPhases: ReadonlySet<string> = new Set(['closed', 'failed']);

/** Whether the session ended with this row, and with it every call without a response. */
export const isEndOfSession = (columns: RowColumns, row: number): boolean =>
  columns.kind(row) === 'phase' && endPhases.has(columns.subject(row) ?? '');
