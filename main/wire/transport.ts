import type { Channel, Direction, Origin, ProcessChange } from '#shared/trace/record.ts';

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

/** What a transport saw, in the order it saw it. */
export type WireEvent =
  | (Piece & {
      readonly kind: 'message-bytes';
      readonly direction: Direction;
      readonly channel: Channel;
      readonly origin?: Origin;
    })
  | (Piece & { readonly kind: 'stderr-bytes' })
  | { readonly kind: 'process'; readonly at: number; readonly change: ProcessChange };

/** Takes what a transport saw, at once: it is on the record before anything else happens. */
export type WireSink = (event: WireEvent) => void;

/** Why nothing further will come. */
export interface Ending {
  /** Whether it ended as it should: we closed it, or the server left without an error. */
  readonly clean: boolean;
  /** One sentence for the user. */
  readonly reason: string;
}

/** Carries units of bytes to a server and back. Knows nothing of what they mean. */
export interface Transport {
  /** Connects. Rejects with a `FaultError` that tells the user what to do. */
  open(): Promise<void>;
  /** Stamps, reports and writes one unit. The sink has been called when this returns. */
  send(bytes: Buffer, origin: Origin): void;
  /** Stops reading until `resume`, so that a fast server waits instead of filling our memory. */
  pause(): void;
  resume(): void;
  /** Ends the connection in the transport's order and waits until nothing is left. Idempotent. */
  close(): Promise<void>;
  /** Settles once, when nothing further will come. Never rejects. */
  readonly ended: Promise<Ending>;
}
