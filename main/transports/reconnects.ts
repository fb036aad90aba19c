import { MAX_TIMER } from './async.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds to wait if the server did not say (HTML standard, server-sent events: a few seconds at most). */
const DEFAULT_WAIT = 1000;
const MAX_WAIT = 30_000;
/** The shortest wait for a server that keeps closing streams without sending an event. */
const MIN_IDLE_WAIT = 250;

interface Progress {
  /** Events that came so far. */
  readonly events: number;
  /** Milliseconds the server asked us to wait. */
  readonly retry: number | null;
}

/** Times the attempts to reopen an event stream: as the server asks, with a longer wait after each failure. */
export class Reconnects {
  readonly #stream: Progress;
  readonly #mostFailures: number;
  #failures = 0;
  #withoutEvents = 0;
  #events = 0;

  constructor(stream: Progress, mostFailures: number) {
    this.#stream = stream;
    this.#mostFailures = mostFailures;
  }

  /**
   * Waits for the next attempt.
   *
   * @param wasReached whether the server responded to the last attempt
   * @returns false to give up: too many attempts failed, or `stop` was aborted
   */
  async wait(wasReached: boolean, stop: AbortSignal): Promise<boolean> {
    const { events } = this.#stream;
    this.#withoutEvents = events > this.#events ? 0 : this.#withoutEvents + 1;
    this.#failures = wasReached ? 0 : this.#failures + 1;
    this.#events = events;
    if (this.#failures > this.#mostFailures || stop.aborted) return false;
    try {
      await delay(this.#next(), undefined, { signal: stop, ref: false });
      return true;
    } catch {
      // Aborted while waiting.
      return false;
    }
  }

  #next(): number {
    const asked = this.#stream.retry ?? DEFAULT_WAIT;
    const isBackingOff = this.#withoutEvents > 2 || this.#failures > 0;
    const least = isBackingOff ? Math.max(asked, MIN_IDLE_WAIT) : asked;
    return Math.min(least * 2 ** this.#failures, Math.max(asked, MAX_WAIT), MAX_TIMER);
  }
}
