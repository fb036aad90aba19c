import { PROGRESS, CANCELLED } from '#shared/protocol/methods.ts';
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
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { opposite, type RequestKey, requestKey } from '#trace/rows/relate.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { newFinding } from './rules.ts';

/** Answered requests to remember at least, to tell a second response from an unknown one. */
const MIN_ANSWERED = 1000;
/** Limit of answered requests to remember. */
const MAX_ANSWERED = 1250;

/** Codes by which a peer reports that it could not read the id (JSON-RPC 2.0 section 5). */
const unreadable: ReadonlySet<number> = new Set([errorCodes.parseError, errorCodes.invalidRequest]);

/** Checks the ids of a session: requests must have unique ids, and responses the id of a request. */
export class IdCheck {
  readonly #columns: RowColumns;
  /** Rows of open requests, by sender and id. */
  readonly #open = new Map<RequestKey, number>();
  /** Rows of the latest answered requests, the oldest first. */
  readonly #answered = new Map<RequestKey, number>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Checks the next message. */
  check(message: Message, recorded: RecordedMessage): NewFinding | null {
    if (message.type === 'notification') return null;
    if (message.type === 'request') return this.#request(message.id, message.method, recorded);
    if (recorded.pair === null) return this.#unmatched(message, recorded);
    this.close(recorded);
    if (message.type === 'error' && message.id === null) return withoutId(message.error.code, recorded);
    if (recorded.status !== 'late' || this.#columns.isProbe(recorded.pair)) return null;
    return newFinding('jsonrpc/late-response', recorded, 'Came after its request was given up', {
      other: recorded.pair,
    });
  }

  /** Closes the request of a response, which may be an invalid message. */
  close({ envelope, pair, direction }: RecordedMessage): void {
    const id = pair === null ? null : (this.#columns.id(pair) ?? idOf(envelope));
    if (pair === null || id === null) return;
    const key = requestKey(opposite(direction), id);
    this.#open.delete(key);
    this.#answered.delete(key);
    this.#answered.set(key, pair);
    forgetOldest(this.#answered);
  }

  #request(id: Id, method: string, recorded: RecordedMessage): NewFinding | null {
    const key = requestKey(recorded.direction, id);
    const earlier = this.#open.get(key);
    this.#open.set(key, recorded.row);
    if (method.startsWith('notifications/')) {
      const text = `${method} with an id: a notification has none, and gets no answer`;
      return newFinding('jsonrpc/notification-with-id', recorded, text, { pointer: '/id' });
    }
    if (earlier !== undefined) {
      const text = 'The id is that of an earlier request which has no answer yet';
      return newFinding('jsonrpc/id-reused', recorded, text, { pointer: '/id', other: earlier });
    }
    if (typeof id === 'string' || Number.isSafeInteger(id)) return null;
    const text = 'The id is beyond 2^53, where many readers of JSON round: the answer may carry another id';
    return newFinding('jsonrpc/id-too-large', recorded, text, { pointer: '/id' });
  }

  #unmatched(message: Message & { type: 'result' | 'error' }, recorded: RecordedMessage): NewFinding | null {
    if (message.id === null) return message.type === 'error' ? withoutId(message.error.code, recorded) : null;
    const sender = opposite(recorded.direction);
    const answered = this.#answered.get(requestKey(sender, message.id));
    if (answered !== undefined) {
      const particulars = { pointer: '/id', other: answered };
      return newFinding(
        'jsonrpc/duplicate-response',
        recorded,
        'A second answer to the same request',
        particulars,
      );
    }
    const meant = this.#openOfOtherType(sender, message.id);
    if (meant !== undefined) {
      const text = `The id is a ${typeof message.id === 'string' ? 'string' : 'number'}, but that of the request has the other type: no client will match them`;
      return newFinding('jsonrpc/response-id-type-changed', recorded, text, { pointer: '/id', other: meant });
    }
    const text = 'Responds to no pending request: the id was never used, or its response came long ago';
    return newFinding('jsonrpc/unknown-response-id', recorded, text, { pointer: '/id' });
  }

  #openOfOtherType(sender: Direction, id: Id): number | undefined {
    if (typeof id !== 'string') return this.#open.get(requestKey(sender, String(id)));
    return /^-?\d{1,15}$/.test(id) ? this.#open.get(requestKey(sender, Number(id))) : undefined;
  }
}

/**
 * Checks an error without an id. Over HTTP it responds to the POST that carried it. On other transports its request is
 * unknown, so it is allowed only for requests that could not be read (MCP 2025-11-25 basic, error responses).
 */
function withoutId(code: number, recorded: RecordedMessage): NewFinding | null {
  if (recorded.exchange !== null || unreadable.has(code)) return null;
  const text = 'An error without an id: most clients do not know which request it answers, and keep waiting';
  return newFinding('jsonrpc/error-without-id', recorded, text);
}

/** Limit of open tokens to remember. */
const MAX_OPEN = 10_000;

/** A request that asked for progress. */
interface TokenRequest {
  readonly row: number;
  readonly key: RequestKey;
  /** `task`: its result is a task, whose progress goes on under the same token. */
  state: 'open' | 'cancelled' | 'task' | 'answered';
  /** The HTTP exchange that carried the response. */
  exchange: number | null;
}

/**
 * Checks progress tokens. Progress must name the token of a request that is in progress, and stop when it is answered
 * (MCP 2024-11-05 to 2026-07-28, progress).
 */
export class ProgressCheck {
  readonly #columns: RowColumns;
  /** By sender and token; the latest request if a token was reused. The oldest first. */
  readonly #open = new Map<RequestKey, TokenRequest>();
  readonly #answered = new Map<RequestKey, TokenRequest>();
  readonly #byRow = new Map<number, TokenRequest>();
  /** Sides with tokens that we may have missed, so that none can be reported as unknown. */
  readonly #unsure = new Set<Direction>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Checks the next message. */
  check(message: Message, recorded: RecordedMessage): NewFinding | null {
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

  /** An invalid request may still contain a token. */
  checkInvalid({ envelope, direction }: RecordedMessage): void {
    if ('defect' in envelope && envelope.salvage.asks) this.#unsure.add(direction);
  }

  #request(params: unknown, { direction, row, isTruncated }: RecordedMessage): void {
    const token = progressTokenOf(params);
    if (token === null) {
      if (isTruncated) this.#unsure.add(direction);
      return;
    }
    const key = requestKey(direction, token);
    const request: TokenRequest = { row, key, state: 'open', exchange: null };
    this.#forget(this.#open.get(key) ?? this.#answered.get(key));
    this.#open.set(key, request);
    this.#byRow.set(row, request);
    if (this.#open.size <= MAX_OPEN) return;
    const [oldest] = this.#open.values();
    this.#forget(oldest);
    this.#unsure.add(direction);
  }

  #answer({ pair, exchange }: RecordedMessage, isTaskMade: boolean): void {
    const request = pair === null ? undefined : this.#byRow.get(pair);
    if (request === undefined) return;
    if (isTaskMade) {
      // The token stays valid as long as the task lives (MCP 2025-11-25 tasks, task progress notifications).
      request.state = 'task';
      return;
    }
    this.#forget(request);
    this.#answered.set(request.key, { ...request, state: 'answered', exchange });
    forgetOldest(this.#answered);
  }

  /** The trace has related it to its request. */
  #cancel({ row }: RecordedMessage): void {
    const requestRow = this.#columns.parent(row);
    const request = requestRow === null ? undefined : this.#byRow.get(requestRow);
    if (request?.state === 'open') request.state = 'cancelled';
  }

  #progress(params: unknown, recorded: RecordedMessage): NewFinding | null {
    // The schema reports a missing token.
    if (!isObject(params) || !isId(params.progressToken)) return null;
    const sender = opposite(recorded.direction);
    const key = requestKey(sender, params.progressToken);
    const request = this.#open.get(key) ?? this.#answered.get(key);
    const pointer = '/params/progressToken';
    if (request === undefined) {
      if (this.#unsure.has(sender)) return null;
      const text = 'Progress for a token that no open request gave';
      return newFinding('progress/unknown-token', recorded, text, { pointer });
    }
    const particulars = { pointer, other: request.row };
    if (request.state === 'cancelled') {
      const text =
        'Progress on a request that was cancelled: its work goes on, or it was sent before the cancellation arrived';
      return newFinding('progress/after-cancel', recorded, text, particulars);
    }
    // Streams are not ordered among each other: progress on another one may have been sent before the response.
    if (request.state !== 'answered' || request.exchange !== recorded.exchange) return null;
    const text = 'Progress on a request that was answered before: it must stop with the answer';
    return newFinding('progress/after-completion', recorded, text, particulars);
  }

  #forget(request: TokenRequest | undefined): void {
    if (request === undefined) return;
    this.#open.delete(request.key);
    this.#answered.delete(request.key);
    this.#byRow.delete(request.row);
  }
}

/** Removes the oldest entries once there are too many. All at once, because a map passes those removed before to find the next. */
function forgetOldest(answered: Map<RequestKey, unknown>): void {
  if (answered.size <= MAX_ANSWERED) return;
  for (const key of answered.keys()) {
    if (answered.size <= MIN_ANSWERED) return;
    answered.delete(key);
  }
}

/** A result that is a task, whose work continues (MCP 2025-11-25 tasks; the tasks extension of 2026-07-28). */
const isTask = (result: unknown): boolean =>
  isObject(result) && (isObject(result.task) || result.resultType === 'task');
