import type { BodyKind } from '#shared/body-secrets.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type {
  Channel,
  Composed,
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

/**
 * Bytes of one unit. A unit has several pieces if it is over 1 MiB, or if a part of the line had to be reported before the rest
 * arrived. The last piece may be empty.
 */
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
  /** Whether the stream ended inside the unit. */
  readonly cut: boolean;
}

/** A trace record without its number, which the trace assigns. */
type Unnumbered<R> = Omit<R, 'seq'>;

/** An event of a transport, in the order it happened. */
export type WireEvent =
  /** Of a JSON-RPC message: a line, the body of an HTTP request or response, or the data of an event. */
  | (Piece & {
      readonly kind: 'message-bytes';
      readonly direction: Direction;
      readonly channel: Channel;
      readonly origin?: Origin;
      readonly composed?: Composed;
      readonly retryOf?: number;
      readonly exchange?: number;
      /** How the event of a stream was written; on its last piece. */
      readonly sse?: SseEvent;
    })
  /** Of an HTTP body that holds no message, such as an error page. */
  | (Piece & {
      readonly kind: 'body-bytes';
      readonly direction: Direction;
      readonly exchange: number;
      /** Whether they came in place of a body or behind a damaged one, so they can begin anywhere. */
      readonly isStray?: boolean;
    })
  /** Of an event stream, beside messages: comments, an id or retry alone, blank lines. */
  | (Piece & {
      readonly kind: 'sse-bytes';
      readonly exchange: number;
      readonly id?: string;
      readonly retry?: number;
    })
  | (Piece & { readonly kind: 'stderr-bytes' })
  /** `answers`: what the response may hold, if the exchange is one with an authorization server. */
  | (Unnumbered<HttpRequestRecord> & { readonly answers?: BodyKind })
  | Unnumbered<HttpConnectedRecord>
  | Unnumbered<HttpResponseRecord>
  | Unnumbered<HttpEndRecord>
  | { readonly kind: 'process'; readonly at: number; readonly change: ProcessChange };

/** Receives the events of a transport synchronously: each is recorded before anything else happens. */
export interface WireSink {
  (event: WireEvent): void;
  /** Runs the function that reports everything from one read: all of it is recorded before any of it is acted on. */
  readonly together?: (report: () => void) => void;
}

/** Reports everything from one read, so that our response to the first message is recorded after the last one. */
export const reportTogether = (sink: WireSink, report: () => void): void =>
  sink.together === undefined ? report() : sink.together(report);

/** Why a transport ended. */
export interface Ending {
  /** Whether it ended normally: we closed it, or the server exited without an error. */
  readonly clean: boolean;
  /** One sentence for the user. */
  readonly reason: string;
}

/** A unit to send, with what the transport needs to know about it. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly origin: Origin;
  /** Header lines for the HTTP request that carries it, order and case kept; ignored on stdio. */
  readonly headers?: HeaderLines;
  /** Receives the bytes of this unit; the sink of the transport by default. */
  readonly sink?: (event: WireEvent) => void;
  /** Whether a response is still needed, so that an interrupted stream is resumed. */
  readonly isAwaited?: () => boolean;
}

/** A unit being sent. */
export interface Sending {
  /**
   * Resolves when the exchange that carries the unit has ended: with the fault, or with null if the server accepted the unit.
   * Over HTTP+SSE an accepted request ends only with its response on the stream.
   * No promise on stdio, where nobody can know whether the server took the unit.
   */
  readonly finished: Promise<Fault | null> | null;
  /** Closes the stream that would carry the response (MCP 2026-07-28 cancellation, Streamable HTTP). */
  drop(): void;
}

/** Carries units of bytes to a server and back, without looking inside. */
export interface Transport {
  /**
   * Makes the transport ready to send: starts the process on stdio; over HTTP it reads certificate files, and connects only with the
   * first unit. Rejects with a `FaultError`.
   */
  open(): Promise<void>;
  /** Timestamps, writes and reports one unit, in the order that suits the transport. All its bytes are reported when this returns. */
  send(unit: Outgoing): Sending;
  /** Stops reading until `resume`, so that a fast server waits instead of filling our memory. */
  pause(): void;
  resume(): void;
  /**
   * Ends the server's process if it still runs, and starts another one in its place. Rejects with a `FaultError`. Only on
   * stdio: a server over HTTP is not ours to start.
   */
  readonly restart?: () => Promise<void>;
  /** Shuts down in the order that the transport defines, and waits until nothing is left. Idempotent. */
  close(): Promise<void>;
  /** Resolves when the transport has ended; after a restart, when the new process has. Never rejects. */
  readonly ended: Promise<Ending>;
}

/** Microseconds of this process's monotonic clock, which every recorded timestamp uses. */
export const now = (): number => Math.round(performance.now() * 1000);

/** One instant on both clocks: monotonic in microseconds, and in milliseconds since the Unix epoch. */
export const bothClocks = (): { at: number; wall: number } => ({ at: now(), wall: Date.now() });
