import type { Params, Result } from '#shared/contract/index.ts';
import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { EndedStep } from '#testing/tested-session.ts';
import type { Place, ReadCall } from './read-test-file.ts';

type Failure = CallOutcome['failures'][number];

export type TraceRows = (
  params: Params<'trace/rows'>,
) => Promise<Result<'trace/rows'>> | Result<'trace/rows'>;

/** Limit of rows of one call that are looked at. */
export const MAX_LOOKED_AT = 20_000;

/** The rows of a session's trace from one on. */
export async function rowsFrom(read: TraceRows, sessionId: string, from: number): Promise<TraceRow[]> {
  const rows: TraceRow[] = [];
  for (;;) {
    const page = { sessionId, filterId: null, from: from + rows.length, count: MAX_ROWS_PER_PAGE };
    const found = (await read(page)).rows;
    rows.push(...found);
    if (found.length < MAX_ROWS_PER_PAGE || rows.length >= MAX_LOOKED_AT) return rows;
  }
}

/**
 * Compares what the server sent during a call, and after it, with what is expected of order and time.
 *
 * @param rows of the trace from the request of the call on, read when the time of silence was over
 * @param endedAt microseconds of the trace
 */
export function checkMessages(
  { expect, places }: ReadCall,
  call: EndedStep,
  rows: readonly TraceRow[],
  endedAt: number,
): Failure[] {
  const failures: Failure[] = [];
  const fail = (place: Place, message: string) =>
    failures.push({ line: place.line, column: place.column, message });
  const isLater = ({ row, at }: TraceRow): boolean =>
    call.responseRow === null ? at > endedAt : row > call.responseRow;
  const received = rows.filter(({ direction }) => direction === 'in');
  const during = received.filter((one) => !isLater(one));
  const ofCall = new Set(call.rounds.map(({ requestRow }) => requestRow));
  const progress = (among: readonly TraceRow[]) =>
    among.filter(
      ({ method, parent }) => method === 'notifications/progress' && parent !== null && ofCall.has(parent),
    );

  const order = orderError(expect.messages, during);
  if (order !== null) fail(places.messages, order);
  if (expect.progress !== null) {
    const { atLeast, every } = expect.progress;
    const seen = progress(during);
    if (seen.length < atLeast) {
      fail(
        places.progress,
        `expected progress at least ${formatQuantity(atLeast, 'time')} before the response, got ${seen.length}`,
      );
    }
    const start = rows.find(({ row }) => row === call.requestRow)?.at ?? endedAt;
    const pause = longestPause([start, ...seen.map(({ at }) => at), endedAt]);
    if (every !== null && pause > every * 1000)
      fail(
        places.progress,
        `expected progress every ${formatDuration(every * 1000)}, none came for ${formatDuration(pause)}`,
      );
  }
  if (expect.silence !== null) {
    const later = received.filter(isLater);
    const about = [...progress(later), ...later.filter(({ pair }) => pair !== null && ofCall.has(pair))];
    for (const { kind, method, at } of about.slice(0, 1)) {
      const what = kind === 'notification' ? (method ?? 'a notification') : 'a response';
      const more = about.length === 1 ? '' : `, and ${formatQuantity(about.length - 1, 'more message')}`;
      const time = formatDuration(at - endedAt);
      fail(places.silence, `expected nothing after the end of the call, ${what} came ${time} later${more}`);
    }
  }
  return failures;
}

/** Which expected message did not come in its turn; null if all did. */
function orderError(expected: readonly string[], received: readonly TraceRow[]): string | null {
  const methods = received.flatMap(({ kind, method }) =>
    method !== null && (kind === 'notification' || kind === 'request') ? [method] : [],
  );
  let next = 0;
  for (const [index, method] of expected.entries()) {
    const found = methods.indexOf(method, next);
    if (found !== -1) {
      next = found + 1;
      continue;
    }
    const after = index === 0 ? '' : ` after ${expected[index - 1]}`;
    const came = methods.length === 0 ? 'nothing' : listed(methods);
    return `expected ${method}${after} before the response, got ${came}`;
  }
  return null;
}

const MAX_LISTED = 10;

const listed = (methods: readonly string[]): string =>
  methods.length <= MAX_LISTED ? methods.join(', ') : `${methods.slice(0, MAX_LISTED).join(', ')}, …`;

const longestPause = (times: readonly number[]): number =>
  Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
