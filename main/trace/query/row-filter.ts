import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { TraceViewName } from '#shared/contract/trace.ts';
import type { Filter } from '#shared/trace/filter/filter.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { CallView } from './call-view.ts';
import { MatchList } from './match-list.ts';
import { RowTester } from './row-tester.ts';

/** Rows looked at in one go: few at first, so that there is something to show at once. */
const FIRST_STRETCH = 1024;
const LONGEST_STRETCH = 32 * 1024;

export interface RowFilterListener {
  /** More rows were looked at, or the filter failed. */
  progressed(): void;
  /** From this row on what was listed has another place, or is not listed any more. */
  moved(row: number): void;
}

/** What is asked of a trace. */
export interface Question {
  readonly filter: Filter;
  readonly view: TraceViewName;
  /** What the trace is called: its server, its session. */
  readonly sessions: readonly string[];
}

/** The rows of a trace that a filter matches. Follows the trace: rows are added, and others change. */
export class RowFilter {
  readonly #trace: ReadableTrace;
  readonly #listener: RowFilterListener;
  readonly #tester: RowTester;
  readonly #calls: CallView | null;
  readonly #matches = new MatchList();
  #scanned = 0;
  #stretch = FIRST_STRETCH;
  /** How many changes of rows were taken note of. */
  #changes: number;
  /** Rows looked at about which the answer may be another now. */
  #doubtful: number[] = [];
  /** Such rows are being looked at. */
  #isLookingAgain = false;
  #scanning: Promise<void> | undefined;
  #isEnded = false;
  #fault: Fault | null = null;

  constructor(trace: ReadableTrace, { filter, view, sessions }: Question, listener: RowFilterListener) {
    this.#trace = trace;
    this.#listener = listener;
    this.#tester = new RowTester(trace, filter, sessions);
    this.#calls = view === 'calls' ? new CallView(trace.index.columns) : null;
    this.#changes = trace.index.columns.changes.length;
  }

  get matches(): number {
    return this.#matches.count;
  }

  /** Rows looked at so far. */
  get scanned(): number {
    return this.#scanned;
  }

  get isDone(): boolean {
    if (this.#fault !== null) return true;
    const { count, changes } = this.#trace.index.columns;
    if (this.#isLookingAgain) return false;
    return this.#scanned >= count && this.#changes >= changes.length && this.#doubtful.length === 0;
  }

  /** The matching rows from the `from`th match on. @throws FaultError when the trace could not be searched */
  page(from: number, count: number): number[] {
    if (this.#fault !== null) throw new FaultError(this.#fault);
    return this.#matches.page(from, count);
  }

  /** The place among the matches of this row, or of the nearest match before it. */
  placeOf(row: number): number {
    return Math.max(0, this.#matches.placeFor(row + 1) - 1);
  }

  /** How many matches stand before this row. */
  countBefore(row: number): number {
    return this.#matches.placeFor(row);
  }

  /** Looks at the rows it has not seen. Never rejects; what went wrong is told when rows are asked for. */
  catchUp(): Promise<void> {
    if (this.#scanning === undefined && this.#isWanted() && !this.isDone) this.#scanning = this.#scan();
    return this.#scanning ?? Promise.resolve();
  }

  end(): void {
    this.#isEnded = true;
  }

  readonly #isWanted = (): boolean => !this.#isEnded && this.#fault === null;

  async #scan(): Promise<void> {
    try {
      while (this.#isWanted() && !this.isDone) {
        await this.#lookAgain();
        if (this.#isWanted()) await this.#lookOn();
        await nextTurn();
      }
      this.#listener.progressed();
    } catch (error) {
      if (this.#isEnded) return;
      this.#fault = cannotSearch(error);
      this.#listener.progressed();
    } finally {
      // Right after it was seen that nothing is left, so that what comes next begins again.
      this.#scanning = undefined;
    }
  }

  /** Looks at the next rows. */
  async #lookOn(): Promise<void> {
    const { columns } = this.#trace.index;
    const from = this.#scanned;
    const rows = rowsBetween(from, Math.min(from + this.#stretch, columns.count));
    if (rows.length === 0) return;
    // What changes while rows are read is looked at again.
    columns.watch(from + rows.length);
    const changed = this.#calls?.see(rows) ?? [];
    const matching = await this.#matching(rows);
    if (!this.#isWanted()) return;
    this.#matches.append(matching);
    this.#scanned += rows.length;
    this.#doubtful.push(...changed.filter((row) => row < from));
    this.#stretch = Math.min(this.#stretch * 2, LONGEST_STRETCH);
    this.#listener.progressed();
  }

  /** Looks again at rows that changed. */
  async #lookAgain(): Promise<void> {
    const rows = this.#takeDoubtful();
    this.#isLookingAgain = rows.length > 0;
    for (let from = 0; from < rows.length && this.#isWanted(); from += LONGEST_STRETCH) {
      const some = rows.slice(from, from + LONGEST_STRETCH);
      this.#doubtful.push(...(this.#calls?.see(some) ?? []));
      const matching = await this.#matching(some);
      if (!this.#isWanted()) return;
      const moved = this.#matches.update(some, matching);
      if (moved !== null) this.#listener.moved(moved);
      this.#listener.progressed();
      await nextTurn();
    }
    this.#isLookingAgain = false;
  }

  #takeDoubtful(): number[] {
    const { changes } = this.#trace.index.columns;
    if (this.#changes === changes.length && this.#doubtful.length === 0) return [];
    const rows = new Set([...this.#doubtful, ...changes.slice(this.#changes)]);
    this.#changes = changes.length;
    this.#doubtful = [];
    return [...rows].filter((row) => row < this.#scanned).sort((a, b) => a - b);
  }

  async #matching(rows: ArrayLike<number>): Promise<readonly number[]> {
    const matching = await this.#tester.matching(rows, this.#isWanted);
    return this.#calls === null ? matching : matching.filter((row) => !this.#calls?.folds(row));
  }
}

function rowsBetween(from: number, end: number): Uint32Array {
  const rows = new Uint32Array(Math.max(0, end - from));
  for (let place = 0; place < rows.length; place++) rows[place] = from + place;
  return rows;
}

const cannotSearch = (error: unknown): Fault => ({
  code: 'trace-not-searched',
  what: 'The trace could not be searched to its end.',
  why: error instanceof FaultError ? (error.fault.why ?? error.message) : messageOf(error),
  next: 'Check that the trace file was not moved or deleted, and filter again.',
});
