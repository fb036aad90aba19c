import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type {
  Channel,
  Direction,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
} from '#shared/trace/record.ts';
import type { NoiseReason, RowStatus } from '#shared/trace/row.ts';

/** A unit as it was on the wire. */
export interface UnitText {
  /** Empty if it was too large to keep. */
  readonly text: string;
}

/** A message in the trace, with its row and, for a response, its request. */
export interface RecordedMessage {
  readonly row: number;
  readonly at: number;
  readonly direction: Direction;
  /** Id of the HTTP exchange that carried it; null on other transports. */
  readonly exchange: number | null;
  /** Size in bytes of the unit that held it. */
  readonly size: number;
  readonly envelope: Envelope;
  /** Row of the request that it responds to; null for any other message. */
  readonly pair: number | null;
  readonly status: RowStatus;
  /** Of a response: microseconds since its request. */
  readonly duration: number | null;
  /** The unit that held it, which the messages of a batch share. */
  readonly unit: UnitText;
  /** Set if the unit is so large that deeply nested values and the ends of long strings are missing in `envelope`. */
  readonly isTruncated?: true;
  /** Its position in a batch, from 0. */
  readonly position: number;
  /** Set if the stream ended before the end of the unit. */
  readonly isCut?: true;
}

/** A unit on a message channel that is not JSON. */
export interface RecordedNoise {
  readonly row: number;
  readonly direction: Direction;
  readonly channel: Channel;
  readonly reason: NoiseReason;
  /** Whether the stream ended inside it. */
  readonly isCut: boolean;
}

/** A record of an HTTP exchange (its request, its response or its end), with the row of the exchange. */
export interface RecordedExchangeStep {
  readonly row: number;
  readonly record: HttpRequestRecord | HttpResponseRecord | HttpEndRecord;
}

/** An SSE event that has more than data, with its row. */
export interface RecordedSseEvent {
  readonly row: number;
  readonly exchange: number;
  readonly event: EventFields;
}

/** The fields of an event other than its data. */
export interface EventFields {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  readonly retry?: number | undefined;
}
