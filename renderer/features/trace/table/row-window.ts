import type { TraceRow } from '#shared/trace/row.ts';

/** Rows asked for at once. */
export const PAGE_ROWS = 100;
/** Pages kept; beyond that the ones not looked at for longest are dropped. */
export const MAX_PAGES = 48;
const MAX_IN_FLIGHT = 4;

export interface RowAnswer {
  readonly total: number;
  readonly rows: readonly TraceRow[];
}

export interface RowWindowParts {
  /** Asks the engine for rows. */
  readonly read: (from: number, count: number) => Promise<RowAnswer>;
  /** Told when rows, their count or the failure are other ones now. Not called for each row. */
  readonly onChange: () => void;
  /** The same, of rows that the user waits for: the screen is blank there. */
  readonly onAwaited: () => void;
  /** Runs something with the next frame. */
  readonly onNextFrame: (run: () => void) => void;
}

interface Page {
  rows: readonly TraceRow[];
  /** Rows in it have changed since; they are shown until their successors come. */
  isStale: boolean;
  /** The total when it was answered: it is not asked again for rows that were not there then. */
  totalThen: number;
}

/**
 * The rows of one list (a trace, or a filter's matches) that the screen holds: a bounded number of pages, filled
 * as they are looked at. A place is a row's number in that list.
 */
export class RowWindow {
  readonly #parts: RowWindowParts;
  /** The page looked at last stands last. */
  readonly #pages = new Map<number, Page>();
  readonly #asked = new Map<number, { totalThen: number; outdatedFrom: number }>();
  /** Pages asked for at once; others wait until these have come. */
  readonly #awaited = new Set<number>();
  #wanted = { from: 0, end: 0 };
  /** How many rows at the end are wanted, while the list is followed. */
  #followed: number | null = null;
  #total = 0;
  #failure: unknown = null;
  #isFetchPlanned = false;
  #isClosed = false;

  constructor(parts: RowWindowParts) {
    this.#parts = parts;
  }

  /** Rows in the list, held or not. */
  get total(): number {
    return this.#total;
  }

  /** Why rows could not be had, until they can. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The row at a place, or undefined when it is not held (yet). */
  at(place: number): TraceRow | undefined {
    return this.#pages.get(Math.floor(place / PAGE_ROWS))?.rows[place % PAGE_ROWS];
  }

  /** Sees to it that these rows are held and fresh. */
  want(from: number, end: number): void {
    this.#followed = null;
    this.#wanted = { from: Math.max(0, from), end };
    this.#planFetch();
  }

  /** Sees to it that the last `length` rows and some before them are held and fresh, also as the list grows. */
  follow(length: number, before: number): void {
    this.#followed = length;
    this.#wanted = { from: Math.max(0, this.#total - length - before), end: this.#total };
    this.#planFetch();
  }

  /** The user moved to these rows: those not held are asked for at once, and some beyond both edges after them. */
  show(from: number, end: number, beyond: number): void {
    const last = Math.min(end, this.#total);
    for (let index = Math.floor(Math.max(0, from) / PAGE_ROWS); index * PAGE_ROWS < last; index++) {
      if (this.#pages.has(index) || this.#asked.has(index)) continue;
      if (this.#isClosed || this.#asked.size >= MAX_IN_FLIGHT) break;
      this.#awaited.add(index);
      void this.#fetch(index);
    }
    this.want(from - beyond, end + beyond);
  }

  /** There are `total` rows now. */
  grow(total: number): void {
    if (total <= this.#total) return;
    this.#total = total;
    if (this.#followed === null) this.#planFetch();
    else {
      // Those before the end would be gone before anyone looks at them.
      this.#wanted = { from: Math.max(0, total - this.#followed), end: total };
      this.#fetchWanted();
      // To draw the number alone, and then it with the rows, would cost twice.
      if (this.#asked.size > 0) return;
    }
    this.#parts.onChange();
  }

  /** Rows of the trace from `row` on may be other ones now. */
  outdate(row: number): void {
    for (const page of this.#pages.values()) page.isStale ||= reaches(page.rows, row);
    for (const asked of this.#asked.values()) asked.outdatedFrom = Math.min(asked.outdatedFrom, row);
    this.#planFetch();
  }

  /**
   * The end of the last stretch of `length` rows that is held whole. A list that grows faster than pages come
   * is shown up to here, so that its end never shows holes.
   */
  heldEnd(length: number): number {
    let end = 0;
    for (const [index, page] of this.#pages) {
      const pageEnd = Math.min(index * PAGE_ROWS + page.rows.length, this.#total);
      if (pageEnd > end && this.#holds(Math.max(0, pageEnd - length), pageEnd)) end = pageEnd;
    }
    return end;
  }

  /** Tries again after a failure. */
  retry(): void {
    this.#failure = null;
    for (const page of this.#pages.values()) page.isStale = true;
    this.#planFetch();
    this.#parts.onChange();
  }

  /** Answers that are still under way count no more. */
  close(): void {
    this.#isClosed = true;
    this.#pages.clear();
  }

  #holds(from: number, end: number): boolean {
    for (let place = from; place < end; place++) if (this.at(place) === undefined) return false;
    return true;
  }

  #planFetch(): void {
    if (this.#isFetchPlanned || this.#isClosed) return;
    this.#isFetchPlanned = true;
    this.#parts.onNextFrame(() => {
      this.#isFetchPlanned = false;
      this.#fetchWanted();
    });
  }

  #fetchWanted(): void {
    // What comes plans the next look.
    if (this.#awaited.size > 0) return;
    const end = Math.min(this.#wanted.end, this.#total);
    for (let index = Math.floor(this.#wanted.from / PAGE_ROWS); index * PAGE_ROWS < end; index++) {
      this.#touch(index);
      if (this.#asked.has(index) || !this.#lacks(index)) continue;
      if (this.#isClosed || this.#asked.size >= MAX_IN_FLIGHT) return;
      void this.#fetch(index);
    }
  }

  #lacks(index: number): boolean {
    const page = this.#pages.get(index);
    if (page === undefined || page.isStale) return true;
    const isWhole = page.rows.length >= Math.min(PAGE_ROWS, this.#total - index * PAGE_ROWS);
    return !isWhole && page.totalThen < this.#total;
  }

  async #fetch(index: number): Promise<void> {
    const asked = { totalThen: this.#total, outdatedFrom: Number.POSITIVE_INFINITY };
    this.#asked.set(index, asked);
    try {
      const answer = await this.#parts.read(index * PAGE_ROWS, PAGE_ROWS);
      // How many rows there are is told by `grow`, 20 times a second; with each answer, a flood would be drawn each frame.
      this.#failure = null;
      this.#keep(index, {
        rows: answer.rows,
        isStale: reaches(answer.rows, asked.outdatedFrom),
        totalThen: Math.max(asked.totalThen, answer.total),
      });
    } catch (failure) {
      this.#failure = failure;
      const rows = this.#pages.get(index)?.rows ?? [];
      this.#keep(index, { rows, isStale: false, totalThen: this.#total });
    }
    this.#asked.delete(index);
    const isAwaited = this.#awaited.delete(index);
    if (this.#isClosed) return;
    this.#planFetch();
    if (isAwaited) this.#parts.onAwaited();
    else this.#parts.onChange();
  }

  #keep(index: number, page: Page): void {
    if (this.#isClosed) return;
    this.#pages.delete(index);
    this.#pages.set(index, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(oldest);
    }
  }

  #touch(index: number): void {
    const page = this.#pages.get(index);
    if (page !== undefined) this.#keep(index, page);
  }
}

/** Whether the rows, which stand in order, hold `row` or a later one. */
const reaches = (rows: readonly TraceRow[], row: number): boolean => (rows.at(-1)?.row ?? -1) >= row;

/** The most rows kept. */
const MOST_KEPT = 2000;

interface RowLookupParts {
  /** Asks the engine for these rows. */
  readonly read: (rows: readonly number[]) => Promise<readonly TraceRow[]>;
  readonly onChange: () => void;
}

/** Single rows that rows on screen refer to, such as the answer of a call: read once they are wanted. */
export class RowLookup {
  readonly #parts: RowLookupParts;
  /** The row wanted last stands last. */
  readonly #held = new Map<number, TraceRow>();
  readonly #stale = new Set<number>();
  #wanted: readonly number[] = [];
  #isReading = false;
  #isClosed = false;

  constructor(parts: RowLookupParts) {
    this.#parts = parts;
  }

  at(row: number): TraceRow | undefined {
    return this.#held.get(row);
  }

  /** Sees to it that these rows are held and fresh. */
  want(rows: readonly number[]): void {
    this.#wanted = rows;
    void this.#read();
  }

  /** Rows from `row` on may be other ones now. */
  outdate(row: number): void {
    for (const held of this.#held.keys()) if (held >= row) this.#stale.add(held);
    void this.#read();
  }

  close(): void {
    this.#isClosed = true;
    this.#held.clear();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isClosed) return;
    const missing = this.#wanted.filter((row) => !this.#held.has(row) || this.#stale.has(row));
    if (missing.length === 0) return;
    this.#isReading = true;
    for (const row of missing) this.#stale.delete(row);
    const rows = await this.#parts.read(missing).catch(() => null);
    this.#isReading = false;
    if (this.#isClosed) return;
    // The list says why rows cannot be had; asking on would only repeat it.
    if (rows === null) this.#wanted = [];
    for (const row of rows ?? []) this.#keep(row);
    if (rows !== null) this.#parts.onChange();
    void this.#read();
  }

  #keep(row: TraceRow): void {
    this.#held.delete(row.row);
    this.#held.set(row.row, row);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MOST_KEPT) return;
      this.#held.delete(oldest);
      this.#stale.delete(oldest);
    }
  }
}
