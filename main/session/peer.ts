import type { Fault } from '#shared/contract/fault.ts';
import { errorCodes } from '#shared/protocol/error-codes.ts';
import {
  envelopeFaults,
  idText,
  isId,
  isObject,
  type Message,
  type RpcError,
} from '#shared/protocol/jsonrpc.ts';
import type { Origin } from '#shared/trace/record.ts';
import type { Seen } from '#trace/row-index.ts';
import type { Sending } from '#wire/transport.ts';

/** What a request came to. Errors are ordinary outcomes here: the server under test may do anything. */
export type Outcome =
  | { readonly type: 'result'; readonly result: unknown; readonly seen: Seen }
  | { readonly type: 'error'; readonly error: RpcError; readonly seen: Seen }
  /** An answer with the right id that is no valid message. */
  | { readonly type: 'invalid'; readonly problem: string; readonly seen: Seen }
  | { readonly type: 'timeout'; readonly waited: number }
  | { readonly type: 'cancelled' }
  /** It was not taken, or no answer can come any more by the way it was sent. */
  | { readonly type: 'undelivered'; readonly fault: Fault; readonly row: number }
  /** The session ended first. */
  | { readonly type: 'closed'; readonly reason: string };

export interface ProgressNote {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface RequestOptions {
  readonly origin: Origin;
  /** Milliseconds without an answer or progress (MCP 2025-06-18 lifecycle, timeouts). */
  readonly timeout: number;
  /** Milliseconds in all, whatever progress comes. */
  readonly maxTimeout: number;
  /** Whether progress starts the time anew; it does unless this is false. */
  readonly resetOnProgress?: boolean;
  readonly onProgress?: (note: ProgressNote) => void;
}

export interface PendingRequest {
  readonly id: number;
  /** Row of the request in the trace. */
  readonly row: number;
  readonly outcome: Promise<Outcome>;
  /** Tells the server to stop and stops waiting. */
  cancel(reason: string | undefined): void;
  /** Stops waiting without a word; the outcome never comes. */
  abandon(): void;
}

/** One message on its way out. */
export interface PeerMessage {
  readonly text: string;
  readonly origin: Origin;
  /** Whether its answer is still waited for. */
  readonly isAwaited: () => boolean;
}

/** How a peer reaches the other side, and what the era in force wants of it. */
export interface PeerLink {
  /** Records and writes one unit; gives what the trace made of it. */
  send(message: PeerMessage): { readonly seen: Seen | undefined; readonly sending: Sending };
  /** What `_meta` of a request has to hold beside its own (MCP 2026-07-28 basic, `_meta`); null for nothing. */
  metaFor(method: string): Readonly<Record<string, unknown>> | null;
  /** Whether a request of this method asks to be told of its progress, with its id as the token. */
  asksForProgress(method: string): boolean;
  /** Whether closing the stream of an answer cancels its request (MCP 2026-07-28 cancellation). */
  cancelsByDropping(): boolean;
}

/** What the session does with what the server sends unasked. */
export interface PeerListener {
  /**
   * The result for a request of the server, or an error; undefined when the method is not supported, null when
   * there must be no answer at all.
   */
  request(method: string, params: unknown): { result: unknown } | { error: RpcError } | undefined | null;
  notification(method: string, params: unknown): void;
}

interface Waiting {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly startedAt: number;
  readonly settle: (outcome: Outcome) => void;
  readonly sending: Sending;
  timer: NodeJS.Timeout;
}

/** Milliseconds that an answer may come late, after its request was given up. */
const LATE_TIME = 60_000;

/** Milliseconds; a timer that is set to more runs at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** `initialize` must not be cancelled (MCP cancellation, behavior requirements). */
const neverCancelled = 'initialize';

/**
 * One end of a JSON-RPC conversation: matches answers to requests, keeps time, passes on the rest. Works on
 * what the trace has already related; decides nothing about what a method means.
 */
export class Peer {
  readonly #link: PeerLink;
  readonly #listener: PeerListener;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ending: string | null = null;

  constructor(link: PeerLink, listener: PeerListener) {
    this.#link = link;
    this.#listener = listener;
  }

  /** Sends a request. `params` is the JSON text of an object, so that numbers go out as they are written. */
  request(method: string, params: string | null, options: RequestOptions): PendingRequest {
    if (this.#ending !== null) return closedRequest(this.#ending);
    const id = ++this.#lastId;
    const progress = this.#link.asksForProgress(method) ? { progressToken: id } : null;
    const meta = { ...progress, ...this.#link.metaFor(method) };
    const whole = Object.keys(meta).length === 0 ? params : withMeta(params, meta);
    const tail = whole === null ? '' : `,"params":${whole}`;
    let row = -1;
    const { seen, sending } = this.#link.send({
      text: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${tail}}`,
      origin: options.origin,
      // Until its row is known, nothing can have settled it.
      isAwaited: () => row === -1 || this.#waiting.has(row),
    });
    if (seen === undefined) throw new Error(`a request for ${method} is no request on the record`);
    row = seen.row;
    return this.#wait(id, method, row, sending, options);
  }

  /** Takes note of an id that the user sent by hand, so that it is not used twice. */
  noteId(id: unknown): void {
    if (typeof id === 'number' && Number.isSafeInteger(id)) this.#lastId = Math.max(this.#lastId, id);
  }

  /** Sends a notification; gives what settles once the server has taken it, null where that cannot be known. */
  notify(method: string, params: unknown, origin: Origin): Sending['over'] {
    return this.#write(
      JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }),
      origin,
    );
  }

  /** Takes a message the server sent. */
  accept(seen: Seen): void {
    if ('fault' in seen.envelope) {
      const waiting = this.#take(seen.pair);
      waiting?.settle({ type: 'invalid', problem: envelopeFaults[seen.envelope.fault], seen });
      return;
    }
    const { message } = seen.envelope;
    switch (message.type) {
      case 'result':
        this.#take(seen.pair)?.settle({ type: 'result', result: message.result, seen });
        return;
      case 'error':
        this.#take(seen.pair)?.settle({ type: 'error', error: message.error, seen });
        return;
      case 'request':
        this.#answer(message);
        return;
      case 'notification':
        if (message.method === 'notifications/progress') this.#progress(message.params);
        this.#listener.notification(message.method, message.params);
    }
  }

  /** The session ended: nothing more is sent, and nobody waits any longer. */
  end(reason: string): void {
    this.#ending = reason;
    for (const row of this.#waiting.keys()) this.#take(row)?.settle({ type: 'closed', reason });
  }

  /** The session the server knew is gone, though we go on: nobody waits any longer. */
  fail(fault: Fault): void {
    for (const row of this.#waiting.keys()) this.#take(row)?.settle({ type: 'undelivered', fault, row });
  }

  /** Sends what is not answered. */
  #write(text: string, origin: Origin): Sending['over'] {
    if (this.#ending !== null) return null;
    return this.#link.send({ text, origin, isAwaited: () => false }).sending.over;
  }

  /** By itself, because what it returns lives long, and the request that was sent may be large. */
  #wait(id: number, method: string, row: number, sending: Sending, options: RequestOptions): PendingRequest {
    const outcome = new Promise<Outcome>((settle) => {
      const startedAt = performance.now();
      const timer = this.#startTimer(row, options, startedAt);
      this.#waiting.set(row, { id, method, options, startedAt, settle, sending, timer });
    });
    void sending.over?.then((fault) => {
      if (fault !== null) this.#take(row)?.settle({ type: 'undelivered', fault, row });
    });
    return {
      id,
      row,
      outcome,
      cancel: (reason) => this.#cancel(row, reason),
      abandon: () => void this.#take(row),
    };
  }

  #take(row: number | null): Waiting | undefined {
    if (row === null) return undefined;
    const waiting = this.#waiting.get(row);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(row);
    clearTimeout(waiting.timer);
    return waiting;
  }

  #answer({ id, method, params }: Message & { type: 'request' }): void {
    const given = this.#listener.request(method, params);
    if (given === null) return;
    const answer = given ?? {
      error: { code: errorCodes.methodNotFound, message: `Method not found: ${method}` },
    };
    void this.#write(`{"jsonrpc":"2.0","id":${idText(id)},${JSON.stringify(answer).slice(1)}`, 'automatic');
  }

  #progress(params: unknown): void {
    if (!isObject(params) || !isId(params.progressToken) || typeof params.progress !== 'number') return;
    for (const [row, waiting] of this.#waiting) {
      // We always use a request's id as its token.
      if (waiting.id !== params.progressToken) continue;
      waiting.options.onProgress?.({
        progress: params.progress,
        total: typeof params.total === 'number' ? params.total : null,
        message: typeof params.message === 'string' ? params.message : null,
      });
      if (waiting.options.resetOnProgress !== false) this.#restart(row, waiting);
      return;
    }
  }

  /** Progress starts the time anew, but never beyond the maximum. */
  #restart(row: number, waiting: Waiting): void {
    clearTimeout(waiting.timer);
    waiting.timer = this.#startTimer(row, waiting.options, waiting.startedAt);
  }

  #startTimer(row: number, { timeout, maxTimeout }: RequestOptions, startedAt: number): NodeJS.Timeout {
    const left = Math.max(0, startedAt + maxTimeout - performance.now());
    return setTimeout(() => this.#timeOut(row), Math.min(timeout, left, LONGEST_TIMER));
  }

  #timeOut(row: number): void {
    const waiting = this.#take(row);
    if (waiting === undefined) return;
    const waited = performance.now() - waiting.startedAt;
    this.#tellCancelled(waiting, `timed out after ${Math.round(waited)} ms`, 'automatic');
    waiting.settle({ type: 'timeout', waited });
  }

  #cancel(row: number, reason: string | undefined): void {
    const waiting = this.#take(row);
    if (waiting === undefined) return;
    this.#tellCancelled(waiting, reason, waiting.options.origin);
    waiting.settle({ type: 'cancelled' });
  }

  #tellCancelled({ id, method, sending }: Waiting, reason: string | undefined, origin: Origin): void {
    if (method === neverCancelled) return;
    if (this.#link.cancelsByDropping()) return sending.drop();
    // An answer that is only late is still recorded; a connection that is never answered is not kept for ever.
    if (sending.over !== null) setTimeout(() => sending.drop(), LATE_TIME).unref();
    void this.notify('notifications/cancelled', { requestId: id, ...(reason && { reason }) }, origin);
  }
}

const closedRequest = (reason: string): PendingRequest => ({
  id: -1,
  row: -1,
  outcome: Promise.resolve({ type: 'closed', reason }),
  cancel: () => {},
  abandon: () => {},
});

/** Params with these members in their `_meta`; their own text stays as it is. */
function withMeta(params: string | null, meta: Readonly<Record<string, unknown>>): string {
  const own = (params ?? '{}').trim().slice(1, -1).trim();
  return `{${own === '' ? '' : `${own},`}"_meta":${JSON.stringify(meta)}}`;
}

/** What an outcome without a result means to the user. */
export function outcomeFault(method: string, outcome: Exclude<Outcome, { type: 'result' }>): Fault {
  switch (outcome.type) {
    case 'error':
      return {
        code: 'protocol-error',
        what: `The server answered ${method} with error ${outcome.error.code}: ${outcome.error.message}`,
        ...(outcome.error.data !== undefined && { evidence: JSON.stringify(outcome.error.data, null, 2) }),
      };
    case 'invalid':
      return {
        code: 'invalid-answer',
        what: `The server's answer to ${method} is no JSON-RPC message: ${outcome.problem}.`,
        next: 'Look at the answer in the trace.',
      };
    case 'timeout':
      return {
        code: 'timed-out',
        what: `The server did not answer ${method} within ${Math.round(outcome.waited) / 1000} s; the request was cancelled.`,
        why: 'It hangs, it is slow, or its answer was not a message that could be matched.',
        next: 'Look at the trace for what came meanwhile, or allow it more time.',
      };
    case 'cancelled':
      return { code: 'cancelled', what: `${method} was cancelled.` };
    case 'undelivered':
      return outcome.fault;
    case 'closed':
      return {
        code: 'session-ended',
        what: `The session ended before ${method} was answered.`,
        why: outcome.reason,
      };
  }
}
