import { withoutEnd } from '#shared/trim.ts';
import type { Filter, Term } from '#shared/trace/filter/filter.ts';
import { instantIn, readInstant, type TraceClock } from '#shared/trace/filter/instants.ts';
import { type Clock, wallTime } from '#model/trace-clock.ts';
import { addTerm, termsOf, withoutTerms } from '../filter/filter-text.tsx';

/** A stretch of time in microseconds of the trace. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The stretch that a filter selects by its terms `since:` and `until:`; null without them. An open end is that of the trace. */
export function brushOf(text: string, clock: Clock, whole: TimeRange): TimeRange | null {
  const times = termsOf(text).flatMap((part) => (isTime(part) ? [part.term] : []));
  if (times.length === 0) return null;
  const at = traceClock(clock, whole);
  const since = times.filter(({ field }) => field === 'since').map(({ instant }) => instantIn(instant, at));
  const until = times.filter(({ field }) => field === 'until').map(({ instant }) => instantIn(instant, at));
  const from = Math.max(whole.from, ...since);
  return { from, to: Math.max(from, Math.min(whole.to, ...until)) };
}

/** The filter with this stretch instead of the one it had; null removes it. */
export function withBrush(text: string, range: TimeRange | null, clock: Clock, whole: TimeRange): string {
  const others = withoutTerms(text, isTime);
  if (range === null) return others;
  const step = stepOf(range.to - range.from);
  const since = printTime(range.from, { step, round: Math.floor }, clock, whole);
  const until = printTime(range.to, { step, round: Math.ceil }, clock, whole);
  return addTerm(others, `since:${since} until:${until}`);
}

type TimeTerm = { readonly type: 'term'; readonly term: Extract<Term, { field: 'since' | 'until' }> };

const isTime = (part: Filter): part is TimeTerm =>
  part.type === 'term' && (part.term.field === 'since' || part.term.field === 'until');

const traceClock = (clock: Clock, whole: TimeRange): TraceClock => ({ ...clock, lastAt: whole.to });

/** Milliseconds to which times are rounded: finer ones would only be harder to read. */
function stepOf(microseconds: number): number {
  if (microseconds >= 200e6) return 1000;
  return microseconds >= 20e6 ? 100 : 1;
}

/** A time of day, with its date if the filter language would otherwise take it for another day. */
function printTime(
  at: number,
  { step, round }: { readonly step: number; readonly round: (number: number) => number },
  clock: Clock,
  whole: TimeRange,
): string {
  const time = new Date(round(wallTime(clock, at) / step) * step);
  const [two, three] = [2, 3].map((digits) => (part: number) => String(part).padStart(digits, '0'));
  if (two === undefined || three === undefined) return '';
  const fraction = withoutEnd(three(time.getMilliseconds()), '0');
  const ofDay = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  const written = fraction === '' ? ofDay : `${ofDay}.${fraction}`;
  const instant = readInstant(written);
  const isSame =
    instant !== null &&
    wallTime(clock, instantIn(instant, traceClock(clock, whole))).toFixed(0) === time.getTime().toFixed(0);
  if (isSame) return written;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${written}`;
}

/** Parts of the whole by which a key moves the brush, and which a new brush covers. */
const MOVE = 1 / 50;
const FIRST = 1 / 10;

/**
 * The brush after a key: arrows move it, with Shift they move its end; Home and End move it to an end of the trace, with
 * Shift they extend it up to there; Escape clears it. Undefined for other keys.
 */
export function brushAfter(
  key: string,
  isExtending: boolean,
  brush: TimeRange | null,
  whole: TimeRange,
): TimeRange | null | undefined {
  const span = whole.to - whole.from;
  if (key === 'Escape') return null;
  if (brush === null) {
    if (key === 'ArrowRight' || key === 'Home') return { from: whole.from, to: whole.from + span * FIRST };
    if (key === 'ArrowLeft' || key === 'End') return { from: whole.to - span * FIRST, to: whole.to };
    return undefined;
  }
  const { from, to } = brush;
  const within = (at: number) => Math.min(whole.to, Math.max(whole.from, at));
  const by = { ArrowRight: span * MOVE, ArrowLeft: -span * MOVE }[key];
  if (by !== undefined && isExtending) return { from, to: Math.max(from + span / 1000, within(to + by)) };
  const moveBy = by ?? (key === 'Home' ? whole.from - from : key === 'End' ? whole.to - to : undefined);
  if (moveBy === undefined) return undefined;
  if (isExtending) return key === 'Home' ? { from: whole.from, to } : { from, to: whole.to };
  // At the edge it keeps its length.
  const possible = Math.min(whole.to - to, Math.max(whole.from - from, moveBy));
  return { from: from + possible, to: to + possible };
}
