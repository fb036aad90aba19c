import { type LinePiece, Pieces } from './pieces.ts';
import { type SseData, SseParser } from './sse.ts';
import type { WireSink } from './transport.ts';

/** Reads a response body as it arrives. */
export interface BodyReader {
  /** @param at when the bytes were read, in microseconds of the monotonic clock */
  push(bytes: Buffer, at: number): void;
  /** `cut`: the body ended before its end, because either side closed the connection. */
  end(at: number, cut: boolean): void;
}

/** Where a reader reports a body. */
interface BodySink {
  readonly sink: WireSink;
  /** The next unit number of the transport; the pieces of one unit share it. */
  readonly unit: () => number;
  readonly exchange: number;
}

/**
 * Reports the body as one unit of messages, or as other bytes. A body of up to 1 MiB is reported when it ends,
 * stamped with the time of its last byte; a longer one piece by piece. An empty body is not reported.
 */
export class WholeBody implements BodyReader {
  readonly #to: BodySink & { readonly as: 'message' | 'body' };
  readonly #pieces: Pieces;
  #unit = 0;
  #at = 0;

  constructor(to: BodySink & { readonly as: 'message' | 'body' }) {
    this.#to = to;
    this.#pieces = new Pieces((piece) => this.#report(piece));
  }

  push(bytes: Buffer, at: number): void {
    this.#at = at;
    this.#pieces.push(bytes);
  }

  end(_at: number, cut: boolean): void {
    if (!this.#pieces.isEmpty) this.#pieces.end(cut);
  }

  #report(piece: LinePiece): void {
    const { sink, unit, exchange, as } = this.#to;
    if (piece.first) this.#unit = unit();
    const reported = { ...piece, direction: 'in' as const, exchange, at: this.#at, unit: this.#unit };
    if (as === 'message') sink({ ...reported, kind: 'message-bytes', channel: 'http' });
    else sink({ ...reported, kind: 'body-bytes' });
  }
}

/** Called after an event of a stream has been recorded. */
export type OnEvent = (
  /** Null if the event has no name. */
  name: string | null,
  /** Null if the data was longer than one piece. */
  data: Buffer | null,
) => void;

/** Reports the body as an event stream: the data of each event is a unit; lines outside of events are reported too. */
export class EventStream implements BodyReader {
  readonly #to: BodySink & { readonly onEvent?: OnEvent };
  readonly #parser: SseParser;
  #dataUnit = 0;
  #linesUnit = 0;
  #at = 0;

  constructor(to: BodySink & { readonly onEvent?: OnEvent }) {
    this.#to = to;
    const { sink, unit, exchange } = to;
    this.#parser = new SseParser({
      data: (piece) => this.#reportData(piece),
      lines: (piece) => {
        if (piece.first) this.#linesUnit = unit();
        sink({ ...piece, kind: 'sse-bytes', exchange, at: this.#at, unit: this.#linesUnit });
      },
    });
  }

  /**
   * The id to resume after; null if the server sent none, empty if it reset the id and the stream cannot be resumed.
   */
  get lastEventId(): string | null {
    return this.#parser.lastEventId;
  }

  /** Milliseconds to wait before reconnecting; null if the stream did not say. */
  get retry(): number | null {
    return this.#parser.retry;
  }

  /** The number of complete events. */
  get events(): number {
    return this.#parser.events;
  }

  push(bytes: Buffer, at: number): void {
    this.#at = at;
    this.#parser.push(bytes);
  }

  end(at: number, _cut: boolean): void {
    this.#at = at;
    // A stream has no length, so only the parser knows whether an event was cut off.
    this.#parser.end();
  }

  #reportData(piece: SseData): void {
    const { sink, unit, exchange, onEvent } = this.#to;
    if (piece.first) this.#dataUnit = unit();
    sink({
      ...piece,
      kind: 'message-bytes',
      direction: 'in',
      channel: 'sse',
      exchange,
      at: this.#at,
      unit: this.#dataUnit,
    });
    if (piece.more || piece.cut) return;
    onEvent?.(piece.sse?.name ?? null, piece.first ? piece.bytes : null);
  }
}
