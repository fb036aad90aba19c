/** A promise that is settled from outside. `Promise.withResolvers` does the same; Node 20 lacks it. */
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
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lastRun = performance.now();
    this.#action();
  }
}
