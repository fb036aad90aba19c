import {
  errorCodes,
  type Id,
  idOf,
  type Message,
  isId,
  isObject,
  progressTokenOf,
} from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { Found, RecordedMessage } from '#trace/inspector.ts';
import { opposite, requestKey } from '#trace/rows/relate.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
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
    const key = requestKey(opposite(direction), id);
    this.#open.delete(key);
    this.#answered.delete(key);
    this.#answered.set(key, pair);
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MOST_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
  }

  #request(id: Id, method: string, recorded: RecordedMessage): Found | null {
    const key = requestKey(recorded.direction, id);
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
    const answered = this.#answered.get(requestKey(asker, message.id));
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
    if (typeof id !== 'string') return this.#open.get(requestKey(asker, String(id)));
    return /^-?\d{1,15}$/.test(id) ? this.#open.get(requestKey(asker, Number(id))) : undefined;
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

const PROGRESS = 'notifications/progress';
const CANCELLED = 'notifications/cancelled';

/** Tokens of open requests that are remembered. */
const MOST_OPEN = 10_000;

/** A request that asked for progress. */
interface Asked {
  readonly row: number;
  readonly key: string;
  /** `task`: its result is a task, whose progress goes on under the same token. */
  state: 'open' | 'cancelled' | 'task' | 'answered';
  /** The HTTP exchange that brought the answer. */
  exchange: number | null;
}

/**
 * Follows progress tokens. Progress must name the token of a request that is in progress, and stop when it is answered
 * (MCP 2024-11-05 to 2026-07-28, progress).
 */
export class ProgressCheck {
  readonly #columns: RowColumns;
  /** By who asked and the token; the last request when a token was used twice. The oldest first. */
  readonly #open = new Map<string, Asked>();
  readonly #answered = new Map<string, Asked>();
  readonly #byRow = new Map<number, Asked>();
  /** Sides of whose tokens some are not known, so that none can be called unknown. */
  readonly #unsure = new Set<Direction>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes the next message. */
  look(message: Message, recorded: RecordedMessage): Found | null {
    switch (message.type) {
      case 'request':
        this.#request(message.params, recorded);
        return null;
      case 'result':
        this.#answer(recorded, isTask(message.result));
        return null;
      case 'error':
        this.#answer(recorded, false);
        return null;
      case 'notification':
        if (message.method === CANCELLED) this.#cancel(recorded);
        return message.method === PROGRESS ? this.#progress(message.params, recorded) : null;
    }
  }

  /** A request that is no valid message may hold a token all the same. */
  lookAtFault({ envelope, direction }: RecordedMessage): void {
    if ('fault' in envelope && envelope.salvage.asks) this.#unsure.add(direction);
  }

  #request(params: unknown, { direction, row, isTruncated }: RecordedMessage): void {
    const token = progressTokenOf(params);
    if (token === null) {
      if (isTruncated) this.#unsure.add(direction);
      return;
    }
    const key = requestKey(direction, token);
    const asked: Asked = { row, key, state: 'open', exchange: null };
    this.#forget(this.#open.get(key) ?? this.#answered.get(key));
    this.#open.set(key, asked);
    this.#byRow.set(row, asked);
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest] = this.#open.values();
    this.#forget(oldest);
    this.#unsure.add(direction);
  }

  #answer({ pair, exchange }: RecordedMessage, isTaskMade: boolean): void {
    const asked = pair === null ? undefined : this.#byRow.get(pair);
    if (asked === undefined) return;
    if (isTaskMade) {
      // The token stays valid as long as the task lives (MCP 2025-11-25 tasks, task progress notifications).
      asked.state = 'task';
      return;
    }
    this.#forget(asked);
    this.#answered.set(asked.key, { ...asked, state: 'answered', exchange });
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MOST_ANSWERED && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** The trace has related it to the request that it is about. */
  #cancel({ row }: RecordedMessage): void {
    const request = this.#columns.parent(row);
    const asked = request === null ? undefined : this.#byRow.get(request);
    if (asked?.state === 'open') asked.state = 'cancelled';
  }

  #progress(params: unknown, recorded: RecordedMessage): Found | null {
    // Without a token it is for the schema to say.
    if (!isObject(params) || !isId(params.progressToken)) return null;
    const asker = opposite(recorded.direction);
    const key = requestKey(asker, params.progressToken);
    const asked = this.#open.get(key) ?? this.#answered.get(key);
    const pointer = '/params/progressToken';
    if (asked === undefined) {
      if (this.#unsure.has(asker)) return null;
      const text = 'Progress for a token that no open request gave';
      return broken('progress/unknown-token', recorded, text, { pointer });
    }
    const particulars = { pointer, other: asked.row };
    if (asked.state === 'cancelled') {
      const text =
        'Progress on a request that was cancelled: its work goes on, or it was sent before the cancellation arrived';
      return broken('progress/after-cancel', recorded, text, particulars);
    }
    // Two streams have no order between them: what comes by another one may have been sent before the answer.
    if (asked.state !== 'answered' || asked.exchange !== recorded.exchange) return null;
    const text = 'Progress on a request that was answered before: it must stop with the answer';
    return broken('progress/after-completion', recorded, text, particulars);
  }

  #forget(asked: Asked | undefined): void {
    if (asked === undefined) return;
    this.#open.delete(asked.key);
    this.#answered.delete(asked.key);
    this.#byRow.delete(asked.row);
  }
}

/** The result that stands for work which goes on (MCP 2025-11-25 tasks; the tasks extension of 2026-07-28). */
const isTask = (result: unknown): boolean =>
  isObject(result) && (isObject(result.task) || result.resultType === 'task');
