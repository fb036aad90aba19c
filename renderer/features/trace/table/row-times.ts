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

/** A stretch without traffic, which takes the same narrow place however long it was. Times are microseconds of the trace. */
interface Pause {
  readonly from: number;
  readonly to: number;
}

/** The time span of the visible rows, without the pauses in it. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  /** In their order. */
  readonly pauses: readonly Pause[];
}

/** The position of a row's bar, in percent of the column. */
export interface Bar {
  readonly left: number;
  readonly width: number;
}

/** Width of a pause in percent of the column. */
export const PAUSE_WIDTH = 5;
const MAX_PAUSES = 4;
/** Microseconds of the shortest pause, and the part of the time shown from which it would flatten all else. */
const LEAST_PAUSE = 1_000_000;
const FLATTENS = 0.5;

/**
 * From the first to the last row, and to `now` while one of them is waiting. Bars that extend beyond are cut off at the
 * edge, so that the ticks stay apart.
 */
export function scaleOf(
  rows: readonly (TraceRow | undefined)[],
  now: number | null = null,
  omitsPauses = true,
): TimeScale {
  const instants = rows.flatMap((row) => (row === undefined ? [] : endsOf(row)));
  const starts = rows.flatMap((row) => (row === undefined ? [] : [row.at]));
  const from = Math.min(...starts, Number.POSITIVE_INFINITY);
  const to = Math.max(...starts, now ?? Number.NEGATIVE_INFINITY);
  return { from, to, pauses: omitsPauses ? pausesIn(instants, from, to) : [] };
}

/** When something of a row crossed. */
const endsOf = (row: TraceRow): number[] =>
  row.kind === 'request' && row.duration !== null ? [row.at, row.at + row.duration] : [row.at];

/** The longest stretches without traffic, as long as they would flatten the rest. */
function pausesIn(instants: readonly number[], from: number, to: number): Pause[] {
  const shown = instants.filter((at) => at >= from && at <= to).sort((a, b) => a - b);
  const gaps = shown
    .slice(1)
    .map((end, order): Pause => ({ from: shown[order] ?? end, to: end }))
    .sort((a, b) => lengthOf(b) - lengthOf(a));
  let rest = to - from;
  const pauses: Pause[] = [];
  for (const gap of gaps.slice(0, MAX_PAUSES)) {
    if (lengthOf(gap) < Math.max(LEAST_PAUSE, rest * FLATTENS)) break;
    pauses.push(gap);
    rest -= lengthOf(gap);
  }
  return pauses.sort((a, b) => a.from - b.from);
}

const lengthOf = ({ from, to }: Pause): number => to - from;

/** Where an instant is, in percent of the column. */
export function placeOf(at: number, { from, to, pauses }: TimeScale): number {
  const omitted = pauses.reduce((sum, pause) => sum + lengthOf(pause), 0);
  const active = Math.max(1, to - from - omitted);
  const room = 100 - pauses.length * PAUSE_WIDTH;
  let place = 0;
  let before = Math.min(to, Math.max(from, at)) - from;
  for (const pause of pauses) {
    const inside = Math.min(lengthOf(pause), Math.max(0, at - pause.from));
    before -= inside;
    place += (inside / lengthOf(pause)) * PAUSE_WIDTH;
  }
  return percent((before / active) * room + place);
}

/**
 * A request spans the time to its response, an exchange the time to its end; open ones span the rest. All other rows
 * are instants.
 */
export function barOf(row: TraceRow, scale: TimeScale): Bar {
  const left = placeOf(row.at, scale);
  if (row.kind !== 'request' && row.kind !== 'http') return { left, width: 0 };
  const until = isOpen(row) ? scale.to : row.at + (row.duration ?? 0);
  return { left, width: percent(placeOf(until, scale) - left) };
}

/** The pause before an instant that is the first thing after it; null if no pause precedes it. Microseconds. */
export function pauseBefore(at: number, { pauses }: TimeScale): number | null {
  const pause = pauses.find(({ to }) => to === at);
  return pause === undefined ? null : lengthOf(pause);
}

/** The pauses as a background of the column: hatched, and continuous from row to row. */
export function pauseBackground(scale: TimeScale): string {
  return scale.pauses
    .map((pause) => {
      const left = placeOf(pause.from, scale);
      // A background is placed by the part that lies left of it of what it leaves free.
      const place = (100 * left) / (100 - PAUSE_WIDTH);
      return `var(--pause-hatch) ${place.toFixed(2)}% 0 / ${PAUSE_WIDTH}% 100% no-repeat`;
    })
    .join(', ');
}

const isOpen = ({ kind, status }: TraceRow): boolean =>
  status === 'pending' || (kind === 'http' && status === 'receiving');

const percent = (part: number): number => Math.round(Math.min(100, Math.max(0, part)) * 10) / 10;
