import { millisecondsSchema } from '#shared/contract/servers.ts';

/** How long the calls of a tool may take, as the user wrote it; an empty time is the server's setting. */
export interface RunTimes {
  /** Milliseconds without an answer. */
  readonly timeout: string;
  /** Milliseconds in all. */
  readonly maxTimeout: string;
  /** Whether progress starts the time anew. */
  readonly resetOnProgress: boolean;
}

export const unsetTimes: RunTimes = { timeout: '', maxTimeout: '', resetOnProgress: true };

/** What goes with a call; null is the server's setting. What cannot be read counts as empty. */
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
  const parsed = millisecondsSchema.safeParse(Number(typed));
  return parsed.success && /^\d+$/.test(typed.trim()) ? parsed.data : null;
}

/** What is wrong with a time, in one sentence; undefined when nothing is. */
export const timeProblem = (typed: string): string | undefined =>
  typed === '' || readTime(typed) !== null
    ? undefined
    : 'Not a whole number of milliseconds up to a day: the server’s setting holds.';
