import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { WireEvent } from '#transports/transport.ts';

/** Bytes that are kept, and of one piece. */
const MAX_KEPT = 16 * 1024;
const MAX_PIECE = 2048;

interface Piece {
  readonly unit: number;
  readonly at: number;
  readonly bytes: Buffer;
}

/** Keeps the last of what a server sent where messages belong and that was no message, to quote it when an answer is missing. */
export class UnreadOutput {
  #pieces: Piece[] = [];
  #size = 0;

  /** Adds an event of the transport, with the messages it completed. */
  add(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind !== 'message-bytes' || event.direction !== 'in') return;
    const { unit, at, bytes, first, sse } = event;
    if (recorded.length > 0) {
      // The unit came in pieces, and is a message after all.
      if (!first) this.#keep(this.#pieces.filter((piece) => piece.unit !== unit));
      return;
    }
    const name = sse?.name === undefined ? '' : `event: ${sse.name.slice(0, 100)}\ndata: `;
    // A copy, because chunks may share a large buffer.
    const copy = Buffer.concat([Buffer.from(first ? name : ''), beginningOf(bytes)]);
    this.#keep([...this.#pieces, { unit, at, bytes: copy }]);
  }

  /** What came from this time on, a unit a line; empty if nothing did. @param at microseconds of the clock */
  since(at: number): Buffer {
    let unit: number | null = null;
    const parts = this.#pieces
      .filter((piece) => piece.at >= at)
      .flatMap((piece) => {
        const isNext = unit !== null && unit !== piece.unit;
        unit = piece.unit;
        return isNext ? [NEWLINE, piece.bytes] : [piece.bytes];
      });
    return Buffer.concat(parts);
  }

  #keep(pieces: Piece[]): void {
    this.#pieces = pieces;
    this.#size = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
    while (this.#size > MAX_KEPT || this.#pieces.length > MAX_PIECES) {
      this.#size -= this.#pieces.shift()?.bytes.length ?? 0;
    }
  }
}

/** The beginning of a piece, without a line that begins near the cut: a secret in it may be cut in two and is not found then. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE) return bytes;
  const cut = bytes.subarray(0, MAX_PIECE);
  const lastBreak = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf('\r'));
  return lastBreak < MAX_PIECE / 2 ? cut : cut.subarray(0, lastBreak);
}

/** Pieces that are kept: a line may come a few bytes at a time. */
const MAX_PIECES = 100;
const NEWLINE = Buffer.from('\n');
