import { idText } from '#shared/protocol/jsonrpc.ts';
import { type TraceRecord, traceRecordSchema } from '#shared/trace/record.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { messageTextIn } from '#trace/units/raw-json.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { slices } from './slices.ts';
import { type RowFacts, summarize, textOf } from './summarize.ts';
import type { LinePlace } from '#trace/file/line-source.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';

/** Rows for the screen, in the order asked for: columns from memory, summaries from the record. */
export async function readRows(trace: ReadableTrace, rows: readonly number[]): Promise<TraceRow[]> {
  const { columns } = trace.index;
  const read: TraceRow[] = [];
  const isSameRecord = (row: number, other: number | undefined): boolean =>
    other !== undefined && columns.offset(row) === columns.offset(other);
  // The messages of a batch are one record, which may be large: it is read once.
  const firsts = rows.filter((row, order) => !isSameRecord(row, rows[order - 1]));
  let next = 0;
  for (const slice of slices(columns, firsts)) {
    const lines = await trace.file.read(slice.map((row) => placeOf(columns, row)));
    for (const [order, first] of slice.entries()) {
      const record = parseRecord(lines[order] ?? '');
      for (let row = rows[next]; row !== undefined && isSameRecord(row, first); row = rows[++next]) {
        // What a row is about comes from the index, which holds it as it was on the wire.
        read.push(toRow(trace, row, trace.redacted(summarize(record, rowFacts(columns, row)))));
      }
    }
  }
  return read;
}

/** The text of a row's message from its first to its last character, secrets replaced. */
export async function readMessageText(trace: ReadableTrace, row: number): Promise<string> {
  const pieces = [pieceBytes(await readRecord(trace, row))];
  for (const chunk of chunksOf(trace, row)) {
    const [line] = await trace.file.read([chunk]);
    pieces.push(pieceBytes(parseRecord(line ?? '')));
  }
  const unit = Buffer.concat(pieces).toString('utf8');
  const { columns } = trace.index;
  return columns.kind(row) === 'held-back' ? unit : messageTextIn(unit, columns.position(row));
}

/** Where the further pieces of a row's unit stand; those of a batch are known by its first row. */
export function chunksOf(trace: ReadableTrace, row: number): readonly LinePlace[] {
  const { columns } = trace.index;
  let first = row;
  // Others may have come between, while the unit was still arriving.
  if (columns.position(row) > 0) {
    while (first > 0 && (columns.seq(first) !== columns.seq(row) || columns.position(first) > 0)) first--;
  }
  return trace.index.chunksOf(first);
}

/** What the short text of a row depends on. */
export const rowFacts = (columns: RowColumns, row: number): RowFacts => ({
  kind: columns.kind(row),
  position: columns.position(row),
  batch: columns.batch(row),
  subject: columns.subject(row),
});

export const parseRecord = (line: string): TraceRecord => traceRecordSchema.parse(JSON.parse(line));

export async function readRecord(trace: ReadableTrace, row: number): Promise<TraceRecord> {
  const [line] = await trace.file.read([placeOf(trace.index.columns, row)]);
  return parseRecord(line ?? '');
}

const placeOf = (columns: RowColumns, row: number) => ({
  offset: columns.offset(row),
  length: columns.length(row),
});

function toRow(trace: ReadableTrace, row: number, summary: string): TraceRow {
  const { columns } = trace.index;
  const id = columns.id(row);
  return {
    row,
    seq: columns.seq(row),
    position: columns.position(row),
    batch: columns.batch(row),
    at: columns.at(row),
    kind: columns.kind(row),
    direction: columns.direction(row),
    channel: columns.channel(row),
    // They are kept as they came, because they relate rows.
    method: trace.redacted(columns.method(row)),
    summary,
    id: id === null ? null : trace.redacted(idText(id)),
    status: columns.status(row),
    noise: columns.noise(row),
    code: columns.code(row),
    duration: columns.duration(row),
    size: columns.size(row),
    pair: columns.pair(row),
    parent: columns.parent(row),
    exchange: columns.exchange(row),
    automatic: columns.isAutomatic(row),
    probe: columns.isPartOfProbe(row),
    error: columns.isError(row),
    finding: columns.finding(row),
    mark: columns.mark(row),
  };
}

/** The bytes that a record stands for, secrets replaced; none for most kinds. */
export function pieceBytes(record: TraceRecord): Buffer {
  if (!hasBytes(record)) return Buffer.alloc(0);
  return record.base64 === undefined ? Buffer.from(textOf(record)) : Buffer.from(record.base64, 'base64');
}

const kindsWithBytes = ['unit', 'chunk', 'stderr', 'http-body', 'sse'] as const;
export type RecordWithBytes = Extract<TraceRecord, { kind: (typeof kindsWithBytes)[number] }>;

/** Whether a record stands for bytes that were on the wire. */
export const hasBytes = (record: TraceRecord): record is RecordWithBytes =>
  kindsWithBytes.some((kind) => kind === record.kind);
