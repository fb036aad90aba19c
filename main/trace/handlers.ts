import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { readDetail } from './view/detail-reader.ts';
import { readBytes, readRows } from './view/row-reader.ts';
import type { TraceFeed } from './trace-feed.ts';
import type { Traces } from './traces.ts';

type TraceCommand = Extract<keyof Handlers, `trace/${string}`>;

export function traceHandlers(traces: Traces): Pick<Handlers, TraceCommand> {
  return {
    'trace/summary': ({ sessionId }) => {
      const { trace } = traces.feed(sessionId);
      return { rows: trace.index.columns.count, clock: trace.header.clock };
    },
    'trace/rows': async ({ sessionId, filterId, from, count }) => {
      const feed = traces.feed(sessionId);
      const { total, rows } = pageOf(feed, filterId, from, count);
      return { total, rows: await readRows(feed.trace, rows) };
    },
    'trace/filter': ({ sessionId, text }) => ({ filterId: traces.feed(sessionId).startFilter(text) }),
    'trace/end-filter': ({ sessionId, filterId }) => {
      traces.feed(sessionId).endFilter(filterId);
      return null;
    },
    'trace/place': ({ sessionId, filterId, row }) => ({
      place: traces.feed(sessionId).filter(filterId)?.placeOf(row) ?? row,
    }),
    'trace/detail': ({ sessionId, row }) => readDetail(withRow(traces.feed(sessionId), row), row),
    'trace/bytes': async ({ sessionId, row, from, count }) => {
      const { bytes, total } = await readBytes(withRow(traces.feed(sessionId), row), row, from, count);
      return { base64: bytes.toString('base64'), total };
    },
  };
}

function pageOf(feed: TraceFeed, filterId: string | null, from: number, count: number) {
  const filter = feed.filter(filterId);
  if (filter !== null) return { total: filter.matches, rows: filter.page(from, count) };
  const total = feed.trace.index.columns.count;
  const rows = Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, place) => from + place);
  return { total, rows };
}

function withRow({ trace }: TraceFeed, row: number) {
  if (row >= 0 && row < trace.index.columns.count) return trace;
  throw new FaultError({ code: 'no-such-row', what: `The trace has no row ${row}.` });
}
