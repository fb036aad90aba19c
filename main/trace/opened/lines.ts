import { isUtf8 } from 'node:buffer';
import { messageOf } from '#shared/contract/fault.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import type { Content } from '#trace/rows/indexed-message.ts';
import type { Upgrade } from './header.ts';
import { recordOf } from './record-shapes.ts';

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Lines beyond this many bytes were not written by us and are skipped without buffering them. */
export const MAX_LINE = 64 * 1024 * 1024;

/** A line in the buffer it was read into; valid until the next read. */
export interface CutLine {
  readonly bytes: Buffer;
  /** Its range in `bytes`, without the newline; empty if it was too long. */
  readonly from: number;
  readonly to: number;
  /** Its position in the file. */
  readonly offset: number;
  readonly length: number;
}

/** Cuts a file that is read in pieces into lines. */
export class LineCutter {
  #parts: Buffer[] = [];
  #held = 0;
  /** Where the current line begins, and where the next piece will begin. */
  #offset: number;
  #next: number;

  /** @param offset where in the file the first piece begins */
  constructor(offset: number) {
    this.#offset = offset;
    this.#next = offset;
  }

  /** Where the incomplete line begins. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes of it so far. */
  get pending(): number {
    return this.#next - this.#offset;
  }

  /** Its bytes so far. */
  get rest(): Buffer {
    return this.#held === this.pending ? Buffer.concat(this.#parts) : EMPTY;
  }

  /** Adds the next piece; passes on each line that it completes. The buffer may be reused afterwards. */
  push(piece: Buffer, take: (line: CutLine) => void): void {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#complete(piece, from, end, take);
      from = end + 1;
      this.#offset = this.#next + from;
    }
    this.#next += piece.length;
    if (from < piece.length) this.#hold(piece.subarray(from));
  }

  #complete(piece: Buffer, from: number, end: number, take: (line: CutLine) => void): void {
    const offset = this.#offset;
    const length = this.#next + end - offset;
    if (length === end - from) take({ bytes: piece, from, to: end, offset, length });
    else {
      const isHeld = this.#held === length - (end - from) && length <= MAX_LINE;
      const bytes = isHeld ? Buffer.concat([...this.#parts, piece.subarray(from, end)]) : EMPTY;
      take({ bytes, from: 0, to: bytes.length, offset, length });
    }
    this.#parts = [];
    this.#held = 0;
  }

  #hold(part: Buffer): void {
    if (this.pending > MAX_LINE) {
      this.#parts = [];
      this.#held = 0;
      return;
    }
    this.#parts.push(Buffer.from(part));
    this.#held += part.length;
  }
}

const REPLACEMENT = '\ufffd';
const BRACE = 0x7b;
/** Characters to quote from a line. */
const QUOTED = 60;

/** The result of reading a line. */
type LineReading =
  | { readonly record: TraceRecord; readonly offset: number; readonly length: number }
  | { readonly why: string }
  /** The line is empty. */
  | null;

/** Reads a line of the trace. Never throws. */
export function readLine(line: CutLine, upgrade: Upgrade | null): LineReading {
  const { bytes, to, offset, length } = line;
  if (length > MAX_LINE) return { why: `it is longer than any record: ${length} bytes` };
  const from = bytes[line.from] === BRACE ? line.from : skipBlank(bytes, line.from, to);
  if (from === to) return null;
  const text = bytes.toString('utf8', from, to);
  // Only then can a byte have been invalid UTF-8.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(from, to)))
    return { why: 'it is not valid UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (upgrade !== null) value = upgrade.record(value);
  } catch (error) {
    return { why: `${messageOf(error).split(':')[0] ?? ''}: ${quoted(text)}` };
  }
  const record = recordOf(value);
  if (record === null) return { why: `it is JSON, but no record: ${quoted(text)}` };
  const skipped = from - line.from;
  return { record, offset: offset + skipped, length: length - skipped };
}

/** The content of a record, as text if it is written so. */
export function contentOf(record: TraceRecord): Content {
  if (!('size' in record) || record.kind === 'http-end') return '';
  return record.text ?? Buffer.from(record.base64 ?? '', 'base64');
}

/** The bytes of a record. */
export function bytesOfRecord(record: TraceRecord): Buffer {
  const content = contentOf(record);
  return typeof content === 'string' ? Buffer.from(content) : content;
}

/** Text of a file with control characters escaped. */
const quoted = (text: string): string =>
  `${JSON.stringify(text.slice(0, QUOTED))}${text.length > QUOTED ? ' …' : ''}`;

function skipBlank(bytes: Buffer, from: number, to: number): number {
  let place = from;
  while (place < to && (bytes[place] ?? 0) <= 0x20) place++;
  return place;
}
