import { PROGRESS, CANCELLED, LOG_MESSAGE, LISTEN } from '#shared/protocol/methods.ts';
import {
  type Id,
  isId,
  isObject,
  type Message,
  progressTokenOf,
  subjectOf,
} from '#shared/protocol/jsonrpc.ts';
import type { Direction } from '#shared/trace/record.ts';
import type { RowKind } from '#shared/trace/row.ts';
import { Conversations } from './conversations.ts';
import type { RowColumns } from './row-columns.ts';

/** Requests during which the other side may send its own requests and log messages. */
export const methodsWithNestedRequests: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);
const PING = 'ping';

/** Whether a message may belong to a call of the other side: a request that is no ping, or a log message. */
export const seeksCall = (kind: RowKind, method: string | null): boolean =>
  (kind === 'request' && method !== PING) || (kind === 'notification' && method === LOG_MESSAGE);

/** Open requests that are searched for the only one that is pending. */
const MAX_OPEN = 1000;

/** Rows after an exchange that are searched for the requests it carried. */
const MAX_CARRIED = 64;

/**
 * Relates messages: responses to requests, progress and cancellation to their request, rounds to the first request of
 * their conversation, and requests and log messages of one side to the call of the other side they belong to.
 * Depends on rows alone, so that a live session and an opened file get the same result.
 */
export class Relations {
  readonly #columns: RowColumns;
  /** Requests without a response, by sender and id. They stay after a cancellation, because a response may come late. */
  readonly #open = new Map<RequestKey, OpenRequest[]>();
  /** The rows of open requests that asked for progress, by sender and token. */
  readonly #tokens = new Map<RequestKey, number>();
  /** The pending requests of each side during which the other side may send requests and log messages of its own. */
  readonly #possibleParents: Readonly<Record<Direction, Set<number>>> = { in: new Set(), out: new Set() };
  readonly #conversations = new Conversations();
  /**
   * The last unit of each side other than a request after which it has sent no request that was answered: what comes without an id may
   * be about that. Null if there is none.
   */
  readonly #lastNotice: Record<Direction, number | null> = { in: null, out: null };

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /**
   * Adds the next message; returns the earliest changed row.
   *
   * @param at when its last bytes arrived
   */
  add(row: number, message: Message, direction: Direction, at: number): number {
    if (message.type !== 'request') this.#lastNotice[direction] = row;
    switch (message.type) {
      case 'request':
        return this.#request(row, message, direction);
      case 'notification':
        return this.#notification(row, message, direction);
      case 'result':
        return this.#result(row, message, direction, at);
      case 'error':
        this.#columns.setCode(row, message.error.code);
        return this.#response(row, message.id, direction, { status: 'error', at });
    }
  }

  /** Adds an invalid message that names the request it responds to; returns the earliest changed row. */
  addInvalidResponse(row: number, id: Id, direction: Direction, at: number): number {
    // The row of the message stays `invalid`; only its request gets the status of the response.
    const status = this.#columns.status(row);
    const changedFrom = this.#response(row, id, direction, { status: 'invalid', at });
    this.#columns.setStatus(row, status);
    return changedFrom;
  }

  /** Notes a unit that is no message: what comes without an id may be about it. */
  addUnreadable(row: number, direction: Direction): void {
    this.#lastNotice[direction] = row;
  }

  /**
   * Adds a response that is no message; returns the row of the request that it answers, null if it cannot be tied to one. Changes only
   * the request, and whom the row is paired with.
   *
   * @param id null if it cannot be read: then it answers the only pending request
   */
  addUnreadableResponse(row: number, id: Id | null, direction: Direction, at: number): number | null {
    const columns = this.#columns;
    const sender = opposite(direction);
    const known = id ?? this.#idOfOnlyRequest(row, sender);
    const open = known === null ? undefined : this.#openRequest(requestKey(sender, known));
    if (known === null || open === undefined || columns.status(open.row) !== 'pending') return null;
    this.#close(requestKey(sender, known), open);
    const duration = at - columns.at(open.row);
    columns.setPair(row, open.row);
    columns.setPair(open.row, row);
    columns.setDuration(row, duration);
    columns.setDuration(open.row, duration);
    columns.setStatus(open.row, 'invalid');
    // It counts as an error no more: its request does.
    columns.setStatus(row, columns.status(row));
    return open.row;
  }

  /**
   * Marks all pending requests as unanswered when the session ends; returns the earliest changed row.
   *
   * @param isClosing whether we ended the session
   */
  end(isClosing: boolean): number {
    let earliest = this.#columns.count;
    for (const requests of this.#open.values()) {
      for (const { row } of requests) {
        if (this.#columns.status(row) !== 'pending') continue;
        this.#giveUpRequest(row, 'unanswered', isClosing);
        earliest = Math.min(earliest, row);
      }
    }
    this.#possibleParents.in.clear();
    this.#possibleParents.out.clear();
    this.#tokens.clear();
    return earliest;
  }

  #request(row: number, { id, method, params }: Message & { type: 'request' }, direction: Direction): number {
    this.#columns.setId(row, id);
    this.#columns.setStatus(row, 'pending');
    const subject = subjectOf(method, params);
    if (subject !== null) this.#columns.setSubject(row, subject);
    const key = requestKey(direction, id);
    const asked = progressTokenOf(params);
    const token = asked === null ? null : requestKey(direction, asked);
    if (token !== null) this.#tokens.set(token, row);
    const others = this.#open.get(key);
    if (others === undefined) this.#open.set(key, [{ row, token }]);
    else others.push({ row, token });
    // A request that is sent again has its parent already.
    const root = this.#columns.parent(row) ?? this.#conversations.rootOf(params, { method, subject });
    const parent = root ?? (seeksCall('request', method) ? this.#callBehind(row, opposite(direction)) : null);
    if (parent !== null) this.#columns.setParent(row, parent);
    if (methodsWithNestedRequests.has(method)) this.#possibleParents[direction].add(row);
    return row;
  }

  /**
   * The call that a message of the other side belongs to: the one that the same exchange carried (MCP 2025-06-18
   * transports, sending messages), or without exchanges the only call that is pending.
   */
  #callBehind(row: number, caller: Direction): number | null {
    const exchangeRow = this.#columns.exchangeRow(row);
    const isPending = (call: number) => this.#columns.status(call) === 'pending';
    if (exchangeRow !== null) {
      const carried = this.#pendingOn(exchangeRow, caller).filter((call) =>
        this.#possibleParents[caller].has(call),
      );
      return carried.length === 1 ? (carried[0] ?? null) : null;
    }
    let found: number | null = null;
    for (const call of this.#possibleParents[caller]) {
      if (!isPending(call)) this.#possibleParents[caller].delete(call);
      else if (found !== null) return null;
      else found = call;
    }
    return found;
  }

  #notification(row: number, message: Message & { type: 'notification' }, direction: Direction): number {
    const { method, params } = message;
    if (!isObject(params)) return row;
    if (method === PROGRESS && isId(params.progressToken)) {
      const parent = this.#tokens.get(requestKey(opposite(direction), params.progressToken));
      if (parent !== undefined) this.#columns.setParent(row, parent);
    }
    if (method === LOG_MESSAGE) {
      this.#columns.setLog(row, params.level, params.logger);
      const parent = this.#callBehind(row, opposite(direction));
      if (parent !== null) this.#columns.setParent(row, parent);
    }
    if (method === CANCELLED && isId(params.requestId)) {
      const request =
        this.#openRequest(requestKey(direction, params.requestId))?.row ??
        this.#listening(params.requestId, direction);
      if (request === undefined) return row;
      this.#columns.setParent(row, request);
      this.#columns.setStatus(request, 'cancelled');
      return request;
    }
    return row;
  }

  /** A server may end a listen stream, cancelling a request of the other side (MCP 2026-07-28 cancellation). */
  #listening(id: Id, direction: Direction): number | undefined {
    const request = this.#openRequest(requestKey(opposite(direction), id))?.row;
    return request !== undefined && this.#columns.method(request) === LISTEN ? request : undefined;
  }

  #result(
    row: number,
    { id, result }: Message & { type: 'result' },
    direction: Direction,
    at: number,
  ): number {
    const changedFrom = this.#response(row, id, direction, { status: outcomeOf(result), at });
    const request = this.#columns.pair(row);
    const method = request === null ? null : this.#columns.method(request);
    if (request === null || method === null) return changedFrom;
    this.#possibleParents[opposite(direction)].delete(request);
    const root = this.#columns.parent(request) ?? request;
    this.#conversations.addResult(result, { method, subject: this.#columns.subject(request), root });
    return changedFrom;
  }

  #response(
    row: number,
    id: Id | null,
    direction: Direction,
    { status, at }: { readonly status: ResponseStatus; readonly at: number },
  ): number {
    if (id !== null) this.#columns.setId(row, id);
    const requestId = id ?? this.#idOfOnlyRequest(row, opposite(direction));
    const key = requestId === null ? null : requestKey(opposite(direction), requestId);
    const open = key === null ? undefined : this.#openRequest(key);
    if (key === null || open === undefined) {
      this.#columns.setStatus(row, 'orphan');
      return row;
    }
    this.#close(key, open);
    const request = open.row;
    if (request > (this.#lastNotice[opposite(direction)] ?? -1)) this.#lastNotice[opposite(direction)] = null;
    const isLate = this.#columns.status(request) !== 'pending';
    const method = this.#columns.method(request);
    const subject = this.#columns.subject(request);
    const code = this.#columns.code(row);
    const duration = at - this.#columns.at(request);
    if (method !== null) this.#columns.setMethod(row, method);
    if (subject !== null) this.#columns.setSubject(row, subject);
    this.#columns.setPair(row, request);
    this.#columns.setPair(request, row);
    this.#columns.setDuration(row, duration);
    this.#columns.setStatus(row, isLate ? 'late' : status);
    if (!isLate) {
      this.#columns.setDuration(request, duration);
      this.#columns.setStatus(request, status);
      if (code !== null) this.#columns.setCode(request, code);
    }
    return request;
  }

  /**
   * The id of the request that a response without an id answers: the one that its POST carried (MCP 2025-06-18 transports, sending
   * messages); on stdio and on the stream of a GET, the only pending one, unless the response may be about a notification. Null if it
   * could be several.
   */
  #idOfOnlyRequest(row: number, sender: Direction): Id | null {
    const columns = this.#columns;
    const exchangeRow = columns.exchangeRow(row);
    const carried = exchangeRow === null ? [] : this.#pendingOn(exchangeRow, sender);
    const [first] = carried;
    if (first !== undefined) return carried.length === 1 ? columns.id(first) : null;
    if (exchangeRow !== null && columns.method(exchangeRow) !== 'GET') return null;
    return this.#lastNotice[sender] === null ? this.#idOfOnlyPending(sender) : null;
  }

  #idOfOnlyPending(sender: Direction): Id | null {
    const columns = this.#columns;
    let found: number | null = null;
    let count = 0;
    for (const requests of this.#open.values()) {
      for (const { row } of requests) {
        if (++count > MAX_OPEN) return null;
        if (columns.direction(row) !== sender || columns.status(row) !== 'pending') continue;
        if (found !== null) return null;
        found = row;
      }
    }
    return found === null ? null : columns.id(found);
  }

  /**
   * Marks the pending requests of an ended exchange as unanswered or cancelled; returns the earliest changed row.
   */
  giveUp(exchangeRow: number, status: 'unanswered' | 'cancelled', isClosing: boolean): number {
    const rows = this.#pendingOn(exchangeRow, 'out');
    for (const row of rows) this.#giveUpRequest(row, status, isClosing);
    return rows[0] ?? this.#columns.count;
  }

  /** Sets the status of a request without a response. Automatic requests that we cut off by closing are not errors. */
  #giveUpRequest(row: number, status: 'unanswered' | 'cancelled', isClosing: boolean): void {
    if (isClosing && this.#columns.isAutomatic(row)) this.#columns.excludeFromErrors(row);
    this.#columns.setStatus(row, status);
  }

  /** Pending requests of one side that an exchange carried, or the exchange from which it was redirected. */
  #pendingOn(exchangeRow: number, sender: Direction): number[] {
    let first = exchangeRow;
    // In a trace that another program wrote, a redirect may come before its cause: without `from < first` this could
    // loop forever.
    for (let from = this.#columns.parent(first); from !== null && from < first; ) {
      first = from;
      from = this.#columns.parent(first);
    }
    const rows: number[] = [];
    const end = Math.min(first + MAX_CARRIED, this.#columns.count - 1);
    for (let row = first + 1; row <= end; row++) {
      const isCarried = this.#columns.exchangeRow(row) === first && this.#columns.direction(row) === sender;
      if (isCarried && this.#columns.status(row) === 'pending') rows.push(row);
    }
    return rows;
  }

  /** The open request with this id. If the id was used several times: the oldest pending one, else the oldest. */
  #openRequest(key: RequestKey): OpenRequest | undefined {
    const requests = this.#open.get(key);
    if (requests === undefined || requests.length === 1) return requests?.[0];
    return requests.find(({ row }) => this.#columns.status(row) === 'pending') ?? requests[0];
  }

  #close(key: RequestKey, request: OpenRequest): void {
    const others = this.#open.get(key)?.filter((one) => one !== request) ?? [];
    if (others.length > 0) this.#open.set(key, others);
    else this.#open.delete(key);
    // A later request may have reused the token.
    const { row, token } = request;
    if (token !== null && this.#tokens.get(token) === row) this.#tokens.delete(token);
  }
}

/** A request without a response, and the key of its progress token if it has one. */
interface OpenRequest {
  readonly row: number;
  readonly token: RequestKey | null;
}

type ResponseStatus = 'ok' | 'tool-error' | 'error' | 'invalid' | 'input-required';

/** The key of an open request or token. Ids are compared with their type: `1` and `"1"` are different. */
export type RequestKey = string | number;

/** The number itself for our own requests, which are most: a map finds it faster than a text. */
export const requestKey = (sender: Direction, id: Id): RequestKey =>
  sender === 'out' && typeof id === 'number' ? id : `${sender} ${typeof id} ${id}`;
export const opposite = (direction: Direction): Direction => (direction === 'in' ? 'out' : 'in');
function outcomeOf(result: unknown): ResponseStatus {
  if (!isObject(result)) return 'ok';
  // The call continues with a further request (MCP 2026-07-28, multi round-trip requests).
  if (result.resultType === 'input_required') return 'input-required';
  return result.isError === true ? 'tool-error' : 'ok';
}
