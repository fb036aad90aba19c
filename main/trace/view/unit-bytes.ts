import { MAX_DETAIL_CHARS } from '#shared/contract/trace.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { chunksOf, parseRecord, pieceBytes, readRecord } from './row-reader.ts';

/**
 * How many bytes the pieces of large units are on record: redaction makes them differ from the sizes on the wire. Known
 * once a piece was read, so that the end of a unit is found without reading it all again.
 */
const lengths = new WeakMap<ReadableTrace, Map<number, number[]>>();

/** Recorded bytes of a row's unit, secrets replaced. Reads only the pieces that contain them. */
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
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let characters = 0;
  for (let piece = 0; piece < pieces; piece++) {
    if (characters >= MAX_DETAIL_CHARS) return { bytes: Buffer.concat(parts), isWhole: false };
    const bytes = await readPiece(trace, row, piece);
    parts.push(bytes);
    characters += decoder.decode(bytes, { stream: true }).length;
  }
  return { bytes: parts[0] !== undefined && pieces === 1 ? parts[0] : Buffer.concat(parts), isWhole: true };
}

/** The bytes of one message of a batch; null if the unit is not an array with such an element. */
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

/** The beginning of a unit or of one of its messages. */
interface TextStart {
  readonly bytes: Buffer;
  /** Whether the unit has ended. */
  readonly isWhole: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Finds one element of a JSON array in bytes that come piece by piece, and keeps only the beginning of that
 * element. In UTF-8 no byte of a longer character is one of JSON's own.
 */
export class BatchElement {
  readonly #position: number;
  readonly #enough: number;
  readonly #parts: Buffer[] = [];
  #length = 0;
  #depth = 0;
  #element = 0;
  #isInString = false;
  #isEscaped = false;
  #hasEnded = false;

  /**
   * @param position which element, from 0
   * @param enough bytes of it after which the rest is dropped
   */
  constructor(position: number, enough: number) {
    this.#position = position;
    this.#enough = enough;
  }

  /** Whether the element is complete, so that further bytes are ignored. */
  get isDone(): boolean {
    return this.#hasEnded || this.#length >= this.#enough;
  }

  /** The element so far; null if it was not found. */
  get found(): TextStart | null {
    if (this.#length === 0) return null;
    const bytes = Buffer.concat(this.#parts);
    let end = bytes.length;
    // The space before the comma is not part of it.
    while (this.#hasEnded && SPACES.has(bytes[end - 1] ?? 0)) end--;
    return { bytes: bytes.subarray(0, end), isWhole: this.#hasEnded };
  }

  push(bytes: Buffer): void {
    // Where in these bytes the element begins; it may go on from before.
    let start = this.#length > 0 ? 0 : -1;
    let at = 0;
    for (; at < bytes.length && !this.#hasEnded; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#isInString) this.#inString(byte);
      else if (this.#depth === 1 && (byte === COMMA || CLOSERS.has(byte))) this.#endElement(byte);
      else {
        const isBefore = this.#depth === 0 || SPACES.has(byte);
        if (start === -1 && this.#element === this.#position && !isBefore) start = at;
        this.#outside(byte);
      }
      if (this.#hasEnded) break;
    }
    if (start === -1) return;
    const part = bytes.subarray(start, at);
    this.#parts.push(part);
    this.#length += part.length;
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) this.#isInString = true;
    else if (OPENERS.has(byte)) this.#depth++;
    else if (CLOSERS.has(byte)) this.#depth--;
  }

  #endElement(byte: number): void {
    this.#hasEnded = this.#element === this.#position || byte !== COMMA;
    this.#element++;
  }
}
