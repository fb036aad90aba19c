import { MAX_CHILDREN, MAX_DETAIL_CHARS, type RowDetail } from '#shared/contract/trace.ts';
import { idText } from '#shared/protocol/jsonrpc.ts';
import { type TraceRecord, traceRecordSchema } from '#shared/trace/record.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { elementTexts, messageTextIn } from './raw-json.ts';
import { firstBadByte, problemOf, type Reading, readUnit } from './read-unit.ts';
import type { RowColumns } from './row-columns.ts';
import { slices } from './slices.ts';
import { summarize, textOf } from './summarize.ts';
import type { Trace } from './trace.ts';

/** Rows for the screen, in the order asked for: columns from memory, summaries from the record. */
export async function readRows(trace: Trace, rows: readonly number[]): Promise<TraceRow[]> {
  const { columns } = trace.index;
  const read: TraceRow[] = [];
  for (const slice of slices(columns, rows)) {
    const lines = await trace.file.read(slice.map((row) => placeOf(columns, row)));
    for (const [order, row] of slice.entries()) {
      const record = parseRecord(lines[order] ?? '');
      read.push(toRow(columns, row, summarize(record, columns.position(row), columns.subject(row))));
    }
  }
  return read;
}

/** Everything about one row. The text of a large unit is cut at `MAX_DETAIL_CHARS`. */
export async function readDetail(trace: Trace, row: number): Promise<RowDetail> {
  const { columns } = trace.index;
  const record = await readRecord(trace, row);
  const pair = columns.pair(row);
  const parent = columns.parent(row);
  const relatives = [row, pair, parent].filter((relative) => relative !== null);
  const read = await readRows(trace, [...relatives, ...childrenOf(columns, row)]);
  const find = (wanted: number | null) => read.find((one) => one.row === wanted) ?? null;
  const own = find(row);
  if (own === null) throw new Error(`row ${row} vanished while it was read`);
  return {
    row: own,
    ...(await contentOf(trace, row, record)),
    process: record.kind === 'process' ? record.change : null,
    phase: record.kind === 'phase' ? { phase: record.phase, reason: record.reason ?? null } : null,
    pair: find(pair),
    parent: find(parent),
    children: read.slice(relatives.length),
  };
}

/** Bytes of a row's unit as they are on record, secrets replaced. */
export async function readBytes(
  trace: Trace,
  row: number,
  from: number,
  count: number,
): Promise<{ bytes: Buffer; total: number }> {
  const { bytes, isWhole } = await bytesOf(trace, row, await readRecord(trace, row), from + count);
  const total = isWhole ? bytes.length : trace.index.columns.size(row);
  return { bytes: bytes.subarray(from, from + count), total };
}

/** The text of a row's message from its first to its last character, secrets replaced. */
export async function readMessageText(trace: Trace, row: number): Promise<string> {
  const { bytes } = await bytesOf(trace, row, await readRecord(trace, row), Number.POSITIVE_INFINITY);
  return messageTextIn(bytes.toString('utf8'), trace.index.columns.position(row));
}

export const parseRecord = (line: string): TraceRecord => traceRecordSchema.parse(JSON.parse(line));

async function readRecord(trace: Trace, row: number): Promise<TraceRecord> {
  const [line] = await trace.file.read([placeOf(trace.index.columns, row)]);
  return parseRecord(line ?? '');
}

const placeOf = (columns: RowColumns, row: number) => ({
  offset: columns.offset(row),
  length: columns.length(row),
});

function toRow(columns: RowColumns, row: number, summary: string): TraceRow {
  const id = columns.id(row);
  return {
    row,
    seq: columns.seq(row),
    position: columns.position(row),
    batch: columns.batch(row),
    at: columns.at(row),
    kind: columns.kind(row),
    direction: columns.direction(row),
    method: columns.method(row),
    summary,
    id: id === null ? null : idText(id),
    status: columns.status(row),
    noise: columns.noise(row),
    code: columns.code(row),
    duration: columns.duration(row),
    size: columns.size(row),
    pair: columns.pair(row),
    parent: columns.parent(row),
    automatic: columns.isAutomatic(row),
  };
}

function childrenOf(columns: RowColumns, parent: number): number[] {
  const children: number[] = [];
  for (let row = parent + 1; row < columns.count && children.length < MAX_CHILDREN; row++) {
    if (columns.parent(row) === parent) children.push(row);
  }
  return children;
}

type Content = Pick<RowDetail, 'text' | 'truncated' | 'encoding' | 'badByteAt' | 'problem'>;

async function contentOf(trace: Trace, row: number, record: TraceRecord): Promise<Content> {
  const { columns } = trace.index;
  if (record.kind !== 'unit' && record.kind !== 'stderr') {
    return { text: null, truncated: false, encoding: 'utf-8', badByteAt: null, problem: null };
  }
  const { bytes, isWhole } = await bytesOf(trace, row, record, MAX_DETAIL_CHARS * 4);
  const whole = bytes.toString('utf8');
  const text = columns.batch(row) > 1 ? (elementTexts(whole)[columns.position(row)] ?? whole) : whole;
  const badByteAt = isWhole ? firstBadByte(bytes) : null;
  return {
    text: text.slice(0, MAX_DETAIL_CHARS),
    truncated: !isWhole || text.length > MAX_DETAIL_CHARS,
    encoding: badByteAt === null ? 'utf-8' : 'base64',
    badByteAt,
    problem: problem(columns, row, record, isWhole ? bytes : null),
  };
}

function problem(
  columns: RowColumns,
  row: number,
  record: TraceRecord & { kind: 'unit' | 'stderr' },
  bytes: Buffer | null,
): string | null {
  if (record.kind === 'stderr') return null;
  switch (columns.status(row)) {
    case 'invalid': {
      const reading: Reading | null = bytes && readUnit(bytes);
      return reading ? problemOf(reading, columns.position(row)) : 'Not a message.';
    }
    case 'orphan':
      return 'Answers no request of this session that is still open: its id is unknown, or was answered before.';
    case 'late':
      return 'Came after its request was cancelled, or the session had failed, and was ignored.';
    case 'unanswered':
      return 'The session ended before an answer came.';
    default:
      return null;
  }
}

/** The first `enough` bytes of a row's unit, or all of them. */
async function bytesOf(
  trace: Trace,
  row: number,
  record: TraceRecord,
  enough: number,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const pieces = [pieceBytes(record)];
  let length = pieces[0]?.length ?? 0;
  for (const chunk of trace.index.chunksOf(row)) {
    if (length >= enough) return { bytes: Buffer.concat(pieces), isWhole: false };
    const [line] = await trace.file.read([chunk]);
    const piece = pieceBytes(parseRecord(line ?? ''));
    pieces.push(piece);
    length += piece.length;
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}

function pieceBytes(record: TraceRecord): Buffer {
  if (record.kind !== 'unit' && record.kind !== 'stderr' && record.kind !== 'chunk') return Buffer.alloc(0);
  return record.base64 === undefined ? Buffer.from(textOf(record)) : Buffer.from(record.base64, 'base64');
}
