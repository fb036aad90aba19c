import { PIECE_BYTES } from '#shared/trace/record.ts';

/** A stretch of a line: the whole of it, or one of several when it is longer than a piece. */
export interface LinePiece {
  readonly bytes: Buffer;
  readonly first: boolean;
  readonly more: boolean;
  readonly cut: boolean;
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

/** The last place at or before `end` where no UTF-8 character is torn; `end` itself when there is none. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let place = end; place > end - 4 && place > 0; place--) {
    const next = bytes[place];
    if (next === undefined || (next & 0xc0) !== 0x80) return place;
  }
  return end;
}

/** Buffers kept side by side before they are made one: a stream may come a byte at a time. */
const MOST_PARTS = 1024;

/** Bytes that came in parts and are wanted as one. */
export class Held {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#parts.length > MOST_PARTS) this.#parts = [Buffer.concat(this.#parts)];
  }

  /** What was held, in one; nothing is held afterwards. */
  take(): Buffer {
    const [first, ...others] = this.#parts;
    this.#parts = [];
    this.#length = 0;
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }
}

/**
 * Cuts what comes of one unit after the other into pieces of at most 1 MiB, each handed on as soon as it is
 * full. Pieces end between UTF-8 characters, never inside one, and where they end depends on the bytes alone.
 */
export class Pieces {
  readonly #emit: (piece: LinePiece) => void;
  readonly #held = new Held();
  #begun = false;

  constructor(emit: (piece: LinePiece) => void) {
    this.#emit = emit;
  }

  /** Whether nothing came of the current unit. */
  get isEmpty(): boolean {
    return !this.#begun && this.#held.length === 0;
  }

  push(bytes: Buffer): void {
    this.#held.add(bytes);
    if (this.#held.length <= PIECE_BYTES) return;
    for (const piece of cutIntoPieces(this.#held.take())) {
      if (piece.more) this.#handOn(piece.bytes, true, false);
      else this.#held.add(piece.bytes);
    }
  }

  /** The unit is complete, or `cut` off; its last piece is handed on, even when it is empty. */
  end(cut: boolean): void {
    this.#handOn(this.#held.take(), false, cut);
    this.#begun = false;
  }

  #handOn(bytes: Buffer, more: boolean, cut: boolean): void {
    const first = !this.#begun;
    this.#begun = true;
    this.#emit({ bytes, first, more, cut });
  }
}
