import type { RecordedMessage } from '#trace/recorded-message.ts';
import { readDamagedAnswer, readNamedAnswer } from '#trace/units/damaged-answer.ts';
import type { UnitFacts } from './growing-units.ts';
import { type Content, IndexedMessage } from './indexed-message.ts';
import type { Relations } from './relate.ts';
import type { RowColumns } from './row-columns.ts';

/** A unit that is no message, and may be a response. */
export interface UnreadUnit {
  readonly row: number;
  readonly unit: UnitFacts;
  /** When its last bytes arrived. */
  readonly at: number;
  /** Null if it is too large. */
  readonly content: Content | null;
}

/** Relates a response that is no message to its request, if it can be tied to one; returns the earliest changed row. */
export function relateUnreadable(
  columns: RowColumns,
  relations: Relations,
  { row, unit: { direction, exchange, sse, cut }, at, content }: UnreadUnit,
): { readonly unreadable?: RecordedMessage; readonly changedFrom: number } {
  // The end of a stream, or of the process, says more about a unit that it cut.
  if (content === null || cut === true) return { changedFrom: row };
  const name = sse?.name ?? 'message';
  const answer = name === 'message' ? readDamagedAnswer(content) : readNamedAnswer(name, content);
  const request = answer && relations.addUnreadableResponse(row, answer.id, direction, at);
  if (answer === null || request === null) return { changedFrom: row };
  const { id, why, text } = answer;
  const unreadable = new IndexedMessage(columns, row, {
    direction,
    exchange,
    envelope: { defect: 'unreadable', salvage: { id, method: null, asks: false }, why },
    position: 0,
    unit: { text },
    isTruncated: false,
    cut: false,
  });
  return { unreadable, changedFrom: request };
}
