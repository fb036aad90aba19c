import type { TraceHeader, TraceRecord } from '#shared/trace/record.ts';

/** Milliseconds within which a record is written to its file. */
const WRITTEN_WITHIN = 5000;
/**
 * Milliseconds after which an unchanged file is not being written: a session records the time at least every minute.
 */
export const UNCHANGED_AFTER = 2 * 60_000;
/** Milliseconds a server may take to exit after its session has failed. */
const ENDING = 15_000;

/** The state of a `FileClock`, as plain values. */
export interface ClockState {
  readonly tie: { readonly at: number; readonly wall: number };
  readonly isOver: 'no' | 'closed' | 'failed';
  readonly at: number;
  readonly seq: number;
}

/**
 * Follows the times in the records of a file: to stamp the next record, and to tell whether the file is being written.
 */
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

  add(record: TraceRecord): void {
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

  /** Notes that another process has written to the file. */
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
    const isQuiet = Date.now() - changedAt > (this.#isOver === 'failed' ? ENDING : UNCHANGED_AFTER);
    return !isQuiet && (this.#grewAt > 0 || Math.abs(changedAt - lastHappened) < WRITTEN_WITHIN);
  }
}
