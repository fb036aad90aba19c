import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { allOf, type Filter } from '#shared/trace/filter/filter.ts';
import { parseFilter } from '#shared/trace/filter/parse.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { Fold } from '#shared/trace/row.ts';
import { FoldView } from './fold-view.ts';
import { RowTester } from './row-tester.ts';
import { nextTurn } from '#transports/async.ts';

/** Rows per step: few at first, so that there is something to show at once. */
const FIRST_STRETCH = 1024;
const MAX_STRETCH = 32 * 1024;

interface RowFilterListener {
  /** More rows were tested, or the filter failed. */
  progressed(): void;
  /** Called when matches were inserted or removed, the first of them at this row. */
  matchesChanged(row: number): void;
}

/** What to match. */
interface FilterOptions {
  readonly filter: Filter;
  readonly view: TraceViewName;
  /** In the view of calls: rows whose folds are open. */
  readonly open?: Iterable<number>;
  /** The names of the trace: its server, its session. */
  readonly sessions: readonly string[];
}

/** The rows of a trace that a filter matches. Follows the trace: rows are added, and others change. */
export class RowFilter {
  readonly #trace: ReadableTrace;
  readonly #listener: RowFilterListener;
  readonly #tester: RowTester;
  /** Tells whether a response may come with its request; null if the filter does not say it plainly. */
  readonly #responseTester: RowTester | null;
  readonly #folds: FoldView | null;
  readonly #matches = new MatchList();
  #scanned = 0;
  #stretch = FIRST_STRETCH;
  /** The number of row changes already processed. */
  #changes: number;
  /** Tested rows whose result may have changed. */
  #outdated: number[] = [];
  /** Whether such rows are being tested again. */
  #isTestingAgain = false;
  #scanning: Promise<void> | undefined;
  #isEnded = false;
  #fault: Fault | null = null;

  constructor(
    trace: ReadableTrace,
    { filter, view, open = [], sessions }: FilterOptions,
    listener: RowFilterListener,
  ) {
    this.#trace = trace;
    this.#listener = listener;
    this.#tester = new RowTester(trace, filter, sessions);
    const negated = negatedPartsOf(filter);
    this.#responseTester = negated === null ? null : new RowTester(trace, negated, sessions);
    this.#folds = view === 'calls' ? new FoldView(trace.index.columns, open) : null;
    this.#changes = trace.index.columns.changes.length;
  }

  get matches(): number {
    return this.#matches.count;
  }

  /** Rows tested so far. */
  get scanned(): number {
    return this.#scanned;
  }

  get isDone(): boolean {
    if (this.#fault !== null) return true;
    const { count, changes } = this.#trace.index.columns;
    if (this.#isTestingAgain) return false;
    return this.#scanned >= count && this.#changes >= changes.length && this.#outdated.length === 0;
  }

  /** The matching rows from the `from`th match on. @throws FaultError when the trace could not be searched */
  page(from: number, count: number): number[] {
    if (this.#fault !== null) throw new FaultError(this.#fault);
    return this.#matches.page(from, count);
  }

  /** All matching rows. */
  all(): Uint32Array<ArrayBuffer> {
    return this.#matches.all();
  }

  /**
   * The index of this row among the matches, or of the row it is folded into; else, not being listed, of the nearest match
   * before it.
   */
  placeOf(row: number): { readonly place: number; readonly isListed: boolean } {
    const shown = this.#matches.has(row) ? row : (this.#folds?.headOf(row) ?? row);
    const place = Math.max(0, this.#matches.placeFor(shown + 1) - 1);
    return { place, isListed: this.#matches.has(shown) };
  }

  /** What is folded into a row; null if nothing is. */
  foldOf(row: number): Fold | null {
    return this.#folds?.foldOf(row) ?? null;
  }

  /** The rows whose folds are open. */
  get open(): Iterable<number> {
    return this.#folds?.open ?? [];
  }

  /** Whether a row is listed below the one it would fold into. */
  isInOpenFold(row: number): boolean {
    const head = this.#folds?.headOf(row) ?? null;
    return head !== null && (this.#folds?.isOpen(head) ?? false);
  }

  /** Opens or closes the fold of a row: lists what is folded into it in its place, or no longer. */
  setOpen(row: number, isOpen: boolean): void {
    if (this.#folds === null || this.#folds.isOpen(row) === isOpen) return;
    this.#folds.setOpen(row, isOpen);
    for (const member of this.#folds.membersOf(row)) this.#outdated.push(member);
    this.#listener.matchesChanged(row);
    void this.catchUp();
  }

  /**
   * The listed rows, those folded into them that match as well, and the responses of listed requests unless a negated
   * term of the filter rejects them. In the order of the trace.
   *
   * @throws FaultError when the file cannot be read
   */
  async unfolded(): Promise<number[]> {
    const listed = this.page(0, this.matches);
    const folds = this.#folds;
    if (folds === null) return listed;
    const all = new Set(listed);
    const responses: number[] = [];
    for (const row of listed) {
      for (const member of folds.membersOf(row)) if (folds.matches(member)) all.add(member);
      const pair = this.#trace.index.columns.pair(row);
      if (pair !== null && pair > row && !all.has(pair)) responses.push(pair);
    }
    responses.sort((a, b) => a - b);
    for (const row of (await this.#responseTester?.matching(responses, () => true)) ?? []) all.add(row);
    return [...all].sort((a, b) => a - b);
  }

  /** The number of matches before this row. */
  countBefore(row: number): number {
    return this.#matches.placeFor(row);
  }

  /** Tests the rows it has not tested yet. Never rejects; `page` throws the error. */
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
        await this.#testAgain();
        if (this.#isWanted()) await this.#testNext();
        await nextTurn();
      }
      this.#listener.progressed();
    } catch (error) {
      if (this.#isEnded) return;
      this.#fault = cannotSearch(error);
      this.#listener.progressed();
    } finally {
      // In the same turn as the last check, so that the next change starts a new scan.
      this.#scanning = undefined;
    }
  }

  /** Tests the next rows. */
  async #testNext(): Promise<void> {
    const { columns } = this.#trace.index;
    const from = this.#scanned;
    const rows = rowsBetween(from, Math.min(from + this.#stretch, columns.count));
    if (rows.length === 0) return;
    // Rows that change in the meantime are tested again.
    columns.watch(from + rows.length);
    const moved = this.#fold(rows);
    const matching = await this.#matching(rows);
    if (!this.#isWanted()) return;
    this.#matches.append(matching);
    this.#scanned += rows.length;
    for (const row of moved) if (row < from) this.#outdated.push(row);
    this.#stretch = Math.min(this.#stretch * 2, MAX_STRETCH);
    this.#listener.progressed();
  }

  /** Tests changed rows again. */
  async #testAgain(): Promise<void> {
    const rows = this.#takeOutdated();
    this.#isTestingAgain = rows.length > 0;
    for (let from = 0; from < rows.length && this.#isWanted(); from += MAX_STRETCH) {
      const some = rows.slice(from, from + MAX_STRETCH);
      for (const row of this.#fold(some)) this.#outdated.push(row);
      const matching = await this.#matching(some);
      if (!this.#isWanted()) return;
      const changedFrom = this.#matches.update(some, matching);
      if (changedFrom !== null) this.#listener.matchesChanged(changedFrom);
      this.#listener.progressed();
      await nextTurn();
    }
    this.#isTestingAgain = false;
  }

  #takeOutdated(): number[] {
    const { changes } = this.#trace.index.columns;
    if (this.#changes === changes.length && this.#outdated.length === 0) return [];
    const rows = new Set([...this.#outdated, ...changes.slice(this.#changes)]);
    this.#changes = changes.length;
    this.#outdated = [];
    return [...rows].filter((row) => row < this.#scanned).sort((a, b) => a - b);
  }

  /** Folds rows that are new or have changed; returns those that fold differently now. */
  #fold(rows: ArrayLike<number> & Iterable<number>): Iterable<number> {
    if (this.#folds === null) return [];
    const { moved, counted } = this.#folds.add(rows);
    if (counted !== null) this.#listener.matchesChanged(counted);
    return moved;
  }

  /** Those of these rows that match and are not folded into a row that the list shows. */
  async #matching(rows: ArrayLike<number> & Iterable<number>): Promise<readonly number[]> {
    const matching = await this.#tester.matching(rows, this.#isWanted);
    const folds = this.#folds;
    if (folds === null || !this.#isWanted()) return matching;
    const isMatching = new Set(matching);
    // What folds into a row that no longer matches is listed itself.
    for (const row of rows) {
      if (row >= this.#scanned || folds.matches(row) === isMatching.has(row)) continue;
      for (const member of folds.membersOf(row)) this.#outdated.push(member);
    }
    const counted = folds.setMatching(rows, isMatching);
    if (counted !== null) this.#listener.matchesChanged(counted);
    return matching.filter((row) => {
      const head = folds.headOf(row);
      return head === null || folds.isOpen(head);
    });
  }
}

/** What a filter rejects by a negation, as a filter of its own; null if a negation is within another term. */
function negatedPartsOf(filter: Filter): Filter | null {
  const parts = filter.type === 'and' ? filter.parts : [filter];
  const negated = parts.filter((part) => part.type === 'not');
  return parts.some((part) => part.type !== 'not' && hasNegation(part)) ? null : allOf(negated);
}

function hasNegation(filter: Filter): boolean {
  if (filter.type === 'term') return false;
  return filter.type === 'not' || filter.parts.some(hasNegation);
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

/** The rows that match, in their order. */
class MatchList {
  #rows = new Uint32Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The matches from the `from`th on. */
  page(from: number, count: number): number[] {
    return [...this.#rows.subarray(from, Math.max(from, Math.min(from + count, this.#count)))];
  }

  all(): Uint32Array<ArrayBuffer> {
    return this.#rows.slice(0, this.#count);
  }

  /** The number of matches before this row. */
  placeFor(row: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Appends rows, which must come after all others. */
  append(rows: ArrayLike<number>): void {
    if (this.#count + rows.length > this.#rows.length) {
      const grown = new Uint32Array(Math.max(this.#rows.length * 2, this.#count + rows.length));
      grown.set(this.#rows.subarray(0, this.#count));
      this.#rows = grown;
    }
    this.#rows.set(rows, this.#count);
    this.#count += rows.length;
  }

  /**
   * Updates these rows: those in `matching` become matches, the others do not. Both are sorted. Returns the first row
   * that was added or removed; null if none.
   */
  update(rows: readonly number[], matching: readonly number[]): number | null {
    const isMatching = new Set(matching);
    const changed = rows.filter((row) => this.has(row) !== isMatching.has(row));
    const [first] = changed;
    if (first === undefined) return null;
    const come = changed.filter((row) => isMatching.has(row));
    const gone = changed.filter((row) => !isMatching.has(row));
    const from = this.placeFor(first);
    const after = this.#rows.slice(from, this.#count);
    const merged = new Uint32Array(after.length + come.length - gone.length);
    let [written, nextCome, nextGone] = [0, 0, 0];
    for (const row of after) {
      for (; (come[nextCome] ?? row) < row; nextCome++) merged[written++] = come[nextCome] ?? 0;
      if (gone[nextGone] === row) nextGone++;
      else merged[written++] = row;
    }
    for (; nextCome < come.length; nextCome++) merged[written++] = come[nextCome] ?? 0;
    this.#count = from;
    this.append(merged);
    return first;
  }

  has(row: number): boolean {
    const place = this.placeFor(row);
    return place < this.#count && this.#rows[place] === row;
  }
}

/** Parses a filter. @throws FaultError that shows where the error is */
export function readFilter(text: string): Filter {
  const parsed = parseFilter(text);
  if (parsed.ok) return parsed.filter;
  const { from, to, message } = parsed.error;
  const sign = '^'.repeat(Math.max(1, to - from));
  throw new FaultError({
    code: 'bad-filter',
    what: 'The filter cannot be read.',
    why: message,
    next: `Change it at character ${from + 1}.`,
    evidence: `${text.replaceAll(/\s/g, ' ')}\n${' '.repeat(from)}${sign}`,
  });
}
