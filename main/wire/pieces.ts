import { PIECE_BYTES } from '#shared/trace/record.ts';
import { cutIntoPieces, type LinePiece } from './framing.ts';

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
