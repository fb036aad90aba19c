import { setTimeout as delay } from 'node:timers/promises';

/** How long the mock waits before it sends what the server sent after a while. */
export interface LatencyRule {
  /** How many times as fast as recorded; null for no waiting at all. */
  readonly speed: number | null;
  /** Limit of milliseconds of one wait; null for none. */
  readonly max: number | null;
}

export const noLatency: LatencyRule = { speed: null, max: null };

/** @param text matches `latencyPattern` */
export function latencyOf(text: string): LatencyRule {
  if (text === 'none') return noLatency;
  if (text.startsWith('x')) return { speed: Number(text.slice(1)), max: null };
  return { speed: 1, max: text.startsWith('max:') ? Number(text.slice('max:'.length)) : null };
}

/** A longer timer fires at once. */
const MAX_TIMER = 2 ** 31 - 1;

/** Milliseconds to wait. @param recorded microseconds of the trace */
export function waitOf({ speed, max }: LatencyRule, recorded: number): number {
  if (speed === null) return 0;
  return Math.min(Math.max(0, recorded / 1000 / speed), max ?? MAX_TIMER, MAX_TIMER);
}

/** Waits as long as the rule says; ends early, without an error, when the signal aborts. */
export async function wait(rule: LatencyRule, recorded: number, signal: AbortSignal): Promise<void> {
  const milliseconds = waitOf(rule, recorded);
  if (milliseconds > 0) await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
