import { PIECE_BYTES } from '#shared/trace/record.ts';

const NEWLINE = 0x0a;

/** A stretch of a line: the whole of it, or one of several when it is longer than a piece. */
export interface LinePiece {
  readonly bytes: Buffer;
  readonly first: boolean;
  readonly more: boolean;
  readonly cut: boolean;
}

/**
 * Cuts a byte stream into lines (MCP transports, stdio: messages are delimited by newlines). The newline is
 * not part of a line, a carriage return before it is. A line of any length passes: what exceeds a piece is
 * handed on at once and not held, and what waits for its newline can be handed on earlier. Pieces end between UTF-8
 * characters, never inside one.
 */
export class LineFramer {
  readonly #emit: (piece: LinePiece) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether a piece of the current line went out already. */
  #begun = false;
  #lines = 0;

  constructor(emit: (piece: LinePiece) => void) {
    this.#emit = emit;
  }

  /** Lines that have ended so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether bytes are held of a line that has not ended. */
  get isWaiting(): boolean {
    return this.#heldBytes > 0;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, from);
      if (newline === -1) break;
      this.#finish(bytes.subarray(from, newline), false);
      from = newline + 1;
    }
    if (from < bytes.length) this.#hold(bytes.subarray(from));
  }

  /** The stream ended; a line without its newline is handed on as cut. */
  end(): void {
    if (this.#heldBytes > 0 || this.#begun) this.#finish(Buffer.alloc(0), true);
  }

  /** Hands on what is held of a line that has not ended, but for a character that is not complete. */
  handOnHeld(): void {
    if (this.#heldBytes === 0) return;
    const held = this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held);
    const end = completeEnd(held);
    this.#held = end < held.length ? [held.subarray(end)] : [];
    this.#heldBytes = held.length - end;
    if (end === 0) return;
    this.#emit({ bytes: held.subarray(0, end), first: !this.#begun, more: true, cut: false });
    this.#begun = true;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > PIECE_BYTES) this.#handOn();
  }

  #finish(tail: Buffer, cut: boolean): void {
    if (this.#heldBytes === 0 && tail.length <= PIECE_BYTES) {
      this.#emit({ bytes: tail, first: !this.#begun, more: false, cut });
    } else {
      this.#held.push(tail);
      this.#heldBytes += tail.length;
      this.#handOn();
      const rest = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
      this.#emit({ bytes: rest ?? Buffer.alloc(0), first: !this.#begun, more: false, cut });
    }
    this.#held = [];
    this.#heldBytes = 0;
    this.#begun = false;
    this.#lines++;
  }

  /** Hands on full pieces and keeps at most one piece's worth. */
  #handOn(): void {
    if (this.#heldBytes <= PIECE_BYTES) return;
    for (const { bytes, more } of cutIntoPieces(Buffer.concat(this.#held))) {
      if (more) this.#emit({ bytes, first: !this.#begun, more, cut: false });
      else this.#held = [bytes];
      this.#heldBytes = bytes.length;
      this.#begun = true;
    }
  }
}

/** The pieces of a whole unit: itself, unless it is longer than a piece. */
export function* cutIntoPieces(unit: Buffer): Generator<LinePiece> {
  let rest = unit;
  while (rest.length > PIECE_BYTES) {
    const end = characterBoundary(rest, PIECE_BYTES);
    yield { bytes: rest.subarray(0, end), first: rest === unit, more: true, cut: false };
    rest = rest.subarray(end);
  }
  yield { bytes: rest, first: rest === unit, more: false, cut: false };
}

/** Where the last complete UTF-8 character ends; the end of the bytes when they end with none that could be completed. */
function completeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The last place at or before `end` where no UTF-8 character is torn; `end` itself when there is none. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let place = end; place > end - 4 && place > 0; place--) {
    const next = bytes[place];
    if (next === undefined || (next & 0xc0) !== 0x80) return place;
  }
  return end;
}
