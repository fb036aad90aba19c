import type { TraceRow } from '#shared/trace/row.ts';

/** What the visible rows span, in microseconds of the trace. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Where a row's bar stands, in percent of the column. */
export interface Bar {
  readonly left: number;
  readonly width: number;
}

/**
 * From the first to the last of the rows, and to `now` while one of them waits. Whatever else lasts beyond is cut off at
 * the edge, so that ticks stay apart.
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
 * A request takes the time to its answer and an exchange the time to its end, or all that is left while they have
 * none; everything else is an instant.
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
