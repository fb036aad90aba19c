import { MAX_OVERVIEW_BUCKETS, MAX_OVERVIEW_PHASES, type Overview } from '#shared/contract/trace.ts';
import type { ReadableTrace } from './readable-trace.ts';
import { readRecord } from './view/row-reader.ts';
import { nextTurn } from '#transports/async.ts';

/** Rows per turn of the event loop. */
const STRETCH = 50_000;
/** Microseconds of a bucket at first. */
const FIRST_WIDTH = 1000;

/**
 * Counts the rows of a trace by stretches of time. Each row is counted once; when time outgrows the buckets, each two
 * become one, so that the cost of a row and of a reading does not depend on the length of the trace.
 */
export class OverviewCounter {
  readonly #trace: ReadableTrace;
  readonly #in = new Uint32Array(MAX_OVERVIEW_BUCKETS);
  readonly #out = new Uint32Array(MAX_OVERVIEW_BUCKETS);
  readonly #errors = new Uint32Array(MAX_OVERVIEW_BUCKETS);
  readonly #phases: Overview['phases'] = [];
  /** Rows of phases whose records were not read yet. */
  #unreadPhases: number[] = [];
  #from = 0;
  #to = 0;
  #width = FIRST_WIDTH;
  /** Rows before this one are counted. */
  #counted = 0;
  #reading: Promise<void> | undefined;

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
    trace.index.columns.onErrorChange = (row, isError) => {
      if (row < this.#counted) this.#add(this.#errors, row, isError ? 1 : -1);
    };
  }

  /** The overview up to now. */
  async read(): Promise<Overview> {
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    const used = this.#counted === 0 ? 0 : this.#bucketOf(this.#to) + 1;
    return {
      from: this.#from,
      to: this.#to,
      width: this.#width,
      in: [...this.#in.subarray(0, used)],
      out: [...this.#out.subarray(0, used)],
      errors: [...this.#errors.subarray(0, used)],
      phases: this.#phases,
    };
  }

  async #catchUp(): Promise<void> {
    const { columns } = this.#trace.index;
    while (this.#counted < columns.count) {
      const end = Math.min(this.#counted + STRETCH, columns.count);
      for (; this.#counted < end; this.#counted++) this.#count(this.#counted);
      if (end < columns.count) await nextTurn();
    }
    const unread = this.#unreadPhases;
    this.#unreadPhases = [];
    let read = 0;
    try {
      for (; read < unread.length; read++) {
        const row = unread[read] ?? 0;
        const record = await readRecord(this.#trace, row);
        if (record.kind === 'phase') this.#phases.push({ row, at: record.at, phase: record.phase });
      }
    } catch (error) {
      // The next reading tries them again.
      this.#unreadPhases = [...unread.slice(read), ...this.#unreadPhases];
      throw error;
    }
  }

  #count(row: number): void {
    const { columns } = this.#trace.index;
    const at = columns.at(row);
    if (row === 0) [this.#from, this.#to] = [at, at];
    this.#to = Math.max(this.#to, at);
    while (this.#to - this.#from >= this.#width * MAX_OVERVIEW_BUCKETS) this.#widen();
    const kind = columns.kind(row);
    const direction = columns.direction(row);
    if (direction !== null && kind !== 'http') this.#add(direction === 'in' ? this.#in : this.#out, row, 1);
    if (columns.isError(row)) this.#add(this.#errors, row, 1);
    if (kind === 'phase' && this.#phases.length + this.#unreadPhases.length < MAX_OVERVIEW_PHASES)
      this.#unreadPhases.push(row);
  }

  #add(counts: Uint32Array, row: number, by: 1 | -1): void {
    const bucket = this.#bucketOf(this.#trace.index.columns.at(row));
    counts[bucket] = (counts[bucket] ?? 0) + by;
  }

  /** In a trace that another program wrote, a row may be before the first one. */
  #bucketOf(at: number): number {
    return Math.max(0, Math.floor((at - this.#from) / this.#width));
  }

  /** Joins each two buckets. */
  #widen(): void {
    this.#width *= 2;
    for (const counts of [this.#in, this.#out, this.#errors]) {
      const half = counts.length / 2;
      for (let bucket = 0; bucket < half; bucket++)
        counts[bucket] = (counts[2 * bucket] ?? 0) + (counts[2 * bucket + 1] ?? 0);
      counts.fill(0, half);
    }
  }
}
