import type { Fold } from '#shared/trace/row.ts';
import { grown } from '#shared/typed-arrays.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';

const PING = 'ping';
const NONE = -1;
const FIRST_CAPACITY = 1024;

/** Rows that fold into another one besides its response and its exchange. */
interface Extras {
  readonly rows: number[];
  /** Counts of those that match. */
  keepalives: number;
  streamEvents: number;
  phases: number;
}

/**
 * Folds what belongs together into one row: a response and the HTTP exchange into their request, what a stream carried
 * beside messages into the exchange or the call, keepalives into the first one, and the phases up to `ready` into the
 * first phase. Errors, and rows with a finding or a mark, keep their own row; only a response always folds. Rows that do
 * not match are not counted, and nothing folds into them.
 */
export class FoldView {
  readonly #columns: RowColumns;
  /** The row that each row folds into; that one may fold, too. */
  #heads = new Int32Array(FIRST_CAPACITY).fill(NONE);
  /** The first message that each exchange carried. */
  #carried = new Int32Array(FIRST_CAPACITY).fill(NONE);
  /** 1 for rows that match by themselves. */
  #isMatching = new Uint8Array(FIRST_CAPACITY);
  readonly #extras = new Map<number, Extras>();
  readonly #firstPings = { in: NONE, out: NONE };
  #firstPhase = NONE;
  readonly #open: Set<number>;

  /** @param open rows whose folds are open */
  constructor(columns: RowColumns, open: Iterable<number>) {
    this.#columns = columns;
    this.#open = new Set(open);
  }

  /** The rows whose folds are open. */
  get open(): Iterable<number> {
    return this.#open;
  }

  /**
   * Folds rows before they are tested, or again after they changed. `moved`: rows that fold differently now. `counted`:
   * the first row whose fold may have another count; null if none.
   */
  add(rows: Iterable<number>): { readonly moved: Set<number>; readonly counted: number | null } {
    const moved = new Set<number>();
    let counted: number | null = null;
    const refold = (row: number) => {
      const changed = this.#refold(row, moved);
      if (changed !== null) counted = Math.min(counted ?? changed, changed);
    };
    for (const row of rows) {
      if (row >= this.#heads.length) this.#grow(row);
      const exchange = this.#carrierOf(row);
      if (exchange !== null && this.#carried[exchange] === NONE) {
        this.#carried[exchange] = row;
        refold(exchange);
      }
      refold(row);
    }
    return { moved, counted };
  }

  /** Notes which of these rows match by themselves; returns the first row whose fold has another count, null if none. */
  setMatching(rows: Iterable<number>, matching: ReadonlySet<number>): number | null {
    let counted: number | null = null;
    for (const row of rows) {
      const isMatching = matching.has(row);
      if (isMatching === this.matches(row)) continue;
      this.#isMatching[row] = isMatching ? 1 : 0;
      const head = this.#heads[row] ?? NONE;
      if (head === NONE || !this.#isExtra(row)) continue;
      const changed = this.#count(row, head, isMatching ? 1 : -1);
      counted = Math.min(counted ?? changed, changed);
    }
    return counted;
  }

  /** Whether a row matches by itself, listed or folded. */
  matches(row: number): boolean {
    return this.#isMatching[row] === 1;
  }

  /** The listed row that a row folds into: the last one on its way that matches. Null if it keeps its own. */
  headOf(row: number): number | null {
    let listed: number | null = null;
    for (let head = this.#heads[row] ?? NONE; head !== NONE; head = this.#heads[head] ?? NONE)
      if (this.matches(head)) listed = head;
    return listed;
  }

  isOpen(head: number): boolean {
    return this.#open.has(head);
  }

  setOpen(head: number, isOpen: boolean): void {
    if (isOpen) this.#open.add(head);
    else this.#open.delete(head);
  }

  /** What is folded into a row besides its response and its exchange; null if nothing is. */
  foldOf(row: number): Fold | null {
    const all = this.#extrasOf(row);
    const sum = (of: (extras: Extras) => number) => all.reduce((total, extras) => total + of(extras), 0);
    const keepalives = sum((extras) => extras.keepalives);
    const streamEvents = sum((extras) => extras.streamEvents);
    const phases = sum((extras) => extras.phases);
    if (keepalives + streamEvents + phases === 0) return null;
    const last = Math.max(...all.map(({ rows }) => rows.findLast((one) => this.matches(one)) ?? row));
    return { keepalives, streamEvents, phases, until: this.#columns.at(last), isOpen: this.isOpen(row) };
  }

  /** Every row that folds into this one, directly or by another; also those that do not match. */
  membersOf(head: number): Set<number> {
    const members = new Set<number>();
    this.#collect(head, members);
    return members;
  }

  #collect(head: number, into: Set<number>): void {
    const add = (row: number | null) => {
      if (row === null || this.#heads[row] !== head || into.has(row)) return;
      into.add(row);
      this.#collect(row, into);
    };
    add(this.#columns.pair(head));
    add(this.#columns.exchangeRow(head));
    for (const row of this.#extras.get(head)?.rows ?? []) add(row);
  }

  #extrasOf(row: number): Extras[] {
    const exchange = this.#columns.exchangeRow(row);
    const isOwn = exchange === null || exchange === row || this.#heads[exchange] !== row;
    const all = [this.#extras.get(row), isOwn ? undefined : this.#extras.get(exchange)];
    return all.flatMap((extras) => extras ?? []);
  }

  /** Folds a row as its columns say now; returns the first row whose fold may have another count, null if none. */
  #refold(row: number, moved: Set<number>): number | null {
    const request = this.#requestOf(row);
    const head = request === NONE ? this.#extraHeadOf(row) : request;
    const before = this.#heads[row] ?? NONE;
    if (head === before) return null;
    if (before !== NONE && this.#isExtra(row)) this.#leave(row, before);
    this.#heads[row] = head;
    if (head !== NONE && this.#isExtra(row)) this.#join(row, head);
    moved.add(row);
    this.#collect(row, moved);
    const heads = [before, head].filter((one) => one !== NONE);
    return request === NONE ? Math.min(...heads.map((one) => this.#firstOnWay(one))) : null;
  }

  /** Whether a row is counted where it folds. */
  #isExtra(row: number): boolean {
    return this.#columns.kind(row) !== 'http' && this.#requestOf(row) === NONE;
  }

  #join(row: number, head: number): void {
    const extras = this.#extras.get(head) ?? { rows: [], keepalives: 0, streamEvents: 0, phases: 0 };
    this.#extras.set(head, extras);
    extras.rows.push(row);
    if (this.matches(row)) this.#count(row, head, 1);
  }

  #leave(row: number, head: number): void {
    const rows = this.#extras.get(head)?.rows ?? [];
    const place = rows.lastIndexOf(row);
    if (place === -1) return;
    if (this.matches(row)) this.#count(row, head, -1);
    rows.splice(place, 1);
  }

  #requestOf(row: number): number {
    const pair = this.#columns.pair(row);
    return pair !== null && pair < row ? pair : NONE;
  }

  /** The exchange that a message of ours was sent in; null for other rows. */
  #carrierOf(row: number): number | null {
    const columns = this.#columns;
    if (columns.direction(row) !== 'out' || columns.channel(row) === null) return null;
    const exchange = columns.exchangeRow(row);
    return exchange === null || exchange >= row ? null : exchange;
  }

  #extraHeadOf(row: number): number {
    const columns = this.#columns;
    const head = this.#possibleHeadOf(row);
    const isNotable = columns.isError(row) || columns.finding(row) !== null || columns.mark(row) !== null;
    return head === row || isNotable ? NONE : head;
  }

  #possibleHeadOf(row: number): number {
    const columns = this.#columns;
    switch (columns.kind(row)) {
      case 'http':
        return this.#carried[row] ?? NONE;
      case 'sse':
        return columns.subject(row) === null ? (columns.exchangeRow(row) ?? NONE) : NONE;
      case 'phase':
        if (lastPhases.has(columns.subject(row) ?? '')) return NONE;
        if (this.#firstPhase === NONE) this.#firstPhase = row;
        return this.#firstPhase;
      case 'request': {
        const direction = columns.direction(row);
        // A ping that the user sent is a call.
        if (columns.method(row) !== PING || direction === null) return NONE;
        if (direction === 'out' && !columns.isAutomatic(row)) return NONE;
        if (this.#firstPings[direction] === NONE) this.#firstPings[direction] = row;
        return this.#firstPings[direction];
      }
      default:
        return NONE;
    }
  }

  /** Counts a row in or out; returns the first row whose count changes. */
  #count(row: number, head: number, by: 1 | -1): number {
    const extras = this.#extras.get(head);
    if (extras === undefined) return head;
    const kind = this.#columns.kind(row);
    if (kind === 'phase') extras.phases += by;
    else if (kind === 'request' || this.#columns.isComment(row)) extras.keepalives += by;
    else extras.streamEvents += by;
    return this.#firstOnWay(head);
  }

  /** The first of a row and those that it folds into. */
  #firstOnWay(row: number): number {
    let first = row;
    for (let head = this.#heads[row] ?? NONE; head !== NONE; head = this.#heads[head] ?? NONE)
      first = Math.min(first, head);
    return first;
  }

  #grow(row: number): void {
    let capacity = this.#heads.length;
    while (row >= capacity) capacity *= 2;
    const from = this.#heads.length;
    this.#heads = grown(this.#heads, new Int32Array(capacity)).fill(NONE, from);
    this.#carried = grown(this.#carried, new Int32Array(capacity)).fill(NONE, from);
    this.#isMatching = grown(this.#isMatching, new Uint8Array(capacity));
  }
}

/** They say how a session ended. */
const lastPhases: ReadonlySet<string> = new Set(['closing', 'closed', 'failed']);
