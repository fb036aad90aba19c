import { FaultError } from '#shared/contract/fault.ts';
import type { CommandName, Params, Result } from '#shared/contract/index.ts';
import { ActivityReader } from './activity.ts';
import { exportHandlers, type SessionFlows } from './export/handlers.ts';
import { LogCounter } from './log-counts.ts';
import { noSuchRow, type ReadableTrace } from './readable-trace.ts';
import { chosenRows, type TraceFeed } from './trace-feed.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { RowFilter } from './filter/row-filter.ts';
import { OverviewCounter } from './overview.ts';
import { statisticsOf } from './statistics.ts';
import { TrafficCounter } from './traffic.ts';
import { CallReader } from './view/call-reader.ts';
import { readDetail, relativesOf } from './view/detail-reader.ts';
import { readRows } from './view/row-reader.ts';
import { withServerEnd } from './view/server-end.ts';
import { readBytes } from './view/unit-bytes.ts';

/** Commands about one trace, which they name by its session. */
type TraceCommand = Extract<CommandName, `${'trace' | 'checks' | 'exports' | 'logs'}/${string}`>;
export type TraceHandlers = {
  readonly [N in TraceCommand]: (params: Params<N>) => Promise<Result<N>> | Result<N>;
};

/** Runs each command with the handlers of its trace. @param find throws if there is no such session */
export const traceHandlers = (find: (sessionId: string) => TraceHandlers): TraceHandlers =>
  forwardingHandlers((command, params) => find(params.sessionId)[command](params));

/** Handlers that pass every command on. */
export function forwardingHandlers(
  forward: <N extends TraceCommand>(command: N, params: Params<N>) => Promise<Result<N>> | Result<N>,
): TraceHandlers {
  const to =
    <N extends TraceCommand>(command: N) =>
    (params: Params<N>) =>
      forward(command, params);
  return {
    'trace/summary': to('trace/summary'),
    'trace/rows': to('trace/rows'),
    'trace/rows-by-number': to('trace/rows-by-number'),
    'trace/filter': to('trace/filter'),
    'trace/fold': to('trace/fold'),
    'trace/end-filter': to('trace/end-filter'),
    'trace/place': to('trace/place'),
    'trace/at': to('trace/at'),
    'trace/mark': to('trace/mark'),
    'trace/marks': to('trace/marks'),
    'trace/detail': to('trace/detail'),
    'trace/relatives': to('trace/relatives'),
    'trace/bytes': to('trace/bytes'),
    'trace/calls': to('trace/calls'),
    'trace/seek': to('trace/seek'),
    'trace/vocabulary': to('trace/vocabulary'),
    'trace/statistics': to('trace/statistics'),
    'trace/traffic': to('trace/traffic'),
    'trace/overview': to('trace/overview'),
    'checks/findings': to('checks/findings'),
    'checks/of-row': to('checks/of-row'),
    'logs/counts': to('logs/counts'),
    'logs/activity': to('logs/activity'),
    'exports/preview': to('exports/preview'),
    'exports/suggest': to('exports/suggest'),
    'exports/write': to('exports/write'),
    'exports/write-flow': to('exports/write-flow'),
  };
}

/** Runs a command whose params were validated in another thread. @throws FaultError as its handler does */
export function runCommand(handlers: object, command: string, params: unknown): unknown {
  const handler: unknown = Object.hasOwn(handlers, command) ? Reflect.get(handlers, command) : undefined;
  if (typeof handler !== 'function') throw new Error(`a trace has no command ${command}`);
  return Reflect.apply(handler, handlers, [params]);
}

/**
 * Handles the commands about one trace, of a session or of a file.
 *
 * @param now microseconds of the clock of a session; null for a file
 * @param flows the authorization flows of the session
 */
export function handlersOf(
  feed: TraceFeed,
  now: (() => number) | null = null,
  flows: SessionFlows = () => [],
): TraceHandlers {
  const { trace } = feed;
  const { index, findings } = trace;
  const traffic = new TrafficCounter(index.columns);
  const calls = new CallReader(trace);
  const logs = new LogCounter(trace, now);
  const activity = new ActivityReader(trace);
  const overview = new OverviewCounter(trace);
  return {
    'trace/summary': () => {
      const { clock, server } = trace.header;
      return { rows: index.columns.count, counts: index.columns.counts, clock, server };
    },
    'trace/rows': async ({ filterId, from, count }) => {
      const { total, rows } = pageOf(feed, filterId, from, count);
      // What is folded into a row belongs to wire order.
      const filter = feed.sorted(filterId) === null ? feed.filter(filterId) : null;
      const read = await withServerEnd(trace, await readRows(trace, rows));
      return { total, rows: filter === null ? read : read.map((row) => withFold(filter, row)) };
    },
    'trace/rows-by-number': ({ rows }) => {
      for (const row of rows) checkRow(trace, row);
      return readRows(trace, rows).then((read) => withServerEnd(trace, read));
    },
    'trace/filter': ({ text, view, ...options }) => ({ filterId: feed.startFilter(text, view, options) }),
    'trace/fold': ({ filterId, row, isOpen }) => {
      checkRow(trace, row);
      feed.filter(filterId)?.setOpen(row, isOpen);
      return null;
    },
    'trace/end-filter': ({ filterId }) => {
      feed.endFilter(filterId);
      return null;
    },
    'trace/place': ({ filterId, row }) =>
      (feed.sorted(filterId) ?? feed.filter(filterId))?.placeOf(row) ?? { place: row, isListed: true },
    'trace/at': ({ at }) => ({ row: index.columns.firstAt(at) }),
    'trace/mark': async ({ row, note }) => {
      checkRow(trace, row);
      await trace.mark(row, note);
      return null;
    },
    'trace/marks': () =>
      [...index.columns.marked]
        .sort((a, b) => a - b)
        .map((row) => ({ row, note: index.columns.mark(row) ?? '' })),
    'trace/detail': ({ row }) => {
      checkRow(trace, row);
      return readDetail(trace, row);
    },
    'trace/relatives': async ({ row, by, from, count }) => {
      checkRow(trace, row);
      const { total, rows } = relativesOf(index.columns, row, by, { from, count });
      return { total, rows: await readRows(trace, rows) };
    },
    'trace/calls': ({ from, count }) => calls.read(from, count),
    'trace/bytes': async ({ row, from, count }) => {
      checkRow(trace, row);
      const { bytes, total } = await readBytes(trace, row, from, count);
      return { base64: bytes.toString('base64'), total };
    },
    'trace/seek': async (asked) => ({ row: await feed.seek(asked) }),
    'trace/vocabulary': () => feed.vocabulary(),
    'trace/statistics': async ({ rows, filterId = null }) => {
      await feed.filter(filterId)?.catchUp();
      const listed = feed.filter(filterId)?.matches;
      const statistics = await statisticsOf(trace, await chosenRows(feed, rows));
      return { ...statistics, listed: listed ?? statistics.rows };
    },
    'trace/traffic': () => traffic.read(),
    'trace/overview': () => overview.read(),
    'checks/findings': ({ from, count }) => ({
      total: findings.count,
      findings: findings.page(from, count),
    }),
    'checks/of-row': ({ row }) => findings.ofRow(row),
    'logs/counts': () => logs.read(),
    'logs/activity': () => activity.read(),
    ...exportHandlers(feed, flows),
  };
}

function withFold(filter: RowFilter, row: TraceRow): TraceRow {
  const fold = filter.foldOf(row.row);
  if (fold !== null) return { ...row, fold };
  return filter.isInOpenFold(row.row) ? { ...row, isInFold: true } : row;
}

function pageOf(feed: TraceFeed, filterId: string | null, from: number, count: number) {
  const sorted = feed.sorted(filterId);
  if (sorted !== null) return { total: sorted.count, rows: sorted.page(from, count) };
  const filter = feed.filter(filterId);
  if (filter !== null) return { total: filter.matches, rows: filter.page(from, count) };
  const total = feed.trace.index.columns.count;
  const rows = Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, place) => from + place);
  return { total, rows };
}

function checkRow(trace: ReadableTrace, row: number): void {
  if (row < 0 || row >= trace.index.columns.count) throw new FaultError(noSuchRow(row));
}
