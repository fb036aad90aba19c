import {
  MAX_CHILDREN,
  MAX_DETAIL_CHARS,
  type RowDetail,
  type ExchangeDetail,
} from '#shared/contract/trace.ts';
import { formatCount } from '#shared/format.ts';
import type { SseEvent, TraceRecord } from '#shared/trace/record.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import { firstBadByte, noise, errorOf, readUnit } from '#trace/units/read-unit.ts';
import { chunksOf, hasBytes, parseRecord, type RecordWithBytes, readRecord, readRows } from './row-reader.ts';
import { readServerEnd } from './server-end.ts';
import { readElement, readStart } from './unit-bytes.ts';

/** Everything about one row. The text of a large unit is cut at `MAX_DETAIL_CHARS`. */
export async function readDetail(trace: ReadableTrace, row: number): Promise<RowDetail> {
  const { columns } = trace.index;
  const record = await readRecord(trace, row);
  const pair = columns.pair(row);
  const parent = columns.parent(row);
  const exchange = columns.exchangeRow(row);
  const relatives = [row, pair, parent].filter((relative) => relative !== null);
  const children = relativesOf(columns, row, 'parent', { from: 0, count: MAX_CHILDREN });
  const read = await readRows(trace, [...relatives, ...children.rows]);
  const find = (wanted: number | null) => read.find((one) => one.row === wanted) ?? null;
  const shown = find(row);
  if (shown === null) throw new Error(`row ${row} vanished while it was read`);
  const isUnanswered = columns.kind(row) === 'request' && columns.status(row) === 'unanswered';
  return {
    row: shown,
    serverEnd: isUnanswered ? await readServerEnd(trace) : null,
    ...(await contentOf(trace, row, record)),
    process: record.kind === 'process' ? record.change : null,
    phase: record.kind === 'phase' ? { phase: record.phase, reason: record.reason ?? null } : null,
    exchange: exchange === null ? null : await readExchange(trace, exchange),
    sse: record.kind === 'unit' ? await sseOf(trace, row, record) : null,
    pair: find(pair),
    parent: find(parent),
    children: read.slice(relatives.length),
    childCount: children.total,
  };
}

/** The fields of the event whose data a unit is; recorded with its last piece. */
async function sseOf(
  trace: ReadableTrace,
  row: number,
  unit: TraceRecord & { kind: 'unit' },
): Promise<SseEvent | null> {
  if (unit.sse !== undefined) return unit.sse;
  const last = unit.channel === 'sse' ? chunksOf(trace, row).at(-1) : undefined;
  if (last === undefined) return null;
  const [line] = await trace.file.read([last]);
  const chunk = parseRecord(line ?? '');
  return (chunk.kind === 'chunk' && chunk.sse) || null;
}

type Content = Pick<RowDetail, 'text' | 'truncated' | 'encoding' | 'badByteAt' | 'error'>;

async function contentOf(trace: ReadableTrace, row: number, record: TraceRecord): Promise<Content> {
  const { columns } = trace.index;
  if (!hasBytes(record)) {
    const error = statusErrors.get(columns.status(row)) ?? null;
    return { text: null, truncated: false, encoding: 'utf-8', badByteAt: null, error };
  }
  // Messages without rows are shown as part of the whole unit, as it was on the wire.
  const isOneOfSeveral = columns.batch(row) > 1 && columns.kind(row) !== 'held-back';
  const found = isOneOfSeveral ? await readElement(trace, row) : null;
  const { bytes, isWhole } = found ?? (await readStart(trace, row));
  // A character that the end cuts in two is left out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  const badByteAt = isWhole && !isOneOfSeveral ? firstBadByte(bytes) : null;
  return {
    text: text.slice(0, MAX_DETAIL_CHARS),
    truncated: !isWhole || text.length > MAX_DETAIL_CHARS,
    encoding: badByteAt === null ? 'utf-8' : 'base64',
    badByteAt,
    error: errorIn(columns, row, record, isWhole ? bytes : null),
  };
}

/** @param bytes the message; null when only its beginning was read */
function errorIn(
  columns: RowColumns,
  row: number,
  record: RecordWithBytes,
  bytes: Buffer | null,
): string | null {
  const status = columns.status(row);
  if (columns.kind(row) === 'held-back') return unlisted(columns.position(row), columns.batch(row));
  if (status !== 'invalid' || record.kind !== 'unit') return statusErrors.get(status) ?? null;
  const reason = columns.noise(row);
  if (reason !== null) return errorOf(noise(reason), 0, record.channel);
  return bytes === null ? 'Not a message.' : errorOf(readUnit(bytes), 0, record.channel);
}

const unlisted = (listed: number, total: number): string =>
  `This unit carries ${formatCount(total)} values. The first ${formatCount(listed)} have rows and were read as ` +
  `messages; the other ${formatCount(total - listed)} were not. The trace holds every byte of them: an export to ` +
  'JSON Lines writes each on a line of its own.';

const statusErrors: ReadonlyMap<string, string> = new Map([
  [
    'orphan',
    'Answers no request of this session that is still open: its id is unknown, or was answered before.',
  ],
  ['late', 'Came after its request was cancelled, or the session had failed, and was ignored.'],
  ['unanswered', 'No answer came before the session ended, or the exchange that carried it failed.'],
]);

/** The recorded HTTP exchange of this row. */
async function readExchange(trace: ReadableTrace, row: number): Promise<ExchangeDetail> {
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
  spans: readonly (LineSpan | null)[],
  kind: K,
): Promise<RecordOf<K>[]> {
  const lines = await trace.file.read(spans.filter((span) => span !== null));
  return lines.map(parseRecord).filter((record): record is RecordOf<K> => record.kind === kind);
}

/** How rows can belong to another row: to their request, or to the exchange that carried them. */
type Relation = 'parent' | 'exchange';

/**
 * The rows that belong to a row: at most `count` from the `from`th on, and their total.
 *
 * @param lastSeq the last record to search, if known
 */
export function relativesOf(
  columns: RowColumns,
  row: number,
  by: Relation,
  { from, count }: { readonly from: number; readonly count: number },
  lastSeq = Number.POSITIVE_INFINITY,
): { total: number; rows: number[] } {
  const belongsTo = by === 'exchange' ? columns.exchangeRow : columns.parent;
  const rows: number[] = [];
  let total = 0;
  // Related rows come after it.
  for (let other = row + 1; other < columns.count && columns.seq(other) <= lastSeq; other++) {
    if (belongsTo(other) !== row) continue;
    if (total >= from && rows.length < count) rows.push(other);
    total++;
  }
  return { total, rows };
}
