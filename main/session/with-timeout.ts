import { setTimeout as delay } from 'node:timers/promises';

/** What a promise comes to; null when it lets us wait longer than so many milliseconds. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  const timeout = delay(milliseconds, null, { signal: stop.signal }).catch(() => null);
  const first = await Promise.race([promise, timeout]);
  stop.abort();
  return first;
}
