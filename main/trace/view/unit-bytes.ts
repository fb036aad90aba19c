import { MAX_DETAIL_CHARS } from '#shared/contract/trace.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { BatchElement, type TextStart } from './batch-element.ts';
import { chunksOf, parseRecord, pieceBytes, readRecord } from './row-reader.ts';

/**
 * How many bytes the pieces of large units are on record: redaction makes them differ from the sizes on the wire. Known
 * once a piece was read, so that the end of a unit is found without reading it all again.
 */
const lengths = new WeakMap<ReadableTrace, Map<number, number[]>>();

/** Bytes of a row's unit as they are on record, secrets replaced. Reads only the pieces they stand in. */
export async function readBytes(
  trace: ReadableTrace,
  row: number,
  from: number,
  count: number,
): Promise<{ bytes: Buffer; total: number }> {
  const known = lengthsOf(trace, row);
  const pieces = chunksOf(trace, row).length + 1;
  const parts: Buffer[] = [];
  let start = 0;
  for (let piece = 0; piece < pieces && start < from + count; piece++) {
    const length = known[piece];
    if (length !== undefined && start + length <= from) {
      start += length;
      continue;
    }
    const bytes = await readPiece(trace, row, piece);
    known[piece] = bytes.length;
    if (start + bytes.length > from)
      parts.push(bytes.subarray(Math.max(0, from - start), from + count - start));
    start += bytes.length;
  }
  return { bytes: Buffer.concat(parts), total: totalOf(known, pieces) ?? trace.index.columns.size(row) };
}

/** As many pieces of a row's unit as make up the text that a detail carries. */
export async function readStart(trace: ReadableTrace, row: number): Promise<TextStart> {
  const pieces = chunksOf(trace, row).length + 1;
  const parts: Buffer[] = [];
  let length = 0;
  for (let piece = 0; piece < pieces; piece++) {
    if (length >= MAX_DETAIL_CHARS) return { bytes: Buffer.concat(parts), isWhole: false };
    const bytes = await readPiece(trace, row, piece);
    parts.push(bytes);
    length += bytes.length;
  }
  return { bytes: parts[0] !== undefined && pieces === 1 ? parts[0] : Buffer.concat(parts), isWhole: true };
}

/** The same of one message of a batch; null when the unit is no array that has it. */
export async function readElement(trace: ReadableTrace, row: number): Promise<TextStart | null> {
  const pieces = chunksOf(trace, row).length + 1;
  const element = new BatchElement(trace.index.columns.position(row), MAX_DETAIL_CHARS);
  for (let piece = 0; piece < pieces; piece++) {
    if (element.isDone) break;
    element.push(await readPiece(trace, row, piece));
  }
  return element.found;
}

async function readPiece(trace: ReadableTrace, row: number, piece: number): Promise<Buffer> {
  const chunk = chunksOf(trace, row)[piece - 1];
  if (chunk === undefined) return pieceBytes(await readRecord(trace, row));
  const [line] = await trace.file.read([chunk]);
  return pieceBytes(parseRecord(line ?? ''));
}

function lengthsOf(trace: ReadableTrace, row: number): number[] {
  const ofTrace = lengths.get(trace) ?? new Map<number, number[]>();
  lengths.set(trace, ofTrace);
  const known = ofTrace.get(row) ?? [];
  // Of units of one piece there may be a million, and nothing is gained by it.
  if (chunksOf(trace, row).length > 0) ofTrace.set(row, known);
  return known;
}

function totalOf(known: readonly (number | undefined)[], pieces: number): number | null {
  let total = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const length = known[piece];
    if (length === undefined) return null;
    total += length;
  }
  return total;
}
