import type { FindingSeverity, NoiseReason } from '#shared/trace/row.ts';
import type {
  Channel,
  Direction,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
} from '#shared/trace/record.ts';
import type { RowColumns } from './rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** A unit on a message channel that is no JSON. */
export interface RecordedNoise {
  readonly row: number;
  readonly direction: Direction;
  readonly channel: Channel;
  readonly reason: NoiseReason;
  /** The stream ended inside it. */
  readonly isCut: boolean;
}

/** A step of an HTTP exchange, and the row that the exchange is. */
export interface RecordedStep {
  readonly row: number;
  readonly record: HttpRequestRecord | HttpResponseRecord | HttpEndRecord;
}

/** What an event of a stream carried beside its data. */
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

/** What is wrong, apart from where it was seen. */
export interface Problem {
  /** Stable name of the rule, such as `schema/invalid`. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly source: 'envelope' | 'schema';
  /** One sentence. May quote untrusted text. */
  readonly text: string;
  /** Where in the message (RFC 6901); null when it is about the whole. */
  readonly pointer: string | null;
  /** The revision that says so; null when every revision does. */
  readonly revision: string | null;
}

/** A problem, the row that shows it, and another one that it rests on. */
export interface Found {
  readonly problem: Problem;
  readonly row: number;
  readonly other: number | null;
}

/**
 * Looks at what each record of one trace turned out to carry, in order. An event comes before the messages in its data.
 * Must not throw.
 */
export interface Inspector {
  /** Messages that one record completed, already related to those before. */
  messages(recorded: readonly RecordedMessage[]): readonly Found[];
  noise(noise: RecordedNoise): readonly Found[];
  /** The request, the final response or the end of an exchange. */
  step(step: RecordedStep): readonly Found[];
  /** An event that has more than data. */
  event(event: RecordedEvent): readonly Found[];
}

/** An event to look at; undefined for one that has nothing but data, which most are. */
export function recordedEvent(
  row: number,
  exchange: number | undefined,
  event: EventFields | undefined,
): RecordedEvent | undefined {
  if (exchange === undefined || event === undefined) return undefined;
  const { name, id, retry } = event;
  return name === undefined && id === undefined && retry === undefined ? undefined : { row, exchange, event };
}

/** Makes the inspector of a new trace, which may look at all rows so far. */
export type MakeInspector = (columns: RowColumns) => Inspector;
