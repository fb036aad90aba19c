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

/** What a request came to. Errors are ordinary outcomes here: the server under test may do anything. */
export type Outcome =
  | { readonly type: 'result'; readonly result: unknown; readonly seen: Seen }
  | { readonly type: 'error'; readonly error: RpcError; readonly seen: Seen }
  /** An answer with the right id that is no valid message. */
  | { readonly type: 'invalid'; readonly problem: string; readonly seen: Seen }
  | { readonly type: 'timeout'; readonly waited: number }
  | { readonly type: 'cancelled' }
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
  readonly onProgress?: (note: ProgressNote) => void;
}

export interface PendingRequest {
  readonly id: number;
  /** Row of the request in the trace. */
  readonly row: number;
  readonly outcome: Promise<Outcome>;
  /** Tells the server to stop and stops waiting. */
  cancel(reason: string | undefined): void;
}

/** What the session does with what the server sends unasked. */
export interface PeerListener {
  /** The result for a request of the server, or an error; undefined when the method is not supported. */
  request(method: string, params: unknown): { result: unknown } | { error: RpcError } | undefined;
  notification(method: string, params: unknown): void;
}

interface Waiting {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly startedAt: number;
  readonly settle: (outcome: Outcome) => void;
  timer: NodeJS.Timeout;
}

/** Milliseconds; a timer that is set to more runs at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** `initialize` must not be cancelled (MCP cancellation, behavior requirements). */
const neverCancelled = 'initialize';

/**
 * One end of a JSON-RPC conversation: matches answers to requests, keeps time, passes on the rest. Works on
 * what the trace has already related; decides nothing about what a method means.
 */
export class Peer {
  readonly #send: (text: string, origin: Origin) => readonly Seen[];
  readonly #listener: PeerListener;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ending: string | null = null;

  /** @param send records and writes one unit, and returns what the trace made of it */
  constructor(send: (text: string, origin: Origin) => readonly Seen[], listener: PeerListener) {
    this.#send = send;
    this.#listener = listener;
  }

  /** Sends a request. `params` is JSON text for the id it will have, so that numbers go out as written. */
  request(method: string, params: (id: number) => string | null, options: RequestOptions): PendingRequest {
    const id = ++this.#lastId;
    const text = params(id);
    const tail = text === null ? '' : `,"params":${text}`;
    const seen = this.#transmit(
      `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${tail}}`,
      options.origin,
    );
    if (seen === undefined) {
      const reason = this.#ending ?? 'The session has ended.';
      return { id, row: -1, outcome: Promise.resolve({ type: 'closed', reason }), cancel: () => {} };
    }
    return this.#wait(id, method, seen.row, options);
  }

  notify(method: string, params: unknown, origin: Origin): void {
    this.#transmit(
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

  #transmit(text: string, origin: Origin): Seen | undefined {
    return this.#ending === null ? this.#send(text, origin)[0] : undefined;
  }

  /** By itself, because what it returns lives long, and the request that was sent may be large. */
  #wait(id: number, method: string, row: number, options: RequestOptions): PendingRequest {
    const outcome = new Promise<Outcome>((settle) => {
      const startedAt = performance.now();
      const timer = this.#startTimer(row, options, startedAt);
      this.#waiting.set(row, { id, method, options, startedAt, settle, timer });
    });
    return { id, row, outcome, cancel: (reason) => this.#cancel(row, reason) };
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
    const answer = this.#listener.request(method, params) ?? {
      error: { code: errorCodes.methodNotFound, message: `Method not found: ${method}` },
    };
    this.#transmit(`{"jsonrpc":"2.0","id":${idText(id)},${JSON.stringify(answer).slice(1)}`, 'automatic');
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
      this.#restart(row, waiting);
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

  #tellCancelled({ id, method }: Waiting, reason: string | undefined, origin: Origin): void {
    if (method === neverCancelled) return;
    this.notify('notifications/cancelled', { requestId: id, ...(reason && { reason }) }, origin);
  }
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
        what: `The server did not answer ${method} within ${Math.round(outcome.waited)} ms; the request was cancelled.`,
        why: 'It hangs, it is slow, or its answer was not a message that could be matched.',
        next: 'Look at the trace and its stderr rows, or allow it more time.',
      };
    case 'cancelled':
      return { code: 'cancelled', what: `${method} was cancelled.` };
    case 'closed':
      return {
        code: 'session-ended',
        what: `The session ended before ${method} was answered.`,
        why: outcome.reason,
      };
  }
}
