import { type LinePiece, Pieces } from './pieces.ts';
import { type SseData, SseParser } from './sse.ts';
import type { WireSink } from './transport.ts';

/** Takes the body of a response as it comes. */
export interface BodyReader {
  /** @param at when the bytes were read, in microseconds of the monotonic clock */
  push(bytes: Buffer, at: number): void;
  /** `cut`: the server broke off inside it. */
  end(at: number, cut: boolean): void;
}

/** Where a body goes. */
interface BodySink {
  readonly sink: WireSink;
  /** The next unit number of the transport; the pieces of one unit share it. */
  readonly unit: () => number;
  readonly exchange: number;
}

/**
 * The body as one unit of messages, or as a body that is none. One of up to 1 MiB is reported when it ends,
 * stamped when its last byte came; of a longer one each piece as soon as it is full. An empty body makes nothing.
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

/** Called after an event of a stream is on the record. */
export type OnEvent = (
  /** Null when it has none. */
  name: string | null,
  /** Null when it was too long to be one piece. */
  data: Buffer | null,
) => void;

/** The body as an event stream: the data of each event is a unit, and what stands beside events is reported too. */
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

  /** The id to resume after; null when none was given, empty when it was reset: then there is nothing to resume. */
  get lastEventId(): string | null {
    return this.#parser.lastEventId;
  }

  /** Milliseconds to wait before connecting again, when the stream said so. */
  get retry(): number | null {
    return this.#parser.retry;
  }

  /** How many events came whole. */
  get events(): number {
    return this.#parser.events;
  }

  push(bytes: Buffer, at: number): void {
    this.#at = at;
    this.#parser.push(bytes);
  }

  end(at: number, _cut: boolean): void {
    this.#at = at;
    // Whether anything was cut off is for the stream to tell: it has no length of its own.
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
