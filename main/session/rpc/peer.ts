import type { CallHeader, TimeLeft } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { envelopeDefects, isId, isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import { CANCELLED } from '#shared/protocol/methods.ts';
import { ShortLivedMap } from '#shared/short-lived-map.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Sending } from '#transports/transport.ts';
import { withResolvers } from '#transports/async.ts';
import { type AuthorizationDecision, decidedFault } from '#session/authorizer.ts';
import { type IncomingRequest, IncomingRequests } from './incoming-request.ts';
import { type Outcome, RequestTimeout, type TimeoutOptions, TimeoutTimer, requestText } from './request.ts';

export interface ProgressNote {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface RequestOptions extends TimeoutOptions {
  readonly origin: Origin;
  /** Whether progress restarts the timeout; it does unless this is false. */
  readonly resetOnProgress?: boolean;
  /** Header lines of the user for its HTTP request. */
  readonly headers?: readonly CallHeader[];
  readonly onProgress?: (note: ProgressNote) => void;
  /** Called when the request is sent again, with another id, after an authorization. @param outcome what demanded it */
  readonly onRetry?: (outcome: Outcome, retry: PendingRequest) => void;
}

export interface PendingRequest {
  readonly id: number;
  /** Row of the request in the trace. */
  readonly row: number;
  readonly method: string;
  /** The HTTP exchange that carries it; null on other transports. */
  readonly exchange: number | null;
  readonly outcome: Promise<Outcome>;
  /** Pauses the timeout until the returned function is called. */
  pause(): () => void;
  /** Cancels the request at the server and stops waiting. */
  cancel(reason: string | undefined): void;
  /** Stops waiting without notifying the server; the outcome never settles. */
  abandon(): void;
}

/** A notification that was sent. */
interface SentNotification {
  readonly row: number;
  /** Null on stdio. Over HTTP, resolves with null once the server has accepted the notification, else with the fault. */
  readonly finished: Sending['finished'];
}

/** A message to send. */
export interface PeerMessage {
  readonly text: string;
  readonly origin: Origin;
  /** Whether someone still waits for its response. */
  readonly isAwaited: () => boolean;
  /** Header lines of the user for its HTTP request. */
  readonly headers?: readonly CallHeader[] | undefined;
  /** Row of the request that is sent again. */
  readonly retryOf?: number | undefined;
}

/** Where a peer sends its messages. */
export interface PeerConnection {
  /** Sends one unit. Returns its message, which is recorded by then. */
  send(message: PeerMessage): { readonly recorded: RecordedMessage; readonly sending: Sending };
  /** The challenge of the HTTP response that carried an error; undefined if it had none. */
  challengeOf(error: RecordedMessage): string | undefined;
  /** How the HTTP response that carried a message came: after redirects, or encoded; undefined if neither. */
  deliveryOf(message: RecordedMessage): string | undefined;
  /** The first lines of a message, without secrets. */
  quoteOf(message: RecordedMessage): string | undefined;
  /** The first lines of what came after a row and was no message, without secrets; undefined if nothing. */
  unreadSince(row: number): string | undefined;
  /** Whether a request may be sent again after an authorization. */
  readonly canAuthorize?: boolean;
  /** What to do about the failed request of this exchange. */
  authorize?(
    exchange: number | null,
    attempts: number,
    isWanted: () => boolean,
  ): Promise<AuthorizationDecision>;
}

/** What the era requires of requests. */
export interface PeerBehavior {
  /** Members to add to `_meta` of a request (MCP 2026-07-28 basic, `_meta`); null for none. */
  metaFor(method: string): Readonly<Record<string, unknown>> | null;
  /** Whether a request of this method carries a progress token, which is its id. */
  requestsProgress(method: string): boolean;
  /** Whether closing the response stream cancels its request (MCP 2026-07-28 cancellation). */
  readonly cancelsByDropping: boolean;
}

/** A message of the server other than a response. */
export type ServerMessage =
  | { readonly type: 'request'; readonly request: IncomingRequest }
  | {
      readonly type: 'notification';
      readonly method: string;
      readonly params: unknown;
      readonly recorded: RecordedMessage;
    };

interface SentRequest {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  /** Whether someone still waits for its response. */
  readonly awaited: { isAwaited: boolean };
}

interface Waiting extends Pick<SentRequest, 'options' | 'awaited'> {
  readonly pending: PendingRequest;
  readonly settle: (outcome: Outcome) => void;
  readonly sending: Sending;
  readonly timeout: RequestTimeout;
}

/** How long the connection of a cancelled or timed-out request stays open, in milliseconds, to record a late response. */
const LATE_TIME = 60_000;

/** The one method whose requests must not be cancelled (MCP cancellation, behavior requirements). */
export const neverCancelled = 'initialize';

/**
 * One end of a JSON-RPC connection: settles each request when the trace has paired a response with it, enforces timeouts,
 * and passes on everything else. It knows nothing about the meaning of methods.
 */
export class Peer {
  readonly #connection: PeerConnection;
  readonly #behavior: PeerBehavior;
  /** The requests that wait for their response, by row. */
  readonly #waitingByRow = new ShortLivedMap<number, Waiting>();
  readonly #timer = new TimeoutTimer(() => [...this.#waitingByRow.values()].map(({ timeout }) => timeout));
  readonly #incoming = new IncomingRequests((text, origin) =>
    this.#ending === null ? this.#connection.send({ text, origin, isAwaited: () => false }) : null,
  );
  #lastId = 0;
  #ending: string | null = null;

  constructor(connection: PeerConnection, behavior: PeerBehavior) {
    this.#connection = connection;
    this.#behavior = behavior;
  }

  /** Sends a request. `params` is the JSON text of an object, so that numbers keep their digits. */
  request(method: string, params: string | null, options: RequestOptions): PendingRequest {
    const first = this.#request(method, params, options);
    if (this.#connection.canAuthorize !== true) return first;
    const sendAgain = (outcome: Outcome, retryOf: number) => {
      const retry = this.#request(method, params, options, retryOf);
      options.onRetry?.(outcome, retry);
      return retry;
    };
    return this.#authorized(first, sendAgain);
  }

  /** A request that is sent again, with another id, after an authorization that its response demanded. */
  #authorized(
    first: PendingRequest,
    sendAgain: (outcome: Outcome, retryOf: number) => PendingRequest,
  ): PendingRequest {
    let current = first;
    let isCancelled = false;
    const follow = async (): Promise<Outcome> => {
      for (let attempts = 0; ; attempts++) {
        const outcome = await current.outcome;
        if (outcome.type !== 'failed' && outcome.type !== 'error') return outcome;
        const isWanted = () => !isCancelled;
        const decision = await this.#connection.authorize?.(current.exchange, attempts, isWanted);
        if (isCancelled) return { type: 'cancelled' };
        if (decision === null || decision === undefined) return outcome;
        if (decision !== 'retry') {
          const usual = outcome.type === 'failed' ? outcome.fault : null;
          return { type: 'failed', fault: decidedFault(decision, usual), row: current.row };
        }
        current = sendAgain(outcome, current.row);
      }
    };
    return {
      ...first,
      outcome: follow(),
      pause: () => current.pause(),
      cancel: (reason) => {
        isCancelled = true;
        current.cancel(reason);
      },
      abandon: () => current.abandon(),
    };
  }

  #request(method: string, params: string | null, options: RequestOptions, retryOf?: number): PendingRequest {
    if (this.#ending !== null) return closedRequest(method, this.#ending);
    const id = ++this.#lastId;
    const progress = this.#behavior.requestsProgress(method) ? { progressToken: id } : null;
    const awaited = { isAwaited: true };
    const { recorded, sending } = this.#connection.send({
      text: requestText(id, method, params, { ...progress, ...this.#behavior.metaFor(method) }),
      origin: options.origin,
      isAwaited: () => awaited.isAwaited,
      headers: options.headers,
      retryOf,
    });
    return this.#wait({ id, method, options, awaited }, recorded, sending);
  }

  /** Requests without a response, in the order they were sent. */
  get pending(): PendingRequest[] {
    return [...this.#waitingByRow.values()].map(({ pending }) => pending);
  }

  /** The request in a row; undefined unless it waits for its response. */
  pendingAt(row: number): PendingRequest | undefined {
    return this.#waitingByRow.get(row)?.pending;
  }

  /** How long the request in a row may still take; null unless it waits for its response. */
  timeLeft(row: number): TimeLeft | null {
    const waiting = this.#waitingByRow.get(row);
    if (waiting === undefined) return null;
    const { idle, total, isPaused } = waiting.timeout.left;
    // Without a restart on progress, the idle timeout is the last one.
    const atMost = waiting.options.resetOnProgress === false ? idle : total;
    return { left: finite(idle), atMost: finite(atMost), isPaused };
  }

  /** An id for a request of the user, which no other request gets. */
  reserveId(): number {
    return ++this.#lastId;
  }

  /** Notes an id that the user sent manually, so that no later request gets it. */
  noteId(id: unknown): void {
    if (typeof id === 'number' && Number.isSafeInteger(id)) this.#lastId = Math.max(this.#lastId, id);
  }

  /** Sends a notification. Returns null if the session has ended. */
  notify(method: string, params: unknown, origin: Origin): SentNotification | null {
    if (this.#ending !== null) return null;
    const text = JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) });
    const { recorded, sending } = this.#connection.send({ text, origin, isAwaited: () => false });
    return { row: recorded.row, finished: sending.finished };
  }

  /** Resolves when no response is still being sent over HTTP, whether accepted or not; at once on stdio. */
  responsesSent(): Promise<void> {
    return this.#incoming.responsesSent();
  }

  /**
   * Reads a message of the server. Settles our request if it is a response, returns it otherwise. A returned request
   * needs a response, unless the server cancels it.
   */
  receive(recorded: RecordedMessage): ServerMessage | null {
    if ('defect' in recorded.envelope) {
      const { defect, salvage } = recorded.envelope;
      this.#take(recorded.pair)?.settle({
        type: 'invalid',
        reason: recorded.envelope.why ?? envelopeDefects[defect],
        recorded,
        quote: this.#connection.quoteOf(recorded),
      });
      const { id, method } = salvage;
      // A request with bad params needs a response like any other request.
      if (defect === 'bad-params' && id !== null && method !== null) {
        const malformed = { id, method, params: undefined };
        return { type: 'request', request: this.#incoming.take(malformed, recorded, true) };
      }
      return null;
    }
    const { message } = recorded.envelope;
    if ('id' in message && recorded.pair === null) this.#settleOtherType(message, recorded);
    switch (message.type) {
      case 'result':
        this.#take(recorded.pair)?.settle({ type: 'result', result: message.result, recorded });
        return null;
      case 'error':
        this.#take(recorded.pair)?.settle({
          type: 'error',
          error: message.error,
          recorded,
          challenge: this.#connection.challengeOf(recorded),
          delivery: this.#connection.deliveryOf(recorded),
        });
        return null;
      case 'request':
        return { type: 'request', request: this.#incoming.take(message, recorded) };
      case 'notification':
        if (message.method === 'notifications/progress') this.#progress(message.params);
        return { type: 'notification', method: message.method, params: message.params, recorded };
    }
  }

  /** Ends the session: sends nothing more and settles all pending requests. */
  end(reason: string): void {
    this.#ending = reason;
    for (const row of this.#waitingByRow.keys()) this.#take(row)?.settle({ type: 'closed', reason });
    this.#timer.stop();
  }

  /** Sends again after `end`, because the server was started again. */
  begin(): void {
    this.#ending = null;
  }

  /** Fails all pending requests because the server lost the session; new ones can be sent. */
  fail(fault: Fault): void {
    for (const row of this.#waitingByRow.keys()) this.#take(row)?.settle({ type: 'failed', fault, row });
  }

  /** Waits for the response. A separate method, so that its long-lived closures do not retain the text of the request. */
  #wait(
    { id, method, options, awaited }: SentRequest,
    { row, exchange }: RecordedMessage,
    sending: Sending,
  ): PendingRequest {
    const { promise: outcome, resolve: settle } = withResolvers<Outcome>();
    const timeout = new RequestTimeout(options, this.#timer, (waited) => this.#timeOut(row, waited));
    const pending: PendingRequest = {
      id,
      row,
      method,
      exchange,
      outcome,
      pause: () => timeout.pause(),
      cancel: (reason) => this.#cancel(row, reason),
      abandon: () => void this.#take(row),
    };
    this.#waitingByRow.set(row, { pending, options, awaited, settle, sending, timeout });
    void sending.finished?.then((fault) => {
      if (fault !== null) this.#take(row)?.settle({ type: 'failed', fault, row });
    });
    return pending;
  }

  /** Settles the request that a response names by the text of its id: ids are numbers here, and no client takes one for the other. */
  #settleOtherType(message: Message, recorded: RecordedMessage): void {
    if (message.type !== 'result' && message.type !== 'error') return;
    const meant = [...this.#waitingByRow.values()].find(({ pending }) => message.id === String(pending.id));
    if (meant === undefined) return;
    const { id, row } = meant.pending;
    const reason = `its id is the text "${id}", and that of the request is the number ${id}`;
    const quote = this.#connection.quoteOf(recorded);
    this.#take(row)?.settle({ type: 'invalid', reason, recorded, quote });
  }

  #take(row: number | null): Waiting | undefined {
    if (row === null) return undefined;
    const waiting = this.#waitingByRow.delete(row);
    if (waiting === undefined) return undefined;
    waiting.awaited.isAwaited = false;
    waiting.timeout.stop();
    return waiting;
  }

  #progress(params: unknown): void {
    if (!isObject(params) || !isId(params.progressToken) || typeof params.progress !== 'number') return;
    for (const { pending, options, timeout } of this.#waitingByRow.values()) {
      // The progress token of a request is always its id.
      if (pending.id !== params.progressToken) continue;
      options.onProgress?.({
        progress: params.progress,
        total: typeof params.total === 'number' ? params.total : null,
        message: typeof params.message === 'string' ? params.message : null,
      });
      if (options.resetOnProgress !== false) timeout.restart();
      return;
    }
  }

  #timeOut(row: number, waited: number): void {
    const waiting = this.#take(row);
    if (waiting === undefined) return;
    this.#notifyCancelled(waiting, `timed out after ${Math.round(waited)} ms`, 'automatic');
    waiting.settle({ type: 'timeout', waited, quote: this.#connection.unreadSince(row) });
  }

  #cancel(row: number, reason: string | undefined): void {
    const waiting = this.#take(row);
    if (waiting === undefined) return;
    this.#notifyCancelled(waiting, reason, waiting.options.origin);
    waiting.settle({ type: 'cancelled' });
  }

  #notifyCancelled(
    { pending: { id, method }, sending }: Waiting,
    reason: string | undefined,
    origin: Origin,
  ): void {
    if (method === neverCancelled) return;
    if (this.#behavior.cancelsByDropping) return sending.drop();
    // A late response is still recorded, but the connection does not stay open forever.
    if (sending.finished !== null) setTimeout(() => sending.drop(), LATE_TIME).unref();
    this.notify(CANCELLED, { requestId: id, ...(reason && { reason }) }, origin);
  }
}

const finite = (milliseconds: number): number | null => (Number.isFinite(milliseconds) ? milliseconds : null);

const closedRequest = (method: string, reason: string): PendingRequest => ({
  id: -1,
  row: -1,
  method,
  exchange: null,
  pause: () => () => undefined,
  outcome: Promise.resolve({ type: 'closed', reason }),
  cancel: () => {},
  abandon: () => {},
});
