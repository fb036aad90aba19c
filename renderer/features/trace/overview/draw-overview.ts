import type { Overview } from '#shared/contract/trace.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import { type Clock, sinceStart, wallTime } from '#model/trace-clock.ts';
import { formatClock } from '#shared/format.ts';
import { tokenColour } from '#ui/color-scheme.ts';
import type { TimeRange } from './brush.ts';

/** Pixels of a bar with the gap beside it, of a label of the time axis at least, and of the line of phases. */
const BAR = 3;
const LABEL = 84;
const PHASE_LINE = 3;
/** Height of the labels, and below which there is no room for them. */
const AXIS = 14;
const ROOMY = 48;

/** What is drawn, and how. Sizes are CSS pixels. */
export interface Drawing {
  readonly overview: Overview;
  readonly whole: TimeRange;
  readonly clock: Clock;
  readonly times: 'wall' | 'relative';
  readonly width: number;
  readonly height: number;
  readonly colours: OverviewColours;
}

/** The colours of what is drawn, in the current scheme. */
export type OverviewColours = Readonly<Record<PhaseName | 'in' | 'out' | 'error' | 'line' | 'label', string>>;

/** Reading colours lays the page out, so it is not done for every drawing. */
export function overviewColours(): OverviewColours {
  const [received, warn, faint, error] = [
    tokenColour('--in'),
    tokenColour('--warn'),
    tokenColour('--faint'),
    tokenColour('--err'),
  ];
  return {
    in: received,
    out: tokenColour('--out'),
    error,
    line: tokenColour('--line'),
    label: faint,
    connecting: warn,
    detecting: warn,
    authorizing: tokenColour('--info'),
    initializing: warn,
    ready: received,
    closing: faint,
    closed: faint,
    failed: error,
  };
}

/** Draws the overview: bars of what was received and sent, errors above them, the phases below. */
export function drawOverview(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { overview, whole, width, height, colours } = drawing;
  context.clearRect(0, 0, width, height);
  const isRoomy = height >= ROOMY;
  drawAxis(context, drawing, isRoomy);
  const columns = Math.max(1, Math.floor(width / BAR));
  const spread = (counts: readonly number[]) => spreadOver(counts, { overview, whole, columns });
  const [received, sent, errors] = [spread(overview.in), spread(overview.out), spread(overview.errors)];
  const top = isRoomy ? AXIS + 6 : 8;
  const bottom = height - PHASE_LINE - 3;
  const most = Math.max(1, ...received.map((count, column) => count + (sent[column] ?? 0)));
  const scale = (bottom - top) / Math.sqrt(most);
  for (let column = 0; column < columns; column++) {
    const [came, went] = [received[column] ?? 0, sent[column] ?? 0];
    const x = column * BAR;
    const bar = came + went > 0 ? Math.max(2, Math.sqrt(came + went) * scale) : 0;
    const sentPart = bar * (went / (came + went || 1));
    context.globalAlpha = 0.7;
    context.fillStyle = colours.in;
    context.fillRect(x, bottom - bar, BAR - 1, bar - sentPart);
    context.fillStyle = colours.out;
    context.fillRect(x, bottom - sentPart, BAR - 1, sentPart);
    context.globalAlpha = 1;
    if ((errors[column] ?? 0) === 0) continue;
    context.fillStyle = colours.error;
    context.fillRect(x, bottom - bar - 5, BAR - 1, 4);
  }
  drawPhases(context, drawing, height - PHASE_LINE);
}

/**
 * Counts of buckets as counts of columns of equal width. A bucket over the edge of two columns gives each its part, so
 * that no pattern arises that is not in the trace.
 */
export function spreadOver(
  counts: readonly number[],
  {
    overview,
    whole,
    columns,
  }: {
    readonly overview: Pick<Overview, 'from' | 'width'>;
    readonly whole: TimeRange;
    readonly columns: number;
  },
): number[] {
  const spread = Array.from({ length: columns }, () => 0);
  const perColumn = (whole.to - whole.from) / columns;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    const begin = (overview.from + bucket * overview.width - whole.from) / perColumn;
    // The last bucket may extend beyond the end.
    const end = Math.min(columns, begin + overview.width / perColumn);
    const first = Math.min(columns - 1, Math.max(0, Math.floor(begin)));
    const last = Math.min(columns - 1, Math.max(first, Math.ceil(end) - 1));
    for (let column = first; column <= last; column++) {
      const part = first === last ? 1 : (Math.min(end, column + 1) - Math.max(begin, column)) / (end - begin);
      spread[column] = (spread[column] ?? 0) + count * part;
    }
  }
  return spread;
}

function drawPhases(context: CanvasRenderingContext2D, drawing: Drawing, top: number): void {
  const { overview, whole, width } = drawing;
  const x = (at: number) => ((at - whole.from) / (whole.to - whole.from)) * width;
  for (const [order, { at, phase }] of overview.phases.entries()) {
    const end = overview.phases[order + 1]?.at ?? whole.to;
    context.fillStyle = drawing.colours[phase];
    // The shortest is drawn, too: a session that failed ends with it.
    context.fillRect(Math.min(x(at), width - 2), top, Math.max(2, x(end) - x(at)), PHASE_LINE);
  }
}

function drawAxis(context: CanvasRenderingContext2D, drawing: Drawing, isRoomy: boolean): void {
  const { whole, width, height } = drawing;
  context.font = '10.5px "Inter Variable", Inter, system-ui, sans-serif';
  context.textBaseline = 'top';
  for (const { at, label } of axisOf(drawing)) {
    const x = Math.round(((at - whole.from) / (whole.to - whole.from)) * width);
    context.fillStyle = drawing.colours.line;
    context.fillRect(x, 0, 1, height - PHASE_LINE);
    if (!isRoomy) continue;
    context.fillStyle = drawing.colours.label;
    context.fillText(label, x + 4, 3);
  }
}

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Microseconds between two labels, the smallest first. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ms * 1000),
  ...[1, 2, 5, 10, 15, 30].map((s) => s * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE),
  ...[1, 2, 3, 6, 12].map((h) => h * HOUR),
];

/** The labels of the time axis, at round times. */
export function axisOf({
  whole,
  clock,
  times,
  width,
}: Pick<Drawing, 'whole' | 'clock' | 'times' | 'width'>): { at: number; label: string }[] {
  const least = ((whole.to - whole.from) / Math.max(1, width)) * LABEL;
  const step = steps.find((one) => one >= least) ?? Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  // Round times of day are those of the local clock.
  const offset =
    times === 'relative'
      ? clock.at
      : clock.at - clock.wall * 1000 + new Date(clock.wall).getTimezoneOffset() * MINUTE;
  const labels: { at: number; label: string }[] = [];
  for (let at = Math.ceil((whole.from - offset) / step) * step + offset; at <= whole.to; at += step) {
    labels.push({ at, label: times === 'relative' ? relative(clock, at, step) : ofDay(clock, at, step) });
  }
  return labels;
}

/** Hours and minutes, and what the distance of the labels needs below. */
function ofDay(clock: Clock, at: number, step: number): string {
  const whole = formatClock(wallTime(clock, at));
  if (step >= MINUTE) return whole.slice(0, 5);
  return step >= SECOND ? whole.slice(0, 8) : whole;
}

const relative = (clock: Clock, at: number, step: number): string =>
  step >= SECOND ? sinceStart(clock, at).slice(0, -4) : sinceStart(clock, at);
