import { checksArea } from '#shared/contract/checks.ts';
import { exportsArea } from '#shared/contract/exports.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { traceArea } from '#shared/contract/trace.ts';
import { exportHandlers } from './export/handlers.ts';
import { noSuchRow, type ReadableTrace } from './readable-trace.ts';
import { chosenRows, type TraceFeed } from './trace-feed.ts';
import { statisticsOf } from './statistics.ts';
import { readDetail, relativesOf } from './view/detail-reader.ts';
import { readRows } from './view/row-reader.ts';
import { readBytes } from './view/unit-bytes.ts';

/** Commands about one trace, which they name by its session. */
type TraceCommand = Extract<keyof Handlers, `trace/${string}` | `checks/${string}` | `exports/${string}`>;
export type TraceHandlers = Pick<Handlers, TraceCommand>;

/** Forwards each command to the handlers of its trace. @param find throws if there is no such session */
export function traceHandlers(find: (sessionId: string) => TraceHandlers): TraceHandlers {
  return forwardingHandlers((name, params) => {
    const handlers: Readonly<Record<string, (params: never) => unknown>> = find(params.sessionId);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the schema of this very command
    return handlers[name]?.(params as never);
  });
}

/** Handlers that have somebody else answer. */
export function forwardingHandlers(
  answer: (name: string, params: { readonly sessionId: string }) => unknown,
): TraceHandlers {
  const names = [
    ...Object.keys(traceArea.commands),
    ...Object.keys(checksArea.commands),
    ...Object.keys(exportsArea.commands),
  ];
  const forward = (name: string) => (params: { readonly sessionId: string }) => answer(name, params);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has the handler of that name
  return Object.fromEntries(names.map((name) => [name, forward(name)])) as unknown as TraceHandlers;
}

/** Handles the commands about one trace, of a session or of a file. */
export function handlersOf(feed: TraceFeed): TraceHandlers {
  const { trace } = feed;
  const { index, findings } = trace;
  return {
    'trace/summary': () => {
      const { clock, server } = trace.header;
      return { rows: index.columns.count, clock, server };
    },
    'trace/rows': async ({ filterId, from, count }) => {
      const { total, rows } = pageOf(feed, filterId, from, count);
      return { total, rows: await readRows(trace, rows) };
    },
    'trace/pick': ({ rows }) => {
      for (const row of rows) checkRow(trace, row);
      return readRows(trace, rows);
    },
    'trace/filter': ({ text, view }) => ({ filterId: feed.startFilter(text, view) }),
    'trace/end-filter': ({ filterId }) => {
      feed.endFilter(filterId);
      return null;
    },
    'trace/place': ({ filterId, row }) => ({ place: feed.filter(filterId)?.placeOf(row) ?? row }),
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
    'trace/bytes': async ({ row, from, count }) => {
      checkRow(trace, row);
      const { bytes, total } = await readBytes(trace, row, from, count);
      return { base64: bytes.toString('base64'), total };
    },
    'trace/seek': async (asked) => ({ row: await feed.seek(asked) }),
    'trace/vocabulary': () => feed.vocabulary(),
    'trace/statistics': async ({ rows }) => statisticsOf(trace, await chosenRows(feed, rows)),
    'checks/findings': ({ from, count }) => ({
      total: findings.count,
      findings: findings.page(from, count),
    }),
    'checks/of-row': ({ row }) => findings.ofRow(row),
    ...exportHandlers(feed),
  };
}

function pageOf(feed: TraceFeed, filterId: string | null, from: number, count: number) {
  const filter = feed.filter(filterId);
  if (filter !== null) return { total: filter.matches, rows: filter.page(from, count) };
  const total = feed.trace.index.columns.count;
  const rows = Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, place) => from + place);
  return { total, rows };
}

function checkRow(trace: ReadableTrace, row: number): void {
  if (row < 0 || row >= trace.index.columns.count) throw new FaultError(noSuchRow(row));
}
