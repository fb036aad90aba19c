import { randomUUID } from 'node:crypto';
import type {
  CallComparison,
  Comparison,
  latencySteps,
  OpenComparison,
} from '#shared/contract/comparison.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Params, Result } from '#shared/contract/index.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';
import type { ExchangeDetail, TracedCall } from '#shared/contract/trace.ts';
import { percentilesOf } from './compare/compare-sessions.ts';
import type { CompareSides } from './compare/compare-sides.ts';
import { readCall, readSide, type SideOptions } from './read-sides.ts';
import type { RecordingIdentity, SavedComparison } from './saved-comparison.ts';

export interface KeptComparisonOptions extends SideOptions {
  readonly compare: CompareSides;
  readonly summary: (
    params: Params<'trace/summary'>,
  ) => Promise<Result<'trace/summary'>> | Result<'trace/summary'>;
  /** The exchange that carried a row; null if none did. */
  readonly exchangeOf: (sessionId: string, row: number) => Promise<ExchangeDetail | null>;
  readonly saved: SavedComparison;
}

/** A comparison with what its commands need. */
export interface KeptComparison {
  readonly comparison: Comparison;
  /** Sessions or opened traces. */
  readonly recorded: string;
  readonly other: string;
  readonly recording: RecordingIdentity;
}

/** Comparisons that are kept; a pane shows one at a time. */
const MAX_KEPT = 6;

/** The comparisons that the window shows. */
export class KeptComparisons {
  readonly #options: KeptComparisonOptions;
  readonly #kept = new Map<string, KeptComparison>();

  constructor(options: KeptComparisonOptions) {
    this.#options = options;
  }

  /** Compares by the saved rules and the accepted responses. */
  async open(recorded: string, other: string, replay: ReplayRun | null): Promise<OpenComparison> {
    const { saved, summary } = this.#options;
    const [left, right, recording] = await Promise.all([
      readSide(recorded, this.#options),
      readSide(other, this.#options),
      summary({ sessionId: recorded }),
    ]);
    const expected = await saved.expected(recording, left.calls);
    const rules = await saved.rulesOf(recording.server.name);
    const { comparison, unchanged } = await this.#options.compare({
      recorded: { ...left, calls: expected.calls },
      other: right,
      rules,
      replay,
      acceptedRows: expected.acceptedRows,
    });
    const id = randomUUID();
    const kept = { comparison, recorded, other, recording };
    this.#kept.set(id, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    const { calls, ...shown } = comparison;
    return {
      ...shown,
      id,
      classes: calls.map((call) => call.class),
      recordedRows: calls.map((call) => call.recorded?.row ?? null),
      steps: await latencyOfSteps(kept, this.#options),
      unchanged,
    };
  }

  /** @throws FaultError if it is not kept */
  get(comparisonId: string): KeptComparison {
    const kept = this.#kept.get(comparisonId);
    if (kept === undefined) throw new FaultError(isForgotten);
    return kept;
  }

  close(comparisonId: string): void {
    this.#kept.delete(comparisonId);
  }

  /** The two sides of a compared call; the recorded one with the response that is expected of it. */
  async sidesOf(
    { comparison, recorded, other, recording }: KeptComparison,
    place: number,
  ): Promise<{ readonly recorded: TracedCall | null; readonly other: TracedCall | null }> {
    const call: CallComparison | undefined = comparison.calls[place];
    const [left, right] = await Promise.all([
      call?.recorded == null ? null : readCall(recorded, call.recorded, this.#options),
      call?.other == null ? null : readCall(other, call.other, this.#options),
    ]);
    const { calls } = await this.#options.saved.expected(recording, left === null ? [] : [left]);
    return { recorded: calls[0] ?? null, other: right };
  }
}

/** Calls whose exchanges are read for the steps; more would tell hardly more. */
const MAX_EXCHANGES = 500;

type Step = (typeof latencySteps)[number];

/** The 95th percentile of each step, over the calls that both sides have. */
export async function latencyOfSteps(
  { comparison, recorded, other }: Omit<KeptComparison, 'recording'>,
  { exchangeOf }: Pick<KeptComparisonOptions, 'exchangeOf'>,
): Promise<OpenComparison['steps']> {
  const pairs = comparison.calls.filter((call) => call.direction === 'out' && call.recorded && call.other);
  const every = Math.max(1, Math.floor(pairs.length / MAX_EXCHANGES));
  const read = pairs.filter((_, index) => index % every === 0).slice(0, MAX_EXCHANGES);
  const timesOf = async (sessionId: string, rows: readonly number[]): Promise<StepTimes[]> => {
    const times: StepTimes[] = [];
    for (const row of rows) {
      const exchange = await exchangeOf(sessionId, row);
      // The calls of a session go over one transport.
      if (exchange === null) return [];
      times.push(stepTimes(exchange));
    }
    return times;
  };
  const left = await timesOf(
    recorded,
    read.map((call) => call.recorded?.row ?? 0),
  );
  const right = await timesOf(
    other,
    read.map((call) => call.other?.row ?? 0),
  );
  const steps = (['queued', 'connected', 'first-byte'] as const).map((step) => ({
    step,
    recorded: percentile95(left.map((times) => times[step])),
    other: percentile95(right.map((times) => times[step])),
  }));
  const latency = comparison.latency;
  return [
    ...steps.filter((step) => step.recorded !== null || step.other !== null),
    ...(latency === null
      ? []
      : [{ step: 'end' as const, recorded: latency.recorded.p95, other: latency.other.p95 }]),
  ];
}

type StepTimes = Readonly<Record<Exclude<Step, 'end'>, number | null>>;

/** Microseconds from the start of an exchange to the end of each step. */
export function stepTimes({ request, connected, responses }: ExchangeDetail): StepTimes {
  const head = responses.find(({ interim }) => interim !== true);
  const took = Object.values(connected?.took ?? {}).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const connectedAt = connected === null ? null : Math.max(0, connected.at - request.at);
  return {
    queued: connectedAt === null ? null : Math.max(0, connectedAt - took),
    connected: connectedAt,
    'first-byte': head === undefined ? null : Math.max(0, head.at - request.at),
  };
}

function percentile95(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : percentilesOf(known).p95;
}

const isForgotten = {
  code: 'comparison-closed',
  what: 'This comparison is no longer kept.',
  next: 'Compare again.',
};
