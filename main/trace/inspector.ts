import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type {
  Channel,
  Direction,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
} from '#shared/trace/record.ts';
import type { FindingSeverity, NoiseReason, RowStatus } from '#shared/trace/row.ts';
import type { RowColumns } from './rows/row-columns.ts';

/**
 * Checks what each record of a trace carried, in order. An event comes before the messages in its data. Must not throw.
 */
export interface Inspector {
  /** Messages that one record completed, already related to those before. */
  messages(recorded: readonly RecordedMessage[]): readonly Found[];
  noise(noise: RecordedNoise): readonly Found[];
  /** The request, the final response or the end of an exchange. */
  step(step: RecordedStep): readonly Found[];
  /** An event with more than data. */
  event(event: RecordedEvent): readonly Found[];
}

/** Creates the inspector of a new trace, which may read all rows so far. */
export type MakeInspector = (columns: RowColumns) => Inspector;

/** A message on record, with its row and, for a response, its request. */
export interface RecordedMessage {
  readonly row: number;
  readonly at: number;
  readonly direction: Direction;
  /** The HTTP exchange that carried it; null on other transports. */
  readonly exchange: number | null;
  /** Bytes of the unit that held it. */
  readonly size: number;
  readonly envelope: Envelope;
  /** Row of the request it responds to. */
  readonly pair: number | null;
  readonly status: RowStatus;
  /** Microseconds since that request. */
  readonly duration: number | null;
  /** The bytes of the unit as they were on the wire; empty if it was too large to keep. */
  readonly bytes: Buffer;
  /** The unit is so large that deeply nested values and the ends of long strings are missing in the message. */
  readonly isTruncated?: true;
  /** Its position in a batch, from 0. */
  readonly position: number;
  /** The stream ended before the end of the unit. */
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

/** A step of an HTTP exchange, with the row of the exchange. */
export interface RecordedStep {
  readonly row: number;
  readonly record: HttpRequestRecord | HttpResponseRecord | HttpEndRecord;
}

/** The fields of a stream's event beside its data. */
export interface RecordedEvent {
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

/** What is wrong, without where it was found. */
export interface Problem {
  /** Stable name of the rule, such as `schema/invalid`. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly source: 'envelope' | 'schema';
  /** One sentence. May quote untrusted text. */
  readonly text: string;
  /** Where in the message (RFC 6901); null when it is about the whole. */
  readonly pointer: string | null;
  /** The revision with the rule; null if all revisions have it. */
  readonly revision: string | null;
}

/** A problem, the row that shows it, and a further row it refers to. */
export interface Found {
  readonly problem: Problem;
  readonly row: number;
  readonly other: number | null;
}
