import { LONGEST_TIMER } from '#session/longest-timer.ts';

export interface TimeoutOptions {
  /** Milliseconds without an answer or progress (MCP 2025-06-18 lifecycle, timeouts). */
  readonly timeout: number;
  /** Milliseconds in all, whatever progress comes. */
  readonly maxTimeout: number;
}

/** How long an answer is waited for. The time stands still while somebody else has to do something first. */
export class RequestTimeout {
  readonly #options: TimeoutOptions;
  /** @param waited milliseconds since the request, pauses included */
  readonly #onOver: (waited: number) => void;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** When it is over without progress, and at the latest. */
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

  /** Progress starts the time anew, but never beyond the maximum. */
  restart(): void {
    this.#idleEnd = (this.#pauses > 0 ? this.#pausedAt : performance.now()) + this.#options.timeout;
    if (this.#pauses === 0) this.#arm();
  }

  /** The time stands still until the returned function has been called, and those of all other pauses. */
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

  /** Nothing comes of it any more. */
  stop(): void {
    clearTimeout(this.#timer);
    // A pause that ends later starts nothing.
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const left = Math.max(0, Math.min(this.#idleEnd, this.#end) - performance.now());
    // Of a longer time the rest follows: what is given no limit is never given up.
    const next =
      left > LONGEST_TIMER ? () => this.#arm() : () => this.#onOver(performance.now() - this.#startedAt);
    this.#timer = setTimeout(next, Math.min(left, LONGEST_TIMER));
  }
}
