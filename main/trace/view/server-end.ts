import { crashIn } from '#trace/crash-in-output.ts';
import type { ServerEnd } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { readRecord, readRows } from './row-reader.ts';

/** Rows before the last one in which the end of the process is looked for: a session ends with its server. */
const MAX_SEARCHED = 5000;
/** Lines of standard error that are read, and that are quoted of a server that printed no stack trace. */
const MAX_LINES = 20;
const MAX_QUOTED = 3;

/** What was found last in each trace, which had so many rows then. */
const found = new WeakMap<
  ReadableTrace,
  { readonly count: number; readonly end: Promise<ServerEnd | null> }
>();

/** How the last process of the server ended, if nobody asked it to, with its last lines of standard error; else null. */
export function readServerEnd(trace: ReadableTrace): Promise<ServerEnd | null> {
  const { count } = trace.index.columns;
  const known = found.get(trace);
  if (known?.count === count) return known.end;
  const entry = { count, end: findEnd(trace) };
  found.set(trace, entry);
  // A read that failed may succeed later.
  entry.end.catch(() => {
    if (found.get(trace) === entry) found.delete(trace);
  });
  return entry.end;
}

/** Adds to requests without a response how the server ended. */
export async function withServerEnd(trace: ReadableTrace, rows: TraceRow[]): Promise<TraceRow[]> {
  if (!rows.some(isUnanswered)) return rows;
  // Without what the server printed, the rows say enough.
  const end = await readServerEnd(trace).catch(() => null);
  if (end === null) return rows;
  const said = end.quote?.split('\n').at(-1);
  // A table cuts its end, and the error says more.
  const serverEnd = said === undefined ? `the server ${end.what}` : `${said} (the server ${end.what})`;
  return rows.map((row) => (isUnanswered(row) ? { ...row, serverEnd } : row));
}

const isUnanswered = ({ kind, status }: TraceRow): boolean => kind === 'request' && status === 'unanswered';

async function findEnd(trace: ReadableTrace): Promise<ServerEnd | null> {
  const { columns } = trace.index;
  for (let row = columns.count - 1; row >= searchedFrom(columns); row--) {
    if (columns.kind(row) !== 'process') continue;
    const record = await readRecord(trace, row);
    if (record.kind !== 'process') continue;
    // The server was started again after an earlier end.
    if (record.change.what === 'spawn') return null;
    if (record.change.what === 'exit' && columns.status(row) === 'failed') return endAt(trace, row);
  }
  return null;
}

async function endAt(trace: ReadableTrace, row: number): Promise<ServerEnd> {
  const { columns } = trace.index;
  const [exit, ...lines] = await readRows(trace, [row, ...lastLines(columns)]);
  const since = firstUnanswered(columns);
  // What it printed before, such as that it is ready, says nothing about its end.
  const printed = lines.filter((line) => line.row > since && line.summary.trim() !== '');
  const crash = crashIn(printed.map(({ summary }) => `${summary}\n`).join(''));
  // The line that names the error says more than the last frame of its stack.
  const named = crash === null ? undefined : printed.findLast(({ summary }) => summary.includes(crash));
  const last = printed.slice(-MAX_QUOTED).map(({ summary }) => summary);
  return {
    row: (named ?? printed.at(-1))?.row ?? row,
    what: exit?.summary ?? 'ended',
    quote: crash ?? (last.length === 0 ? null : last.join('\n')),
    stderr: lines.map(({ summary }) => summary).join('\n'),
  };
}

/** The first of the requests that the server did not answer. */
function firstUnanswered(columns: RowColumns): number {
  let first = columns.count;
  for (let row = columns.count - 1; row >= searchedFrom(columns); row--) {
    const status = columns.status(row);
    const isOurs = columns.kind(row) === 'request' && columns.direction(row) === 'out';
    // Just before the session ends, it still waits.
    if (isOurs && (status === 'unanswered' || status === 'pending')) first = row;
  }
  return first;
}

/** The rows of the last lines of standard error, in order. */
function lastLines(columns: RowColumns): number[] {
  const rows: number[] = [];
  for (let row = columns.count - 1; row >= searchedFrom(columns) && rows.length < MAX_LINES; row--) {
    if (columns.kind(row) === 'stderr') rows.push(row);
  }
  return rows.reverse();
}

const searchedFrom = ({ count }: RowColumns): number => Math.max(0, count - MAX_SEARCHED);
