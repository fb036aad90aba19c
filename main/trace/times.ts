import type { TraceHeader, TraceRecord } from '#shared/trace/record.ts';

/** Milliseconds within which the last record of a trace that is being written comes to its file. */
const WRITTEN_WITHIN = 5000;
/** Milliseconds after which nobody writes a trace that did not change: a session notes the time every minute. */
const QUIET = 90_000;
/** Milliseconds that a server may take to end after its session has failed. */
const ENDING = 15_000;

/** What the records of a trace say of time, as plain values. */
export interface ClockState {
  readonly tie: { readonly at: number; readonly wall: number };
  readonly isOver: 'no' | 'closed' | 'failed';
  readonly at: number;
  readonly seq: number;
}

/** Follows what the records of a file say of time: what the next one would be stamped, and whether one will come. */
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
    // Somebody may put a mark on it long after its session; that says nothing of when it ended.
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

  /** Others have written to the file. */
  grew(): void {
    this.#grewAt = Date.now();
  }

  /**
   * Whether the session that a trace is of seems to go on writing it. A copy, or what was exported, was changed much
   * later than the last thing in it happened.
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
  /** Where the next one is put. */
  readonly next: number;
}

/** The newest durations, for a median that costs the same however long a session runs. */
export class DurationSample {
  readonly #durations: number[] = [];
  #next = 0;

  add(microseconds: number): void {
    this.#durations[this.#next] = microseconds;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** What is kept, as plain values. */
  get state(): DurationsState {
    return { kept: this.#durations, next: this.#next };
  }

  /** Takes over durations that were kept before, in place of none. */
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
