import { type AppFigures, measureApp } from './measure-app.ts';
import { type BareFigures, measureBareClient } from './measure-bare-client.ts';
import { median } from './median.ts';
import { type Line, none, ratioOf } from './table.ts';

export interface FloodSettings {
  /** Notifications in the flood, and bytes of each. */
  readonly count: number;
  readonly size: number;
  /** Calls of `echo` whose time is taken. */
  readonly calls: number;
}

/**
 * Every notification of a flood kept and listed while the trace is on screen, next to a bare client. The two take
 * turns, so that what else the machine does hits both.
 */
export async function flood([count = 10_000, size = 200, rounds = 3]: readonly number[]) {
  const settings: FloodSettings = { count, size, calls: 20 };
  const bare: BareFigures[] = [];
  const app: AppFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await measureBareClient(settings));
    app.push(await measureApp(settings));
  }
  const title = `flood: ${number(count)} notifications of ${number(size)} B over stdio, the trace on screen; rounds: ${rounds}`;
  return { title, lines: compare(settings, summarizeApp(app), summarizeBare(bare)) };
}

const summarizeBare = (rounds: readonly BareFigures[]): BareFigures => ({
  floodTime: median(rounds.map(({ floodTime }) => floodTime)),
  received: Math.min(...rounds.map(({ received }) => received)),
  callTime: median(rounds.map(({ callTime }) => callTime)),
});

/** The middle of what varies, and the worst of what must never be worse. */
const summarizeApp = (rounds: readonly AppFigures[]): AppFigures => ({
  floodTime: median(rounds.map(({ floodTime }) => floodTime)),
  listed: Math.min(...rounds.map(({ listed }) => listed)),
  callTime: median(rounds.map(({ callTime }) => callTime)),
  idleGap: Math.max(...rounds.map(({ idleGap }) => idleGap)),
  longestGap: Math.max(...rounds.map(({ longestGap }) => longestGap)),
  engineMemory: worst(rounds.flatMap(({ engineMemory }) => engineMemory ?? [])),
  pageHeap: worst(rounds.map(({ pageHeap }) => pageHeap)) ?? Number.NaN,
});

const worst = (figures: readonly number[]): number | null =>
  figures.length > 0 ? Math.max(...figures) : null;

const GAP_GOAL = 100;
const CALL_GOAL = 1000;
const TIME_GOAL = 1.5;
/** The goal is of floods this large: the time of a smaller one is largely that of the few frames that draw it. */
const LARGE_FLOOD = 100_000;
const ENGINE_GOAL = 400e6;
const HEAP_GOAL = 100e6;

function compare({ count, calls }: FloodSettings, app: AppFigures, bare: BareFigures): Line[] {
  const alone = { bare: none, ratio: none };
  const memory = app.engineMemory;
  return [
    {
      what: 'received, and in the app listed',
      app: number(app.listed),
      bare: number(bare.received),
      ratio: ratioOf(app.listed, bare.received),
      goal: { text: 'all', isMet: app.listed === count && bare.received === count },
    },
    {
      what: 'time until the last',
      app: milliseconds(app.floodTime),
      bare: milliseconds(bare.floodTime),
      ratio: ratioOf(app.floodTime, bare.floodTime),
      ...(count >= LARGE_FLOOD && {
        goal: { text: `at most ${TIME_GOAL}x`, isMet: app.floodTime <= TIME_GOAL * bare.floodTime },
      }),
    },
    {
      what: 'longest gap between two frames, worst',
      app: milliseconds(app.longestGap),
      ...alone,
      goal: { text: `at most ${GAP_GOAL} ms`, isMet: app.longestGap <= GAP_GOAL },
    },
    { what: '  the same while nothing happens', app: milliseconds(app.idleGap), ...alone },
    {
      what: `a call of echo, median of ${calls}`,
      app: milliseconds(app.callTime / 1000),
      bare: milliseconds(bare.callTime / 1000),
      ratio: ratioOf(app.callTime, bare.callTime),
      goal: { text: 'within 1 ms', isMet: Math.abs(app.callTime - bare.callTime) <= CALL_GOAL },
    },
    {
      what: 'memory of the engine, at most',
      app: memory === null ? none : megabytes(memory),
      ...alone,
      ...(memory !== null && {
        goal: { text: `under ${megabytes(ENGINE_GOAL)}`, isMet: memory < ENGINE_GOAL },
      }),
    },
    {
      what: 'JavaScript heap of the page',
      app: megabytes(app.pageHeap),
      ...alone,
      goal: { text: `under ${megabytes(HEAP_GOAL)}`, isMet: app.pageHeap < HEAP_GOAL },
    },
  ];
}

const format = (value: number, digits: number) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const number = (value: number) => format(value, 0);
const milliseconds = (value: number) => `${format(value, value < 100 ? 1 : 0)} ms`;
const megabytes = (value: number) => `${format(value / 1e6, 0)} MB`;
