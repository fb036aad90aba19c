import { useEffect, useState } from 'react';
import type { Clock } from '#model/trace-clock.ts';
import type { TraceRow } from '#shared/trace/row.ts';

/** Waits below this are shown in tenths of a second, longer ones in seconds. */
export const FINE_SECONDS = 10;
const TICK_MS = 100;
const SLOW_TICK_MS = 1000;

/** Whether a row is waiting for its response, so that its duration and bar grow. */
export const isWaiting = ({ kind, status }: TraceRow): boolean => kind === 'request' && status === 'pending';

/**
 * The current time in microseconds of the trace while one of the rows is waiting, else null. Ticks only then, and only
 * while the page is visible.
 *
 * @param isOpen rows may still arrive; in a trace that has ended nothing is waiting
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

/** The time span of the visible rows, in microseconds of the trace. */
interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The position of a row's bar, in percent of the column. */
export interface Bar {
  readonly left: number;
  readonly width: number;
}

/**
 * From the first to the last row, and to `now` while one of them is waiting. Bars that extend beyond are cut off at the
 * edge, so that the ticks stay apart.
 */
export function spanOf(rows: readonly (TraceRow | undefined)[], now: number | null = null): TimeSpan {
  let from = Number.POSITIVE_INFINITY;
  let to = now ?? Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    if (row === undefined) continue;
    from = Math.min(from, row.at);
    to = Math.max(to, row.at);
  }
  return { from, to };
}

/**
 * A request spans the time to its response, an exchange the time to its end; open ones span the rest. All other rows
 * are instants.
 */
export function barOf(row: TraceRow, { from, to }: TimeSpan): Bar {
  const span = Math.max(1, to - from);
  const left = percent((row.at - from) / span);
  if (row.kind !== 'request' && row.kind !== 'http') return { left, width: 0 };
  const until = isOpen(row) ? to : row.at + (row.duration ?? 0);
  return { left, width: percent((Math.min(until, to) - row.at) / span) };
}

const isOpen = ({ kind, status }: TraceRow): boolean =>
  status === 'pending' || (kind === 'http' && status === 'receiving');

const percent = (fraction: number): number => Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 10;
