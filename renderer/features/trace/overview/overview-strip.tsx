import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { call, on } from '#bridge';
import { useSettings } from '#model/settings.ts';
import { type Clock, sinceStart, wallTime } from '#model/trace-clock.ts';
import { useQuery } from '#model/use-query.ts';
import type { Overview } from '#shared/contract/trace.ts';
import { formatClock, formatDuration, formatQuantity } from '#shared/format.ts';
import { onColorScheme } from '#ui/color-scheme.ts';
import { useSignalled } from '#ui/frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { brushAfter, brushOf, type TimeRange, withBrush } from './brush.ts';
import { drawOverview, overviewColours } from './draw-overview.ts';
import './overview-strip.css';

/** Milliseconds between two readings while rows come. */
const READ_EVERY = 400;
/** Microseconds that the strip shows at least, so that the first milliseconds of a session do not fill it. */
const LEAST = 100_000;

/**
 * The whole session over the table: how much passed when, with the errors and the phases. A stretch of it, brushed with
 * the mouse or by keyboard, is a condition of the filter.
 */
export function OverviewStrip({ view }: { readonly view: TraceView }) {
  const overview = useOverview(view.sessionId);
  const clock = useSignalled(view.signal, () => view.clock);
  if (overview === null || clock === null || overview.in.length === 0)
    return <div className="trace-overview" />;
  return <Strip view={view} overview={overview} clock={clock} />;
}

/** The overview, read again while the trace grows or changes. */
function useOverview(sessionId: string): Overview | null {
  const [turn, setTurn] = useState(0);
  const hasGrown = useRef(false);
  const last = useRef<{ readonly of: string; readonly overview: Overview } | null>(null);
  const { latest, isLoading } = useQuery(`${sessionId} ${turn}`, async () => {
    try {
      last.current = { of: sessionId, overview: await call('trace/overview', { sessionId }) };
    } catch (error) {
      // The last overview is better than none; the table says what is wrong with the trace.
      if (last.current?.of !== sessionId) throw error;
    }
    return last.current.overview;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Not while one is being read: a late answer to an older key would be dropped.
    const readLater = () => {
      if (isLoading || !hasGrown.current) return;
      timer ??= setTimeout(() => {
        hasGrown.current = false;
        setTurn((before) => before + 1);
      }, READ_EVERY);
    };
    readLater();
    const stop = on('trace/grew', (change) => {
      if (change.sessionId !== sessionId) return;
      hasGrown.current = true;
      readLater();
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [sessionId, isLoading]);
  return latest;
}

function Strip({
  view,
  overview,
  clock,
}: {
  readonly view: TraceView;
  readonly overview: Overview;
  readonly clock: Clock;
}) {
  const times = useSettings(({ traceTimes }) => traceTimes);
  const text = useSignalled(view.signal, () => view.filterText);
  const whole = { from: overview.from, to: Math.max(overview.to, overview.from + LEAST) };
  const kept = brushOf(text, clock, whole);
  const setBrush = (range: TimeRange | null) => view.setFilter(withBrush(text, range, clock, whole));
  const { draft, hovered, ...pointer } = useBrushing(whole, kept, setBrush);
  const brush = draft ?? kept;
  const placeOf = (at: number) => `${(100 * (at - whole.from)) / (whole.to - whole.from)}%`;
  const written = (at: number) =>
    times === 'relative' ? sinceStart(clock, at) : formatClock(wallTime(clock, at));

  const onKeyDown = (press: KeyboardEvent) => {
    if (press.ctrlKey || press.metaKey || press.altKey) return;
    const next = brushAfter(press.key, press.shiftKey, kept, whole);
    if (next === undefined) return;
    press.preventDefault();
    setBrush(next);
  };

  return (
    <div className="trace-overview">
      <Bars overview={overview} whole={whole} clock={clock} times={times} />
      <div
        role="slider"
        tabIndex={0}
        aria-label="Stretch of the session to list"
        aria-valuemin={0}
        aria-valuemax={Math.round((whole.to - whole.from) / 1000)}
        aria-valuenow={Math.round(((brush?.from ?? whole.from) - whole.from) / 1000)}
        aria-valuetext={
          brush === null ? 'the whole session' : `${written(brush.from)} to ${written(brush.to)}`
        }
        title="Drag to list only a stretch of the session. Arrow keys move it, with Shift they extend it, Escape clears it"
        onKeyDown={onKeyDown}
        onDoubleClick={() => setBrush(null)}
        className="trace-overview-brush"
        {...pointer}
      >
        {brush !== null && (
          <>
            <span className="trace-overview-rest" style={{ left: 0, width: placeOf(brush.from) }} />
            <span className="trace-overview-rest" style={{ left: placeOf(brush.to), right: 0 }} />
            <span
              className="trace-overview-range"
              data-dragging={draft !== null || undefined}
              style={{ left: placeOf(brush.from), width: placeOf(whole.from + brush.to - brush.from) }}
            >
              <span className="trace-overview-handle left-0" />
              <span className="trace-overview-handle left-full" />
              <span className="trace-overview-label right-1.5">{formatDuration(brush.to - brush.from)}</span>
            </span>
          </>
        )}
        {brush === null && hovered !== null && (
          <span
            className="trace-overview-label"
            style={
              hovered > (whole.from + whole.to) / 2
                ? { right: `calc(100% - ${placeOf(hovered)} + 6px)` }
                : { left: `calc(${placeOf(hovered)} + 6px)` }
            }
          >
            {written(hovered)}
            {countsAt(overview, hovered)}
          </span>
        )}
      </div>
    </div>
  );
}

/** What passed around an instant, as ` · 3 received · 1 error`. */
function countsAt({ from, width, in: received, out, errors }: Overview, at: number): string {
  const bucket = Math.max(0, Math.floor((at - from) / width));
  const [came, went, failed] = [received[bucket] ?? 0, out[bucket] ?? 0, errors[bucket] ?? 0];
  return [
    came > 0 && `${came} received`,
    went > 0 && `${went} sent`,
    failed > 0 && formatQuantity(failed, 'error'),
  ]
    .filter((part) => part !== false)
    .map((part) => ` · ${part}`)
    .join('');
}

/** The canvas, as large as the strip. */
function Bars({
  overview,
  whole,
  clock,
  times,
}: {
  readonly overview: Overview;
  readonly whole: TimeRange;
  readonly clock: Clock;
  readonly times: 'wall' | 'relative';
}) {
  const ref = useRef<HTMLCanvasElement>(null);
  const [colours, setColours] = useState(overviewColours);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => onColorScheme(() => setColours(overviewColours())), []);
  useEffect(() => {
    const strip = ref.current?.parentElement;
    if (!strip) return;
    const measure = () => setSize({ width: strip.clientWidth, height: strip.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(strip);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const ratio = window.devicePixelRatio;
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
    context.scale(ratio, ratio);
    drawOverview(context, { overview, whole, clock, times, colours, ...size });
    canvas.dataset.drawn = String(overview.to);
  });
  return <canvas ref={ref} aria-hidden className="absolute inset-0 size-full" />;
}

/** Pixels around the edge of a brush that take hold of it, and from which a press is a drag. */
const GRIP = 6;
const SLACK = 3;

interface Drag {
  readonly of: 'new' | 'from' | 'to' | 'all';
  /** Where it began. */
  readonly x: number;
  readonly at: number;
  readonly brush: TimeRange | null;
}

/** Brushing with the mouse: a new stretch, one of its edges, or all of it; a click clears it. */
function useBrushing(whole: TimeRange, brush: TimeRange | null, onBrush: (range: TimeRange | null) => void) {
  const drag = useRef<Drag | null>(null);
  const [draft, setDraft] = useState<TimeRange | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);

  const atOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const x = clientX - left;
    const perPixel = (whole.to - whole.from) / Math.max(1, width);
    // The very ends are hard to hit.
    const part = x < GRIP ? 0 : x > width - GRIP ? width : x;
    return { at: whole.from + part * perPixel, perPixel };
  };

  const stop = () => {
    drag.current = null;
    setDraft(null);
  };

  return {
    draft,
    hovered,
    onPointerDown: (press: PointerEvent<HTMLElement>) => {
      if (press.button !== 0) return;
      const { at, perPixel } = atOf(press);
      drag.current = { of: gripOf(brush, at, perPixel * GRIP), x: press.clientX, at, brush };
      press.currentTarget.setPointerCapture(press.pointerId);
    },
    onPointerMove: (move: PointerEvent<HTMLElement>) => {
      const { at } = atOf(move);
      const now = drag.current;
      if (now === null) setHovered(at);
      else if (draft !== null || Math.abs(move.clientX - now.x) >= SLACK) setDraft(dragged(now, at, whole));
    },
    onPointerUp: () => {
      if (drag.current !== null && draft !== null) onBrush(draft);
      else if (drag.current?.of === 'new' && brush !== null) onBrush(null);
      stop();
    },
    onPointerCancel: stop,
    onPointerLeave: () => setHovered(null),
  };
}

function gripOf(brush: TimeRange | null, at: number, grip: number): Drag['of'] {
  if (brush === null || at < brush.from - grip || at > brush.to + grip) return 'new';
  if (Math.abs(at - brush.from) <= grip) return 'from';
  return Math.abs(at - brush.to) <= grip ? 'to' : 'all';
}

function dragged({ of, at: begin, brush }: Drag, at: number, whole: TimeRange): TimeRange {
  if (of === 'new' || brush === null) return { from: Math.min(begin, at), to: Math.max(begin, at) };
  if (of === 'from') return { from: Math.min(at, brush.to), to: Math.max(at, brush.to) };
  if (of === 'to') return { from: Math.min(at, brush.from), to: Math.max(at, brush.from) };
  const by = Math.min(whole.to - brush.to, Math.max(whole.from - brush.from, at - begin));
  return { from: brush.from + by, to: brush.to + by };
}
