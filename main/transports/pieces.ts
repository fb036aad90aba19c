import { PIECE_BYTES } from '#shared/trace/record.ts';

/** A whole line, or one part of a line that is longer than a piece. */
export interface LinePiece {
  readonly bytes: Buffer;
  readonly first: boolean;
  readonly more: boolean;
  readonly cut: boolean;
}

/** The pieces of a whole unit: usually the unit itself. */
export function* cutIntoPieces(unit: Buffer): Generator<LinePiece> {
  let rest = unit;
  while (rest.length > PIECE_BYTES) {
    const end = characterBoundary(rest, PIECE_BYTES);
    yield { bytes: rest.subarray(0, end), first: rest === unit, more: true, cut: false };
    rest = rest.subarray(end);
  }
  yield { bytes: rest, first: rest === unit, more: false, cut: false };
}

/** The last position up to `end` that does not split a UTF-8 character; `end` if there is none. */
export function characterBoundary(bytes: Buffer, end: number): number {
  for (let offset = end; offset > end - 4 && offset > 0; offset--) {
    const next = bytes[offset];
    if (next === undefined || (next & 0xc0) !== 0x80) return offset;
  }
  return end;
}

/** Buffers to keep before they are joined: a stream may arrive one byte at a time. */
const MAX_PARTS = 1024;

/** Bytes that arrive in parts and are read as one buffer. */
export class BufferedBytes {
  #parts: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#parts.length > MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
  }

  /** Returns all bytes and clears the buffer. */
  take(): Buffer {
    const [first, ...others] = this.#parts;
    this.#parts = [];
    this.#length = 0;
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }
}

/**
 * Cuts a sequence of units into pieces of at most 1 MiB, each emitted as soon as it is full. Pieces never split a
 * UTF-8 character, and where they end depends on the bytes alone, not on how they arrived.
 */
export class Pieces {
  readonly #emit: (piece: LinePiece) => void;
  readonly #held = new BufferedBytes();
  #begun = false;

  constructor(emit: (piece: LinePiece) => void) {
    this.#emit = emit;
  }

  /** Whether the current unit has no bytes yet. */
  get isEmpty(): boolean {
    return !this.#begun && this.#held.length === 0;
  }

  push(bytes: Buffer): void {
    this.#held.add(bytes);
    if (this.#held.length <= PIECE_BYTES) return;
    for (const piece of cutIntoPieces(this.#held.take())) {
      if (piece.more) this.#emitPiece(piece.bytes, true, false);
      else this.#held.add(piece.bytes);
    }
  }

  /** Ends the unit and emits its last piece, even if empty. `cut`: the unit is incomplete. */
  end(cut: boolean): void {
    this.#emitPiece(this.#held.take(), false, cut);
    this.#begun = false;
  }

  #emitPiece(bytes: Buffer, more: boolean, cut: boolean): void {
    const first = !this.#begun;
    this.#begun = true;
    this.#emit({ bytes, first, more, cut });
  }
}
