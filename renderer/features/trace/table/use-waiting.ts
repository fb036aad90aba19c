import { useEffect, useState } from 'react';
import type { TraceRow } from '#shared/trace/row.ts';
import type { Clock } from './trace-clock.ts';

/** A wait is told in tenths of a second up to here, and in whole ones after. */
export const FINE_SECONDS = 10;
const TICK_MS = 100;
const SLOW_TICK_MS = 1000;

/** Whether a row waits for its answer, so that its duration and bar grow. */
export const isWaiting = ({ kind, status }: TraceRow): boolean => kind === 'request' && status === 'pending';

/**
 * The present in microseconds of the trace while one of the drawn rows waits, else null. Ticks only then, and only while
 * the page is visible.
 *
 * @param isOpen rows may still come; in a trace that has ended nothing waits
 */
export function useWaiting(
  rows: readonly (TraceRow | undefined)[],
  clock: Clock | null,
  isOpen: boolean,
): number | null {
  const [now, setNow] = useState(Date.now);
  const waiting = isOpen ? rows.filter((row) => row !== undefined && isWaiting(row)) : [];
  const waits = clock !== null && waiting.length > 0;
  const present = clock === null ? 0 : clock.at + (now - clock.wall) * 1000;
  const isFine = waiting.some((row) => row !== undefined && present - row.at < FINE_SECONDS * 1_000_000);
  const everyMs = isFine ? TICK_MS : SLOW_TICK_MS;
  useEffect(() => {
    if (!waits) return;
    const tick = () => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    };
    tick();
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [waits, everyMs]);
  return waits ? present : null;
}
