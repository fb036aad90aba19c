import type { TraceViewName } from '#shared/contract/trace.ts';
import type { App, Host } from '../app/app.ts';
import type { BareFigures } from '../bare/client.ts';
import { count, megabytes, milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { bothLine, type Line, ownLine, type Table, under } from '../report/table.ts';
import type { FloodSize, TransportName } from '../servers/flood-server.ts';
import { type AppFigures, measureApp, measureBare } from './measure-flood.ts';

export interface FloodOptions extends FloodSize {
  readonly transport: TransportName;
  readonly rounds: number;
  /** What the table lists. */
  readonly view: TraceViewName;
  /** What else is to be done with the app of the last round, whose table holds the flood. */
  readonly after?: (app: App) => Promise<void>;
}

/**
 * Every notification of a flood kept and listed while the trace is on screen, next to a bare client. The two take
 * turns, so that what else the machine does hits both.
 */
export async function floodTable(host: Host, options: FloodOptions): Promise<Table> {
  const { transport, view, rounds, after } = options;
  const bare: BareRound[] = [];
  const app: AppFigures[] = [];
  for (let round = 1; round <= rounds; round++) {
    bare.push(await measureBare(host, transport, options));
    app.push(await measureApp(host, options, round === rounds ? after : undefined));
  }
  const title = `flood: ${count(options.count)} notifications of ${options.size} B over ${words[transport]}, the trace on screen, ${viewLabels[view]}; rounds: ${rounds}`;
  return { title, lines: compare(options, worstOf(app), medianOf(bare)) };
}

const viewLabels: Readonly<Record<TraceViewName, string>> = { messages: 'Messages', calls: 'Calls' };

const words: Readonly<Record<TransportName, string>> = {
  stdio: 'stdio',
  http: 'Streamable HTTP (the stream of one POST)',
};

type BareRound = BareFigures & { readonly idlePageGap: number };

const medianOf = (rounds: readonly BareRound[]): BareRound => ({
  time: median(rounds.map(({ time }) => time)),
  received: Math.min(...rounds.map(({ received }) => received)),
  processor: median(rounds.map(({ processor }) => processor)),
  idlePageGap: Math.max(...rounds.map(({ idlePageGap }) => idlePageGap)),
});

/** The middle of what varies, and the worst of what must never be worse. */
const worstOf = (rounds: readonly AppFigures[]): AppFigures => ({
  time: median(rounds.map(({ time }) => time)),
  listed: Math.min(...rounds.map(({ listed }) => listed)),
  idleGap: Math.max(...rounds.map(({ idleGap }) => idleGap)),
  longestGap: Math.max(...rounds.map(({ longestGap }) => longestGap)),
  processor: orNull(
    rounds.flatMap(({ processor }) => processor ?? []),
    median,
  ),
  engineMemory: orNull(
    rounds.flatMap(({ engineMemory }) => engineMemory ?? []),
    (known) => Math.max(...known),
  ),
  pageHeap: Math.max(...rounds.map(({ pageHeap }) => pageHeap)),
});

const orNull = (known: readonly number[], of: (known: readonly number[]) => number): number | null =>
  known.length > 0 ? of(known) : null;

/** Milliseconds over the longest gap of an idle page beside the bare client: what the machine itself does to frames. */
const GAP_GOAL = 50;
const TIME_GOAL = 1.1;
/** The goal is of floods this large: the time of a smaller one is largely that of the few frames that draw it. */
const LARGE_FLOOD = 100_000;
const ENGINE_GOAL = 400e6;
const HEAP_GOAL = 100e6;

function compare(flood: FloodSize, app: AppFigures, bare: BareRound): Line[] {
  const isAll = app.listed === flood.count && bare.received === flood.count;
  const timeGoal = { text: `at most ${TIME_GOAL}x`, isMet: app.time <= TIME_GOAL * bare.time };
  const lines = [
    bothLine('received, and in the app listed', app.listed, bare.received, count, {
      text: 'all',
      isMet: isAll,
    }),
    bothLine(
      'time until the last',
      app.time,
      bare.time,
      milliseconds,
      flood.count >= LARGE_FLOOD ? timeGoal : undefined,
    ),
    ...(app.processor === null
      ? []
      : [
          bothLine(
            '  processor of the engine, and of the client',
            app.processor,
            bare.processor,
            milliseconds,
          ),
        ]),
    bothLine(
      'longest gap between two frames, worst; of an idle page beside the bare client',
      app.longestGap,
      bare.idlePageGap,
      milliseconds,
      {
        text: `at most ${GAP_GOAL} ms more`,
        isMet: app.longestGap <= bare.idlePageGap + GAP_GOAL,
      },
    ),
    ownLine('  the same while nothing happens', app.idleGap, milliseconds),
    ownLine(
      'memory of the engine, at most',
      app.engineMemory,
      megabytes,
      under(app.engineMemory, ENGINE_GOAL, megabytes),
    ),
    ownLine(
      'JavaScript heap of the page',
      app.pageHeap,
      megabytes,
      under(app.pageHeap, HEAP_GOAL, megabytes),
    ),
  ];
  return lines;
}
