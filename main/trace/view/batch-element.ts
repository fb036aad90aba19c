/** What a unit, or a message of it, begins with. */
export interface TextStart {
  readonly bytes: Buffer;
  /** There is no more of it. */
  readonly isWhole: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Finds one element of a JSON array in bytes that come piece by piece, and keeps no more than the beginning of that
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
   * @param enough bytes of it after which no more are wanted
   */
  constructor(position: number, enough: number) {
    this.#position = position;
    this.#enough = enough;
  }

  /** More bytes change nothing. */
  get isDone(): boolean {
    return this.#hasEnded || this.#length >= this.#enough;
  }

  /** What there is of the element; null when it did not come. */
  get found(): TextStart | null {
    if (this.#length === 0) return null;
    const bytes = Buffer.concat(this.#parts);
    let end = bytes.length;
    // The space before the comma is none of it.
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
