import type { TraceRow } from '#shared/trace/row.ts';

/** Rows per request. */
export const PAGE_ROWS = 100;
/** Pages held; beyond that the least recently used ones are dropped. */
export const MAX_PAGES = 48;
const MAX_IN_FLIGHT = 4;

export interface RowsResult {
  readonly total: number;
  readonly rows: readonly TraceRow[];
}

export interface RowWindowParts {
  readonly read: (from: number, count: number) => Promise<RowsResult>;
  /** The rows, their count or the error changed. Not called for each row. */
  readonly onChange: () => void;
  /** The rows that the user waits for have arrived: until then the screen is blank there. */
  readonly onAwaited: () => void;
  readonly onNextFrame: (run: () => void) => void;
}

interface Page {
  rows: readonly TraceRow[];
  /** Whether some rows have changed since they were read. They are shown until they are read again. */
  isStale: boolean;
  /** The total at the time of the response: an incomplete page is read again only after growth. */
  totalThen: number;
}

/**
 * The rows of one list (a trace, or a filter's matches) that the window holds: a bounded number of pages, read as they
 * come into view. A place is the index of a row in the list.
 */
export class RowWindow {
  readonly #parts: RowWindowParts;
  /** Least recently used first. */
  readonly #pages = new Map<number, Page>();
  readonly #requested = new Map<number, { totalThen: number; outdatedFrom: number }>();
  /** Pages the user is waiting for, because the screen is blank there. All other pages are read after these. */
  readonly #awaited = new Set<number>();
  #wanted = { from: 0, end: 0 };
  /** How many rows at the end are wanted while the list is followed. */
  #followed: number | null = null;
  #total = 0;
  #error: unknown = null;
  #isFetchPlanned = false;
  #isClosed = false;

  constructor(parts: RowWindowParts) {
    this.#parts = parts;
  }

  /** Rows in the list, held or not. */
  get total(): number {
    return this.#total;
  }

  /** Why the last read failed; null once a later read has succeeded. */
  get error(): unknown {
    return this.#error;
  }

  /** The row at a place; undefined when it is not held (yet). */
  at(place: number): TraceRow | undefined {
    return this.#pages.get(Math.floor(place / PAGE_ROWS))?.rows[place % PAGE_ROWS];
  }

  /** Reads these rows where they are missing or stale. */
  want(from: number, end: number): void {
    this.#followed = null;
    this.#wanted = { from: Math.max(0, from), end };
    this.#planFetch();
  }

  /** Reads the last `length` rows and some before them, again whenever the list grows. */
  follow(length: number, before: number): void {
    this.#followed = length;
    this.#wanted = { from: Math.max(0, this.#total - length - before), end: this.#total };
    this.#planFetch();
  }

  /** The user moved to these rows: reads missing ones at once, then some beyond both edges. */
  show(from: number, end: number, beyond: number): void {
    const last = Math.min(end, this.#total);
    for (let index = Math.floor(Math.max(0, from) / PAGE_ROWS); index * PAGE_ROWS < last; index++) {
      if (this.#pages.has(index) || this.#requested.has(index)) continue;
      if (this.#isClosed || this.#requested.size >= MAX_IN_FLIGHT) break;
      this.#awaited.add(index);
      void this.#fetch(index);
    }
    this.want(from - beyond, end + beyond);
  }

  /** The list has `total` rows now. */
  grow(total: number): void {
    if (total <= this.#total) return;
    this.#total = total;
    if (this.#followed === null) this.#planFetch();
    else {
      // Rows before the end would be out of view before they arrive.
      this.#wanted = { from: Math.max(0, total - this.#followed), end: total };
      this.#fetchWanted();
      // Render once, when the rows have arrived.
      if (this.#requested.size > 0) return;
    }
    this.#parts.onChange();
  }

  /** The list has `total` rows now, which may be fewer than before. */
  resize(total: number): void {
    if (total >= this.#total) return this.grow(total);
    this.#total = total;
    for (const page of this.#pages.values()) page.isStale = true;
    this.#planFetch();
    this.#parts.onChange();
  }

  /** Rows of the trace from `row` on may have changed. */
  outdate(row: number): void {
    for (const page of this.#pages.values()) page.isStale ||= reaches(page.rows, row);
    for (const request of this.#requested.values()) {
      request.outdatedFrom = Math.min(request.outdatedFrom, row);
    }
    this.#planFetch();
  }

  /**
   * The end of the last `length` consecutive rows that are all held. A list that grows faster than pages arrive is
   * shown up to here, so that its end never shows gaps.
   */
  heldEnd(length: number): number {
    let end = 0;
    for (const [index, page] of this.#pages) {
      const pageEnd = Math.min(index * PAGE_ROWS + page.rows.length, this.#total);
      if (pageEnd > end && this.#holds(Math.max(0, pageEnd - length), pageEnd)) end = pageEnd;
    }
    return end;
  }

  retry(): void {
    this.#error = null;
    for (const page of this.#pages.values()) page.isStale = true;
    this.#planFetch();
    this.#parts.onChange();
  }

  /** Drops all rows; later responses are ignored. */
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
    // The arrival of the awaited pages plans the next fetch.
    if (this.#awaited.size > 0) return;
    const end = Math.min(this.#wanted.end, this.#total);
    for (let index = Math.floor(this.#wanted.from / PAGE_ROWS); index * PAGE_ROWS < end; index++) {
      this.#touch(index);
      if (this.#requested.has(index) || !this.#lacks(index)) continue;
      if (this.#isClosed || this.#requested.size >= MAX_IN_FLIGHT) return;
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
    const request = { totalThen: this.#total, outdatedFrom: Number.POSITIVE_INFINITY };
    this.#requested.set(index, request);
    try {
      const { rows, total } = await this.#parts.read(index * PAGE_ROWS, PAGE_ROWS);
      // The total is set only by `grow`, 20 times a second. If each response set it, a flood would render every frame.
      this.#error = null;
      this.#keep(index, {
        rows,
        isStale: reaches(rows, request.outdatedFrom),
        totalThen: Math.max(request.totalThen, total),
      });
    } catch (error) {
      this.#error = error;
      const rows = this.#pages.get(index)?.rows ?? [];
      this.#keep(index, { rows, isStale: false, totalThen: this.#total });
    }
    this.#requested.delete(index);
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

/** Whether the rows, in whatever order, include `row` or a later one. */
const reaches = (rows: readonly TraceRow[], from: number): boolean => rows.some(({ row }) => row >= from);

/** Single rows held. */
const MAX_ROWS = 2000;

interface RowLookupParts {
  readonly read: (rows: readonly number[]) => Promise<readonly TraceRow[]>;
  readonly onChange: () => void;
}

/** Single rows that visible rows refer to, such as the response of a call; read on demand. */
export class RowLookup {
  readonly #parts: RowLookupParts;
  /** Least recently read first. */
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

  /** Reads these rows where they are missing or stale. */
  want(rows: readonly number[]): void {
    this.#wanted = rows;
    void this.#read();
  }

  /** Rows from `row` on may have changed. */
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
    // The list shows the error; another request would only repeat it.
    if (rows === null) this.#wanted = [];
    for (const row of rows ?? []) this.#keep(row);
    if (rows !== null) this.#parts.onChange();
    void this.#read();
  }

  #keep(row: TraceRow): void {
    this.#held.delete(row.row);
    this.#held.set(row.row, row);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_ROWS) return;
      this.#held.delete(oldest);
      this.#stale.delete(oldest);
    }
  }
}
