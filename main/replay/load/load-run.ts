import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { type LoadReport, MAX_LOAD_CONCURRENCY } from '#shared/contract/load.ts';
import type { Params } from '#shared/contract/index.ts';
import { truncate } from '#shared/format.ts';
import { LatencyHistogram } from './latency-histogram.ts';

/** One call of a run, or one that was not sent. */
export interface LoadedCall {
  /** Null if all was as expected. */
  readonly error: string | null;
  readonly isSkipped: boolean;
  /** Microseconds; null without a response. */
  readonly duration: number | null;
  readonly requestRow: number | null;
}

/** Makes the calls of one run. @param run its number, from 1 */
export type LoadTask = (run: number) => Promise<readonly LoadedCall[]>;

export interface LoadOptions {
  readonly count: number;
  readonly schedule: Params<'load/run'>['schedule'];
  readonly stop: AbortSignal;
  readonly onAdvance: (done: number, failed: number) => void;
  /** @throws FaultError if no call can be made any more */
  readonly mustBeReady: () => void;
}

/** The row of a call, and the microseconds that it waited after it was due; only the first call of a run waits. */
export interface LoadSample {
  readonly row: number;
  readonly waited: number;
}

/** Limits of what is kept beyond the figures: calls whose steps are read, kinds of errors, and characters of one. */
const MAX_SAMPLES = 2000;
const MAX_KINDS = 20;
const MAX_KIND = 160;

type Figures = Omit<LoadReport, 'steps'>;

/** Makes calls on a schedule, and measures them. Its memory does not grow with the calls. */
export class LoadRun {
  /** From request to response, of all calls. */
  readonly ends = new LatencyHistogram();
  /** From when a run was due until it started, of all runs. */
  readonly waited = new LatencyHistogram();
  /** All calls of runs that are evenly spread over the load. */
  readonly samples: LoadSample[] = [];
  readonly #options: LoadOptions;
  readonly #task: LoadTask;
  readonly #errors = new Map<string, number>();
  readonly #slots: Slots;
  #done = 0;
  #failed = 0;
  #calls = 0;
  #skipped = 0;
  #rows: Figures['rows'] = null;
  #slowest: { readonly row: number; readonly duration: number } | null = null;
  #fault: Fault | null = null;

  constructor(task: LoadTask, options: LoadOptions) {
    this.#task = task;
    this.#options = options;
    const { schedule } = options;
    this.#slots = new Slots(schedule.kind === 'concurrency' ? schedule.concurrency : MAX_LOAD_CONCURRENCY);
  }

  async run(): Promise<Figures> {
    const { count, schedule, stop } = this.#options;
    const startedAt = performance.now();
    for (let place = 0; place < count; place++) {
      const due = schedule.kind === 'rate' ? startedAt + (place * 1000) / schedule.rate : null;
      const early = due === null ? 0 : due - performance.now();
      if (early > 0) await delay(early, undefined, { signal: stop }).catch(() => undefined);
      await this.#slots.take(due !== null);
      if (stop.aborted || this.#fault !== null) {
        this.#slots.free();
        break;
      }
      const waited = due === null ? 0 : (performance.now() - due) * 1000;
      if (due !== null) this.waited.add(waited);
      void this.#once(place, waited);
    }
    await this.#slots.allFree();
    const elapsed = performance.now() - startedAt;
    return {
      requested: count,
      done: this.#done,
      failed: this.#failed,
      calls: this.#calls,
      skipped: this.#skipped,
      elapsed,
      throughput: elapsed === 0 ? 0 : (this.#done / elapsed) * 1000,
      mostAtOnce: this.#slots.most,
      waits: this.#slots.waits,
      errors: [...this.#errors]
        .map(([kind, times]) => ({ kind, count: times }))
        .sort((a, b) => b.count - a.count),
      rows: this.#rows,
      slowest: this.#slowest?.row ?? null,
      isStopped: stop.aborted,
      fault: this.#fault,
    };
  }

  /** Never rejects. */
  async #once(place: number, waited: number): Promise<void> {
    try {
      const calls = await this.#task(place + 1);
      // By runs: every nth call of a file would always be the same one of its calls.
      const isSampled = place % Math.ceil((this.#options.count * calls.length) / MAX_SAMPLES) === 0;
      let wait = waited;
      for (const call of calls) {
        this.#note(call, isSampled ? wait : null);
        if (!call.isSkipped) wait = 0;
      }
      this.#done++;
      if (calls.some(({ error }) => error !== null)) this.#failed++;
      if (calls.some(({ error, duration }) => error !== null && duration === null))
        this.#options.mustBeReady();
    } catch (error) {
      this.#fault ??= error instanceof FaultError ? error.fault : unexpected(error);
    } finally {
      this.#slots.free();
      this.#options.onAdvance(this.#done, this.#failed);
    }
  }

  /** @param waited null if the call is not sampled */
  #note({ error, isSkipped, duration, requestRow }: LoadedCall, waited: number | null): void {
    if (isSkipped) {
      this.#skipped++;
      return;
    }
    this.#calls++;
    if (duration !== null) this.ends.add(duration);
    if (requestRow !== null) this.#noteRow(requestRow, duration);
    if (error !== null) this.#noteError(truncate(error, MAX_KIND));
    if (requestRow !== null && waited !== null && this.samples.length < MAX_SAMPLES) {
      this.samples.push({ row: requestRow, waited });
    }
  }

  #noteRow(row: number, duration: number | null): void {
    // Calls end in another order than they begin.
    const { first, last } = this.#rows ?? { first: row, last: row };
    this.#rows = { first: Math.min(first, row), last: Math.max(last, row) };
    if (duration !== null && duration > (this.#slowest?.duration ?? -1)) this.#slowest = { row, duration };
  }

  #noteError(kind: string): void {
    const known = this.#errors.has(kind) || this.#errors.size < MAX_KINDS ? kind : 'others';
    this.#errors.set(known, (this.#errors.get(known) ?? 0) + 1);
  }
}

const unexpected = (error: unknown): Fault => ({
  code: 'internal',
  what: 'A call of the load failed unexpectedly.',
  why: String(error),
});

/** Limits how many runs are under way. */
class Slots {
  readonly #limit: number;
  #taken = 0;
  #wake: () => void = () => undefined;
  /** The most that were taken at a time. */
  most = 0;
  /** How often one that was due had to wait. */
  waits = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a free slot, and takes it. One caller at a time. */
  async take(isDue: boolean): Promise<void> {
    if (isDue && this.#taken >= this.#limit) this.waits++;
    while (this.#taken >= this.#limit) await this.#woken();
    this.#taken++;
    this.most = Math.max(this.most, this.#taken);
  }

  free(): void {
    this.#taken--;
    this.#wake();
  }

  async allFree(): Promise<void> {
    while (this.#taken > 0) await this.#woken();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
