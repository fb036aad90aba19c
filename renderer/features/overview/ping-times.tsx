import { useEffect, useRef, useState } from 'react';
import { call } from '#bridge';
import { useCommands } from '#model/commands.ts';
import { useAction } from '#model/use-query.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import type { Era } from '#shared/protocol/revisions.ts';
import { Button } from '#ui/button.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { Tooltip } from '#ui/tooltip.tsx';

/** Milliseconds between the response to one ping and the next. */
const PAUSE = 1000;
/** Round trips that are kept and drawn. */
const MAX_SHOWN = 60;

/** MCP 2026-07-28 has no `ping`. */
const sent: Readonly<Record<Era, string>> = {
  legacy: 'Sends ping',
  modern: 'Sends server/discover: the modern era has no ping',
};

/** Microseconds; null if there was no result. */
type RoundTrip = number | null;

/** Pings the server, once or repeatedly, and shows how long the responses took. */
export function PingTimes({ sessionId, era }: { readonly sessionId: string; readonly era: Era }) {
  const [trips, setTrips] = useState<readonly RoundTrip[]>([]);
  const [isRepeating, setRepeating] = useState(false);
  const add = (trip: RoundTrip) => setTrips((before) => [...before, trip].slice(-MAX_SHOWN));
  const { run, isRunning, fault } = useAction(async () => {
    try {
      add((await call('sessions/ping', { sessionId })).duration);
    } catch (error) {
      add(null);
      throw error;
    }
  });
  useRepeated(isRepeating, run);
  useCommands([{ id: 'session.ping', title: 'Ping', group: 'Session', run: () => void run() }]);
  const last = trips.at(-1) ?? null;
  return (
    <section aria-label="Round trips">
      <h3 className="caption mb-1">Round trips</h3>
      <div className="flex flex-wrap items-center gap-2">
        <Tooltip text={sent[era]}>
          <Button size="small" disabled={isRunning || isRepeating} onClick={() => void run()}>
            Ping
          </Button>
        </Tooltip>
        <Tooltip text="Pings one second after each response, until it is stopped or this pane is left">
          <Button
            size="small"
            variant={isRepeating ? 'plain' : 'quiet'}
            aria-pressed={isRepeating}
            onClick={() => setRepeating(!isRepeating)}
          >
            Repeat
          </Button>
        </Tooltip>
        {/* Read out once by a click, not each second. */}
        <span role="status" aria-live={isRepeating ? 'off' : 'polite'} className="mono">
          {fault !== null ? (
            <span className="text-err">
              <VisibleText text={fault.what} />
            </span>
          ) : (
            last !== null && <span className="text-in">answered in {formatDuration(last)}</span>
          )}
        </span>
      </div>
      {trips.length > 1 && <Chart trips={trips} />}
    </section>
  );
}

/** Runs the action, and again after a pause, while it is on. */
function useRepeated(isOn: boolean, run: () => Promise<void>): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!isOn) return;
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const step = async () => {
      await latest.current();
      if (!isStopped) timer = setTimeout(() => void step(), PAUSE);
    };
    void step();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [isOn]);
}

const BAR = 4;
const HEIGHT = 32;

/** One bar for each round trip, the newest on the right, and what they have in common. */
function Chart({ trips }: { readonly trips: readonly RoundTrip[] }) {
  const answered = trips.filter((trip) => trip !== null).sort((a, b) => a - b);
  const failed = trips.length - answered.length;
  const max = answered.at(-1);
  const summary = [...summaryOf(answered), ...(failed === 0 ? [] : [`${failed} without a result`])].join(
    ' · ',
  );
  return (
    <div className="mt-1.5">
      <svg
        role="img"
        aria-label={`${formatQuantity(trips.length, 'round trip')}: ${summary}`}
        width={MAX_SHOWN * BAR}
        height={HEIGHT}
        className="max-w-full border-b border-line"
      >
        {trips.map((trip, index) => {
          const height = trip === null || max === undefined ? HEIGHT : Math.max(2, (trip / max) * HEIGHT);
          return (
            <rect
              key={index}
              x={(MAX_SHOWN - trips.length + index) * BAR}
              y={HEIGHT - height}
              width={BAR - 1}
              height={height}
              className={trip === null ? 'fill-err' : 'fill-in'}
            >
              <title>{trip === null ? 'no result' : formatDuration(trip)}</title>
            </rect>
          );
        })}
      </svg>
      <p className="mono text-sm text-mute">{summary}</p>
    </div>
  );
}

/** @param answered microseconds, in rising order */
function summaryOf(answered: readonly number[]): string[] {
  const [min] = answered;
  const max = answered.at(-1);
  const upper = answered[Math.floor(answered.length / 2)];
  const lower = answered[Math.floor((answered.length - 1) / 2)];
  if (min === undefined || max === undefined || upper === undefined || lower === undefined) return [];
  return [
    `min ${formatDuration(min)}`,
    `median ${formatDuration((lower + upper) / 2)}`,
    `max ${formatDuration(max)}`,
  ];
}
