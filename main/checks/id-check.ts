import { errorCodes } from '#shared/protocol/error-codes.ts';
import { type Id, idOf, type Message } from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { Found } from '#trace/inspector.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { broken } from './rules.ts';

/** Answered requests remembered, so that a second answer is told from one to nothing. */
const MOST_ANSWERED = 1000;

/** Codes with which a peer says that it could not even read the id (JSON-RPC 2.0 section 5). */
const unreadable: ReadonlySet<number> = new Set([errorCodes.parseError, errorCodes.invalidRequest]);

/** Follows the ids of one session: whether requests have one of their own, and answers that of a request. */
export class IdCheck {
  readonly #columns: RowColumns;
  /** Rows of requests without an answer, by who asked and the id. */
  readonly #open = new Map<string, number>();
  /** Rows of the last requests that have one, the oldest first. */
  readonly #answered = new Map<string, number>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes the next message. */
  look(message: Message, recorded: RecordedMessage): Found | null {
    if (message.type === 'notification') return null;
    if (message.type === 'request') return this.#request(message.id, message.method, recorded);
    if (recorded.pair === null) return this.#unasked(message, recorded);
    this.close(recorded);
    if (recorded.status !== 'late' || this.#columns.isProbe(recorded.pair)) return null;
    return broken('jsonrpc/late-response', recorded, 'Came after its request was given up', {
      other: recorded.pair,
    });
  }

  /** An answer came, maybe one that is no message: its request is not open any more. */
  close({ envelope, pair, direction }: RecordedMessage): void {
    const id = pair === null ? null : (this.#columns.id(pair) ?? idOf(envelope));
    if (pair === null || id === null) return;
    const key = keyOf(opposite(direction), id);
    this.#open.delete(key);
    this.#answered.delete(key);
    this.#answered.set(key, pair);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MOST_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
  }

  #request(id: Id, method: string, recorded: RecordedMessage): Found | null {
    const key = keyOf(recorded.direction, id);
    const earlier = this.#open.get(key);
    this.#open.set(key, recorded.row);
    if (method.startsWith('notifications/')) {
      const text = `${method} with an id: a notification has none, and gets no answer`;
      return broken('jsonrpc/notification-with-id', recorded, text, { pointer: '/id' });
    }
    if (earlier !== undefined) {
      const text = 'The id is that of an earlier request which has no answer yet';
      return broken('jsonrpc/id-reused', recorded, text, { pointer: '/id', other: earlier });
    }
    if (typeof id === 'string' || Number.isSafeInteger(id)) return null;
    const text = 'The id is beyond 2^53, where many readers of JSON round: the answer may carry another id';
    return broken('jsonrpc/id-too-large', recorded, text, { pointer: '/id' });
  }

  #unasked(message: Message & { type: 'result' | 'error' }, recorded: RecordedMessage): Found | null {
    if (message.id === null) return message.type === 'error' ? withoutId(message.error.code, recorded) : null;
    const asker = opposite(recorded.direction);
    const answered = this.#answered.get(keyOf(asker, message.id));
    if (answered !== undefined) {
      const particulars = { pointer: '/id', other: answered };
      return broken(
        'jsonrpc/duplicate-response',
        recorded,
        'A second answer to the same request',
        particulars,
      );
    }
    const meant = this.#openOfOtherType(asker, message.id);
    if (meant !== undefined) {
      const text = `The id is a ${typeof message.id} in the answer, and was none in the request: no client will match them`;
      return broken('jsonrpc/response-id-type-changed', recorded, text, { pointer: '/id', other: meant });
    }
    const text = 'Answers no request that is open: the id was never used, or was answered before';
    return broken('jsonrpc/unknown-response-id', recorded, text, { pointer: '/id' });
  }

  #openOfOtherType(asker: Direction, id: Id): number | undefined {
    if (typeof id !== 'string') return this.#open.get(keyOf(asker, String(id)));
    return /^-?\d{1,15}$/.test(id) ? this.#open.get(keyOf(asker, Number(id))) : undefined;
  }
}

/**
 * An error that names no request. Over HTTP it answers the POST it came by. Elsewhere it cannot be known what it
 * answers; only what could not be read may be answered so (MCP 2025-11-25 basic, error responses).
 */
function withoutId(code: number, recorded: RecordedMessage): Found | null {
  if (recorded.exchange !== null || unreadable.has(code)) return null;
  const text = 'An error without an id: it cannot be told which request it answers, and who asked waits on';
  return broken('jsonrpc/error-without-id', recorded, text);
}

const keyOf = (asker: Direction, id: Id): string => `${asker} ${typeof id} ${id}`;
const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');
