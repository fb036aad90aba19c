import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, so that timers and input get their time within a long loop. */
export { nextTurn };

/** `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** Resolves to null on timeout. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const timeout = delay(milliseconds, null, { signal: stop.signal }).catch(() => null);
  const first = await Promise.race([promise, timeout]);
  stop.abort();
  return first;
}

/** Milliseconds; a longer timer fires at once. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Runs an action at most once per interval, and once more after the last request. */
export class Throttle {
  readonly #every: number;
  readonly #action: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastRun = Number.NEGATIVE_INFINITY;

  constructor(milliseconds: number, action: () => void) {
    this.#every = milliseconds;
    this.#action = action;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#every - (performance.now() - this.#lastRun);
    // Never synchronously: the caller may be in the middle of the change that the action reports.
    this.#timer = setTimeout(() => this.flush(), Math.max(0, wait)).unref();
  }

  /** Runs the action now if it was requested. */
  flush(): void {
    if (this.#timer !== undefined) this.run();
  }

  /** Forgets that the action was requested. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Runs the action now, whether it was requested or not. */
  run(): void {
    this.cancel();
    this.#lastRun = performance.now();
    this.#action();
  }
}

/** Milliseconds a loop may run before it yields. */
const MAX_TURN_TIME = 12;

/** Limits how long a loop blocks the event loop: it calls `pass` between its steps. */
export class Turns {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > MAX_TURN_TIME;
  }

  /** Waits for the next turn if this one has lasted long enough. */
  async pass(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
