import type { Finding } from '#shared/contract/checks.ts';
import { formatClock, formatDuration } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { findingText } from './findings.ts';
import { visibleText } from './visible-text.ts';

/** What ties the microseconds of a trace to the wall clock. */
export interface Clock {
  readonly at: number;
  readonly wall: number;
}

/** A row of the trace as one line: time, direction, method, what it is about, status, duration. */
export function rowLine(row: TraceRow, clock: Clock): string {
  const { kind } = row;
  // The row of a request or an exchange tells it too once it is over; which comes later depends on the moment.
  if (kind === 'request' || kind === 'http') return line(row, clock, row.at, arrowOf(row), []);
  return line(row, clock, row.at, arrowOf(row), outcomeOf(row));
}

/** The end of an HTTP exchange as one line. */
export function exchangeEndLine(row: TraceRow, clock: Clock): string {
  return line(row, clock, row.at + (row.duration ?? 0), '←', outcomeOf(row));
}

/**
 * A finding as one line below its row.
 *
 * @param at when the row was seen; null where it was printed long before
 */
export function findingLine(finding: Finding, at: number | null, clock: Clock): string {
  const time = at === null ? '' : formatClock(clock.wall + (at - clock.at) / 1000);
  return `${time.padEnd(TIME_WIDTH)} ! ${findingText(finding)}`;
}

function line(
  { kind, method, summary }: TraceRow,
  clock: Clock,
  at: number,
  arrow: string,
  facts: readonly string[],
): string {
  const time = formatClock(clock.wall + (at - clock.at) / 1000);
  const parts = [(method ?? kind).padEnd(METHOD_WIDTH), summary.padEnd(SUMMARY_WIDTH), ...facts];
  return `${time} ${arrow} ${visibleText(parts.join('  ').trimEnd())}`;
}

/** As in `14:02:11.123`. */
const TIME_WIDTH = 12;
const METHOD_WIDTH = 26;
const SUMMARY_WIDTH = 30;

const arrowOf = ({ direction, kind }: TraceRow): string => {
  if (direction === null || kind === 'stderr') return '·';
  return direction === 'out' ? '→' : '←';
};

function outcomeOf({ status, code, duration }: TraceRow): string[] {
  const word = status === 'none' ? '' : code === null ? status : `${status} ${code}`;
  return [word, duration === null ? '' : formatDuration(duration)];
}
