import { type ExchangeDetail, MAX_CHILDREN } from '#shared/contract/trace.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import { relativesOf } from './relatives.ts';
import { parseRecord, readRecord, readRows } from './row-reader.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { LinePlace } from '#trace/file/line-source.ts';

/** All that is on record of the HTTP exchange that this row is. */
export async function readExchange(trace: ReadableTrace, row: number): Promise<ExchangeDetail> {
  const { columns, exchanges } = trace.index;
  const request = await readRecord(trace, row);
  if (request.kind !== 'http-request') throw new Error(`row ${row} is no HTTP exchange`);
  const { exchange } = request;
  const [connected] = await readAt(trace, [exchanges.record(exchange, 'connected')], 'http-connected');
  const responses = await readAt(trace, exchanges.responses(exchange), 'http-response');
  const [end] = await readAt(trace, [exchanges.record(exchange, 'end')], 'http-end');
  const carried = relativesOf(columns, row, 'exchange', { from: 0, count: MAX_CHILDREN }, end?.seq);
  return {
    row,
    request,
    connected: connected ?? null,
    responses,
    end: end ?? null,
    carried: await readRows(trace, carried.rows),
    carriedCount: carried.total,
  };
}

type RecordOf<K extends TraceRecord['kind']> = Extract<TraceRecord, { kind: K }>;

async function readAt<K extends TraceRecord['kind']>(
  trace: ReadableTrace,
  places: readonly (LinePlace | null)[],
  kind: K,
): Promise<RecordOf<K>[]> {
  const lines = await trace.file.read(places.filter((place) => place !== null));
  return lines.map(parseRecord).filter((record): record is RecordOf<K> => record.kind === kind);
}
