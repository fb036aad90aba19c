import type { TraceHeader, TraceRecord } from '#shared/trace/record.ts';

/** Milliseconds within which a record is written to its file. */
const WRITTEN_WITHIN = 5000;
/** Milliseconds after which an unchanged trace is not being written: a session records the time every minute. */
const QUIET = 90_000;
/** Milliseconds a server may take to exit after its session has failed. */
const ENDING = 15_000;

/** The state of a `FileClock`, as plain values. */
export interface ClockState {
  readonly tie: { readonly at: number; readonly wall: number };
  readonly isOver: 'no' | 'closed' | 'failed';
  readonly at: number;
  readonly seq: number;
}

/** Follows the times in the records of a file: to stamp the next record, and to tell whether the file is being written. */
export class FileClock {
  #tie: { readonly at: number; readonly wall: number };
  #isOver: ClockState['isOver'] = 'no';
  /** When the file was seen to grow, in milliseconds since the Unix epoch. */
  #grewAt = 0;
  /** The highest stamp and number so far. */
  at: number;
  seq = -1;

  constructor({ clock }: TraceHeader) {
    this.#tie = clock;
    this.at = clock.at;
  }

  see(record: TraceRecord): void {
    if (record.seq > this.seq) this.seq = record.seq;
    // Marks may be added long after the session has ended.
    if (record.kind === 'mark') return;
    if (record.at > this.at) this.at = record.at;
    if (record.kind === 'anchor') this.#tie = record;
    if (record.kind === 'phase') {
      const { phase } = record;
      this.#isOver = phase === 'closed' || phase === 'failed' ? phase : 'no';
    }
  }

  get state(): ClockState {
    const { at, wall } = this.#tie;
    return { tie: { at, wall }, isOver: this.#isOver, at: this.at, seq: this.seq };
  }

  restore({ tie, isOver, at, seq }: ClockState): void {
    this.#tie = tie;
    this.#isOver = isOver;
    this.at = at;
    this.seq = seq;
  }

  /** Another process has written to the file. */
  grew(): void {
    this.#grewAt = Date.now();
  }

  /**
   * Whether a session seems to be writing the file. A copy or an export was changed much later than its last record.
   *
   * @param changedAt when the file was changed last, in milliseconds since the Unix epoch
   */
  isBeingWritten(changedAt: number): boolean {
    if (this.#isOver === 'closed') return false;
    const lastHappened = this.#tie.wall + (this.at - this.#tie.at) / 1000;
    const isQuiet = Date.now() - changedAt > (this.#isOver === 'failed' ? ENDING : QUIET);
    return !isQuiet && (this.#grewAt > 0 || Math.abs(changedAt - lastHappened) < WRITTEN_WITHIN);
  }
}

/** How many durations are kept. */
const KEPT = 1000;

export interface DurationsState {
  readonly kept: readonly number[];
  /** Index of the next one. */
  readonly next: number;
}

/** The newest durations, for a median in constant time however long a session runs. */
export class DurationSample {
  readonly #durations: number[] = [];
  #next = 0;

  add(microseconds: number): void {
    this.#durations[this.#next] = microseconds;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** The durations as plain values. */
  get state(): DurationsState {
    return { kept: this.#durations, next: this.#next };
  }

  /** Takes over earlier durations. This must be empty. */
  restore({ kept, next }: DurationsState): void {
    this.#durations.push(...kept.slice(0, KEPT));
    this.#next = next % KEPT;
  }

  /** Median microseconds; null before the first. */
  median(): number | null {
    if (this.#durations.length === 0) return null;
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const upper = sorted[sorted.length >> 1] ?? 0;
    const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
    return (lower + upper) / 2;
  }
}
