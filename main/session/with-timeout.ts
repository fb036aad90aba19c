import { setTimeout as delay } from 'node:timers/promises';

/** Resolves to null on timeout. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const timeout = delay(milliseconds, null, { signal: stop.signal }).catch(() => null);
  const first = await Promise.race([promise, timeout]);
  stop.abort();
  return first;
}

/** Milliseconds; a timer with a longer delay runs at once. */
export const MAX_TIMER = 2 ** 31 - 1;
