import { formatClock, formatDuration } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { visibleText } from './visible-text.ts';

/** What ties the microseconds of a trace to the wall clock. */
export interface Clock {
  readonly at: number;
  readonly wall: number;
}

/** A row of the trace as one line: time, direction, method, what it is about, status, duration. */
export function rowLine(row: TraceRow, clock: Clock): string {
  const { kind, method, summary, duration } = row;
  const time = formatClock(clock.wall + (row.at - clock.at) / 1000);
  const facts = [
    (method ?? kind).padEnd(METHOD_WIDTH),
    summary.padEnd(SUMMARY_WIDTH),
    statusText(row),
    // A request's row tells it too once it is answered; which of both comes later depends on the moment.
    kind === 'request' || duration === null ? '' : formatDuration(duration),
  ];
  return `${time} ${arrowOf(row)} ${visibleText(facts.join('  ').trimEnd())}`;
}

const METHOD_WIDTH = 26;
const SUMMARY_WIDTH = 30;

const arrowOf = ({ direction, kind }: TraceRow): string => {
  if (direction === null || kind === 'stderr') return '·';
  return direction === 'out' ? '→' : '←';
};

function statusText({ status, code, kind }: TraceRow): string {
  if (kind === 'request' || status === 'none') return '';
  return code === null ? status : `${status} ${code}`;
}
