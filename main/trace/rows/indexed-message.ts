import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { RowStatus } from '#shared/trace/row.ts';
import type { EventFields, RecordedMessage, RecordedSseEvent, UnitText } from '#trace/recorded-message.ts';
import type { RowColumns } from './row-columns.ts';

/** The content of a record: bytes as on the wire, or their UTF-8 text. */
export type Content = Buffer | string;

export const bytesIn = (content: Content): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : content;

/** A message, and what it shares with the other messages of its unit. */
interface Carried {
  readonly direction: Direction;
  readonly exchange: number | undefined;
  readonly envelope: Envelope;
  readonly position: number;
  readonly unit: UnitText;
  /** Whether the unit was too large to keep. */
  readonly isTruncated: boolean;
  readonly cut: boolean;
}

/** The text of a unit, which its messages share. Bytes are decoded when it is read first. */
export function unitTextOf(content: Content): UnitText {
  if (typeof content === 'string') return { text: content };
  let text: string | undefined;
  return {
    get text() {
      text ??= content.toString();
      return text;
    },
  };
}

export const noText: UnitText = { text: '' };

/** A message with its row. */
export class IndexedMessage implements RecordedMessage {
  readonly row: number;
  readonly at: number;
  readonly direction: Direction;
  readonly exchange: number | null;
  readonly size: number;
  readonly envelope: Envelope;
  readonly pair: number | null;
  readonly status: RowStatus;
  readonly duration: number | null;
  readonly isTruncated?: true;
  readonly position: number;
  readonly isCut?: true;
  readonly unit: UnitText;

  constructor(columns: RowColumns, row: number, carried: Carried) {
    this.row = row;
    this.at = columns.at(row);
    this.direction = carried.direction;
    this.exchange = carried.exchange ?? null;
    this.size = columns.size(row);
    this.envelope = carried.envelope;
    this.pair = columns.pair(row);
    this.status = columns.status(row);
    this.duration = columns.duration(row);
    this.position = carried.position;
    this.unit = carried.unit;
    if (carried.isTruncated) this.isTruncated = true;
    if (carried.cut) this.isCut = true;
  }
}

/** The event to check; undefined for an event with data only, as most are. */
export function recordedEvent(
  row: number,
  exchange: number | undefined,
  event: EventFields | undefined,
): RecordedSseEvent | undefined {
  if (exchange === undefined || event === undefined) return undefined;
  const { name, id, retry } = event;
  return name === undefined && id === undefined && retry === undefined ? undefined : { row, exchange, event };
}
