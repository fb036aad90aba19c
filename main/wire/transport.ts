import type { Fault } from '#shared/contract/fault.ts';
import type {
  Channel,
  Direction,
  HeaderLines,
  HttpConnectedRecord,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
  Origin,
  ProcessChange,
  SseEvent,
} from '#shared/trace/record.ts';

/** A stretch of bytes that belongs to one unit. A unit over 1 MiB comes as several. */
export interface Piece {
  /** Microseconds of the monotonic clock, taken when the bytes were read or handed to the system. */
  readonly at: number;
  /** Which unit of this transport the bytes belong to, counted from 0. */
  readonly unit: number;
  /** Whether the unit begins here. */
  readonly first: boolean;
  readonly bytes: Buffer;
  /** Whether further pieces follow. */
  readonly more: boolean;
  /** The stream ended inside the unit. */
  readonly cut: boolean;
}

/** A record of the trace as the wire knows it: the trace gives it its number. */
type Unnumbered<R> = Omit<R, 'seq'>;

/** What a transport saw, in the order it saw it. */
export type WireEvent =
  | (Piece & {
      readonly kind: 'message-bytes';
      readonly direction: Direction;
      readonly channel: Channel;
      readonly origin?: Origin;
      readonly exchange?: number;
      /** How the event of a stream was written; on its last piece. */
      readonly sse?: SseEvent;
    })
  | (Piece & { readonly kind: 'body-bytes'; readonly direction: Direction; readonly exchange: number })
  | (Piece & {
      readonly kind: 'sse-bytes';
      readonly exchange: number;
      readonly id?: string;
      readonly retry?: number;
    })
  | (Piece & { readonly kind: 'stderr-bytes' })
  | Unnumbered<HttpRequestRecord>
  | Unnumbered<HttpConnectedRecord>
  | Unnumbered<HttpResponseRecord>
  | Unnumbered<HttpEndRecord>
  | { readonly kind: 'process'; readonly at: number; readonly change: ProcessChange };

/** Takes what a transport saw, at once: it is on the record before anything else happens. */
export interface WireSink {
  (event: WireEvent): void;
  /** Runs what reports all that was read in one go: everything is on the record before any of it is acted on. */
  readonly together?: (report: () => void) => void;
}

/** Reports what was read in one go, so that our answer to the first of it is on record after the last. */
export const reportTogether = (sink: WireSink, report: () => void): void =>
  sink.together === undefined ? report() : sink.together(report);

/** Why nothing further will come. */
export interface Ending {
  /** Whether it ended as it should: we closed it, or the server left without an error. */
  readonly clean: boolean;
  /** One sentence for the user. */
  readonly reason: string;
}

/** One unit to send, and what the transport has to know of it. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly origin: Origin;
  /** Header lines for the HTTP request that carries it, in their order and case; without meaning on stdio. */
  readonly headers?: HeaderLines;
  /** Takes the report of the bytes of this unit; the sink of the transport if there is none. */
  readonly sink?: (event: WireEvent) => void;
  /** Whether an answer is still wanted, so that a stream that broke off before it is resumed. */
  readonly isAwaited?: () => boolean;
}

/** A unit on its way. */
export interface Sending {
  /**
   * Settles when no answer can come any more by the way it was sent: with null when all went well, else why not.
   * Null where answers do not depend on it, as on stdio.
   */
  readonly over: Promise<Fault | null> | null;
  /** Closes the stream its answer would come by (MCP 2026-07-28 cancellation, Streamable HTTP). */
  drop(): void;
}

/** Carries units of bytes to a server and back. Knows nothing of what they mean. */
export interface Transport {
  /** Connects. Rejects with a `FaultError` that tells the user what to do. */
  open(): Promise<void>;
  /** Stamps, reports and writes one unit. The sink has been called when this returns. */
  send(unit: Outgoing): Sending;
  /** Stops reading until `resume`, so that a fast server waits instead of filling our memory. */
  pause(): void;
  resume(): void;
  /** Ends the connection in the transport's order and waits until nothing is left. Idempotent. */
  close(): Promise<void>;
  /** Settles once, when nothing further will come. Never rejects. */
  readonly ended: Promise<Ending>;
}

/** Microseconds of this process's monotonic clock; every stamp on the record is of this clock. */
export const now = (): number => Math.round(performance.now() * 1000);

/** The same instant on both clocks: microseconds monotonic, milliseconds since the Unix epoch. */
export const bothClocks = (): { at: number; wall: number } => ({ at: now(), wall: Date.now() });
