import { MAX_TIMER } from '#transports/async.ts';
import { type Fault, messageOf } from '#shared/contract/fault.ts';
import type { ServerEnd } from '#shared/contract/trace.ts';
import { type RpcError, isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { onOneLine } from '#shared/json/tokens.ts';
import { findMember, memberTexts } from '#shared/json/members.ts';

/** The outcome of a request. Errors are ordinary outcomes: the server under test may do anything. */
export type Outcome =
  | {
      readonly type: 'result';
      readonly result: unknown;
      readonly recorded: RecordedMessage;
      /** Path of the result in the message, if not `['result']`. */
      readonly path?: readonly string[];
    }
  | {
      readonly type: 'error';
      readonly error: RpcError;
      readonly recorded: RecordedMessage;
      /** The challenge of the HTTP response that carried the error. */
      readonly challenge?: string | undefined;
      /** How that response came: after redirects, or encoded. */
      readonly delivery?: string | undefined;
    }
  /** A response that is not a valid message. */
  | {
      readonly type: 'invalid';
      readonly reason: string;
      readonly recorded: RecordedMessage;
      /** Its first lines, without secrets. */
      readonly quote?: string | undefined;
    }
  | {
      readonly type: 'timeout';
      readonly waited: number;
      /** What came in the time and was no message, without secrets. */
      readonly quote?: string | undefined;
    }
  | { readonly type: 'cancelled' }
  /** No response can arrive, or it was given up, such as after too many rounds. The fault says why. */
  | { readonly type: 'failed'; readonly fault: Fault; readonly row: number }
  /** The session ended before the response. */
  | { readonly type: 'closed'; readonly reason: string };

/** The fault of an outcome without a result. @param end how the server ended, if that ended the session */
export function outcomeFault(
  method: string,
  outcome: Exclude<Outcome, { type: 'result' }>,
  end: ServerEnd | null = null,
): Fault {
  switch (outcome.type) {
    case 'error':
      return {
        code: 'protocol-error',
        what: `The server answered ${method} with error ${outcome.error.code}: ${outcome.error.message}`,
        ...(outcome.challenge !== undefined && { quote: outcome.challenge }),
        ...(outcome.delivery !== undefined && { why: outcome.delivery }),
        ...(outcome.error.data !== undefined && { evidence: JSON.stringify(outcome.error.data, null, 2) }),
      };
    case 'invalid':
      return {
        code: 'invalid-answer',
        what: `The server's answer to ${method} is no JSON-RPC message: ${outcome.reason}.`,
        ...(outcome.quote !== undefined && { quote: outcome.quote }),
        next: 'Look at the answer in the trace.',
      };
    case 'timeout':
      return {
        code: 'timed-out',
        what: `The server did not answer ${method} within ${Math.round(outcome.waited) / 1000} s; the request was cancelled.`,
        ...(outcome.quote !== undefined && { quote: outcome.quote }),
        why:
          outcome.quote === undefined
            ? 'It hangs, it is slow, or its answer was not a message that could be matched.'
            : 'What it sent in that time is not a message.',
        next: 'Look at the trace for what came meanwhile, or allow it more time.',
      };
    case 'cancelled':
      return { code: 'cancelled', what: `${method} was cancelled.` };
    case 'failed':
      return outcome.fault;
    case 'closed':
      return {
        code: 'session-ended',
        what: `The session ended before ${method} was answered.`,
        why: end === null ? outcome.reason : `The server ${end.what}.`,
        ...(end !== null && { row: end.row, next: 'Connect again to start it once more.' }),
        ...(end !== null && end.quote !== null && { quote: end.quote }),
        ...(end !== null && end.stderr !== '' && { evidence: end.stderr }),
      };
  }
}

/**
 * The text of a request. `params` and `meta` are JSON text of objects and are inserted as written, so that
 * numbers, duplicate keys and the order of keys are kept.
 *
 * @param meta additional members for `_meta`; existing members take precedence
 */
export function requestText(
  id: number,
  method: string,
  params: string | null,
  meta: Readonly<Record<string, unknown>>,
): string {
  const whole = Object.keys(meta).length === 0 ? params : withMetaDefaults(params ?? '{}', meta);
  const tail = whole === null ? '' : `,"params":${whole}`;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${tail}}`;
}

/** A JSON object of the user on one line: a message must not contain a newline (MCP transports, stdio). */
export function objectOnOneLine(json: string): { readonly text: string } | { readonly why: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    return { why: messageOf(error) };
  }
  if (!isObject(parsed)) return { why: 'It is JSON, but not an object.' };
  return { text: onOneLine(json.trim()) };
}

/** The text of an object with a member added at its end. */
export function withMember(object: string, key: string, value: string): string {
  const members = object.trim().slice(1, -1).trim();
  return `{${members === '' ? '' : `${members},`}${JSON.stringify(key)}:${value}}`;
}

/** The text of an object with these members in its `_meta`, where they replace existing members. */
export function withMetaOverrides(params: string, meta: string): string {
  const existing = findMember(params, '_meta');
  if (existing === null) return withMember(params, '_meta', meta);
  const merged = new Map([...memberTexts(params.slice(existing.start, existing.end)), ...memberTexts(meta)]);
  const members = [...merged].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return `${params.slice(0, existing.start)}{${members.join(',')}}${params.slice(existing.end)}`;
}

/** The text of an object with these members in its `_meta`, unless it has members of the same names. */
export function withMetaDefaults(params: string, meta: Readonly<Record<string, unknown>>): string {
  const existing = findMember(params, '_meta');
  if (existing === null) return withMember(params, '_meta', JSON.stringify(meta));
  // A `_meta` that is not an object is sent as it is.
  if (params.charAt(existing.start) !== '{') return params;
  const present = memberTexts(params.slice(existing.start, existing.end));
  const missing = Object.entries(meta).filter(([key]) => !present.has(key));
  if (missing.length === 0) return params;
  const added = JSON.stringify(Object.fromEntries(missing)).slice(1, -1);
  const at = existing.start + 1;
  return `${params.slice(0, at)}${added}${present.size > 0 ? ',' : ''}${params.slice(at)}`;
}

export interface TimeoutOptions {
  /** Milliseconds without a response or progress (MCP 2025-06-18 lifecycle, timeouts). */
  readonly timeout: number;
  /** Milliseconds in total, regardless of progress. */
  readonly maxTimeout: number;
}

/**
 * The timer of the requests of a session: one for all, which ends when the first of them may be over. A timer for each would cost
 * a fast request more than its timeout is worth. It does not keep the process running.
 */
export class TimeoutTimer {
  readonly #running: () => Iterable<RequestTimeout>;
  #timer: NodeJS.Timeout | undefined;
  /** When it ends, in milliseconds of `performance.now`. */
  #end = Number.POSITIVE_INFINITY;

  /** @param running the timeouts that may end */
  constructor(running: () => Iterable<RequestTimeout>) {
    this.#running = running;
  }

  /** Checks the timeouts at this time, or sooner. */
  wakeAt(end: number): void {
    if (end >= this.#end) return;
    this.stop();
    this.#end = end;
    // Node limits a timer to about 24 days: a longer timeout takes several.
    const left = Math.min(Math.max(0, end - performance.now()), MAX_TIMER);
    this.#timer = setTimeout(() => this.#check(), left).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#end = Number.POSITIVE_INFINITY;
  }

  #check(): void {
    this.#end = Number.POSITIVE_INFINITY;
    try {
      for (const timeout of this.#running()) timeout.check();
    } catch (error) {
      // A request whose end throws must not disarm the others.
      this.wakeAt(performance.now());
      throw error;
    }
  }
}

/** The timeout of one request. It pauses while the server waits for us, such as for an answer of the user. */
export class RequestTimeout {
  readonly #options: TimeoutOptions;
  readonly #timer: TimeoutTimer;
  /** @param waited milliseconds since the request was sent, including pauses */
  readonly #onOver: (waited: number) => void;
  readonly #startedAt = performance.now();
  /** When it expires without progress, in milliseconds of `performance.now`. */
  #idleEnd: number;
  /** When it expires in any case. */
  #end: number;
  #pauses = 0;
  #pausedAt = 0;

  constructor(options: TimeoutOptions, timer: TimeoutTimer, onOver: (waited: number) => void) {
    this.#options = options;
    this.#timer = timer;
    this.#onOver = onOver;
    this.#idleEnd = this.#startedAt + options.timeout;
    this.#end = this.#startedAt + options.maxTimeout;
    this.#arm();
  }

  /** Milliseconds until it expires without progress, and in any case. May be infinite. */
  get left(): { readonly idle: number; readonly total: number; readonly isPaused: boolean } {
    const isPaused = this.#pauses > 0;
    const at = isPaused ? this.#pausedAt : performance.now();
    const total = Math.max(0, this.#end - at);
    return { idle: Math.max(0, Math.min(this.#idleEnd - at, total)), total, isPaused };
  }

  /** Progress restarts the timeout, but never extends it beyond the maximum. */
  restart(): void {
    this.#idleEnd = (this.#pauses > 0 ? this.#pausedAt : performance.now()) + this.#options.timeout;
    this.#arm();
  }

  /** Pauses the timeout until the returned function is called. Pauses nest. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#pausedAt = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#pauses > 0) return;
      const paused = performance.now() - this.#pausedAt;
      this.#idleEnd += paused;
      this.#end += paused;
      this.#arm();
    };
  }

  /** Ends the timeout. */
  stop(): void {
    // A pause that ends later must not start it again.
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  /** Expires the request if its time is up. */
  check(): void {
    if (this.#pauses > 0) return;
    if (Math.min(this.#idleEnd, this.#end) > performance.now()) return this.#arm();
    this.stop();
    this.#onOver(performance.now() - this.#startedAt);
  }

  #arm(): void {
    if (this.#pauses === 0) this.#timer.wakeAt(Math.min(this.#idleEnd, this.#end));
  }
}
