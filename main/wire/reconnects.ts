import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds to wait when the server did not say (HTML standard, server-sent events: a few seconds at most). */
const DEFAULT_WAIT = 1000;
const LONGEST_WAIT = 30_000;
/** A timer that is set to more runs at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** A server that closes stream after stream at once is asked no more often than this. */
const SHORTEST_IN_VAIN = 250;

interface Progress {
  /** Events that came so far. */
  readonly events: number;
  /** Milliseconds the server asked us to wait. */
  readonly retry: number | null;
}

/** Paces the attempts to take an event stream up again: as the server asks, longer after each failure. */
export class Reconnects {
  readonly #stream: Progress;
  readonly #mostFailures: number;
  #failures = 0;
  #inVain = 0;
  #events = 0;

  constructor(stream: Progress, mostFailures: number) {
    this.#stream = stream;
    this.#mostFailures = mostFailures;
  }

  /**
   * Waits for the next attempt.
   *
   * @param wasReached whether the server answered the last one
   * @returns false when there is to be none: too many have failed, or it was stopped
   */
  async wait(wasReached: boolean, stop: AbortSignal): Promise<boolean> {
    const { events } = this.#stream;
    this.#inVain = events > this.#events ? 0 : this.#inVain + 1;
    this.#failures = wasReached ? 0 : this.#failures + 1;
    this.#events = events;
    if (this.#failures > this.#mostFailures || stop.aborted) return false;
    try {
      await delay(this.#next(), undefined, { signal: stop, ref: false });
      return true;
    } catch {
      // Stopped meanwhile.
      return false;
    }
  }

  #next(): number {
    const asked = this.#stream.retry ?? DEFAULT_WAIT;
    const isVain = this.#inVain > 2 || this.#failures > 0;
    const least = isVain ? Math.max(asked, SHORTEST_IN_VAIN) : asked;
    return Math.min(least * 2 ** this.#failures, Math.max(asked, LONGEST_WAIT), LONGEST_TIMER);
  }
}
