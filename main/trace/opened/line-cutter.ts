const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** A line beyond this many bytes is none that we would have written, and is passed over without being held. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** A line in the bytes it was read with; it must be used before the next ones are read. */
export interface CutLine {
  readonly bytes: Buffer;
  /** Where it stands in `bytes`, without its newline; both the same when it was too long to be held. */
  readonly from: number;
  readonly to: number;
  /** Where it stands in the file. */
  readonly offset: number;
  readonly length: number;
}

/** Cuts what is read of a file into lines, however the pieces fall. */
export class LineCutter {
  #parts: Buffer[] = [];
  #held = 0;
  /** Where the line begins that is being read, and where the next piece will. */
  #offset: number;
  #next: number;

  /** @param offset where in the file the first piece begins */
  constructor(offset: number) {
    this.#offset = offset;
    this.#next = offset;
  }

  /** Where the line begins whose end has not come. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes of it so far. */
  get pending(): number {
    return this.#next - this.#offset;
  }

  /** What there is of it. */
  get rest(): Buffer {
    return this.#held === this.pending ? Buffer.concat(this.#parts) : EMPTY;
  }

  /** Takes the next piece; hands on each line that it completes. The piece may be used again afterwards. */
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
      const isHeld = this.#held === length - (end - from) && length <= LONGEST_LINE;
      const bytes = isHeld ? Buffer.concat([...this.#parts, piece.subarray(from, end)]) : EMPTY;
      take({ bytes, from: 0, to: bytes.length, offset, length });
    }
    this.#parts = [];
    this.#held = 0;
  }

  #hold(part: Buffer): void {
    if (this.pending > LONGEST_LINE) {
      this.#parts = [];
      this.#held = 0;
      return;
    }
    this.#parts.push(Buffer.from(part));
    this.#held += part.length;
  }
}
