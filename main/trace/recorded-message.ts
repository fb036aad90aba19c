import type { Envelope } from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { RowStatus } from '#shared/trace/row.ts';

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
  /** Row of the request it answers. */
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
