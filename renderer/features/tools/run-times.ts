import { millisecondsSchema } from '#shared/contract/servers.ts';

/** How long the calls of a tool may take, as the user wrote it; an empty time is the server's setting. */
export interface RunTimes {
  /** Seconds without an answer. */
  readonly timeout: string;
  /** Seconds in all. */
  readonly maxTimeout: string;
  /** Whether progress restarts the timeout. */
  readonly resetOnProgress: boolean;
}

export const unsetTimes: RunTimes = { timeout: '', maxTimeout: '', resetOnProgress: true };

/** What goes with a call, in milliseconds; null is the server's setting. What cannot be read counts as empty. */
export interface CallTimes {
  readonly timeout: number | null;
  readonly maxTimeout: number | null;
  readonly resetOnProgress: boolean;
}

export const readTimes = ({ timeout, maxTimeout, resetOnProgress }: RunTimes): CallTimes => ({
  timeout: readTime(timeout),
  maxTimeout: readTime(maxTimeout),
  resetOnProgress,
});

/** Milliseconds, or null when nothing readable was written. */
function readTime(typed: string): number | null {
  if (!/^\d+(\.\d+)?$/.test(typed.trim())) return null;
  return millisecondsSchema.safeParse(Math.round(Number(typed) * 1000)).data ?? null;
}

/** What is wrong with a time, in one sentence; undefined when nothing is. */
export const timeProblem = (typed: string): string | undefined =>
  typed === '' || readTime(typed) !== null
    ? undefined
    : 'Not a number of seconds up to a day: the server’s setting holds.';
