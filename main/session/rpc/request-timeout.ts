import { LONGEST_TIMER } from '#session/longest-timer.ts';

export interface TimeoutOptions {
  /** Milliseconds without an answer or progress (MCP 2025-06-18 lifecycle, timeouts). */
  readonly timeout: number;
  /** Milliseconds in total, regardless of progress. */
  readonly maxTimeout: number;
}

/** The timeout of one request. It is paused while the request waits for somebody else, such as the user. */
export class RequestTimeout {
  readonly #options: TimeoutOptions;
  /** @param waited milliseconds since the request was sent, pauses included */
  readonly #onOver: (waited: number) => void;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** When it expires without progress, and at the latest; milliseconds as `performance.now` gives them. */
  #idleEnd: number;
  #end: number;
  #pauses = 0;
  #pausedAt = 0;

  constructor(options: TimeoutOptions, onOver: (waited: number) => void) {
    this.#options = options;
    this.#onOver = onOver;
    this.#idleEnd = this.#startedAt + options.timeout;
    this.#end = this.#startedAt + options.maxTimeout;
    this.#arm();
  }

  /** Progress restarts the timeout, but never extends it beyond the maximum. */
  restart(): void {
    this.#idleEnd = (this.#pauses > 0 ? this.#pausedAt : performance.now()) + this.#options.timeout;
    if (this.#pauses === 0) this.#arm();
  }

  /** Pauses the timeout until the returned function is called. Pauses nest. */
  pause(): () => void {
    if (this.#pauses++ === 0) {
      clearTimeout(this.#timer);
      this.#pausedAt = performance.now();
    }
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

  /** Cancels the timeout for good. */
  stop(): void {
    clearTimeout(this.#timer);
    // A pause that ends later must not start the timer again.
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const left = Math.max(0, Math.min(this.#idleEnd, this.#end) - performance.now());
    // Node limits a timer to about 24 days: a longer timeout takes several.
    const next =
      left > LONGEST_TIMER ? () => this.#arm() : () => this.#onOver(performance.now() - this.#startedAt);
    this.#timer = setTimeout(next, Math.min(left, LONGEST_TIMER));
  }
}
