import type { Fold } from '#shared/trace/row.ts';
import { grown } from '#shared/typed-arrays.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';

const PING = 'ping';
const NONE = -1;
const FIRST_CAPACITY = 1024;

/** Rows that fold into another one besides its response and its exchange. */
interface Extras {
  readonly rows: number[];
  keepalives: number;
  streamEvents: number;
  phases: number;
}

/**
 * Folds what belongs together into one row: a response and the HTTP exchange into their request, what a stream carried
 * beside messages into the exchange or the call, keepalives into the first one, and the phases up to `ready` into the
 * first phase. Errors, and rows with a finding or a mark, keep their own row.
 */
export class FoldView {
  readonly #columns: RowColumns;
  /** The row that each row folds into; that one may fold, too. */
  #heads = new Int32Array(FIRST_CAPACITY).fill(NONE);
  readonly #extras = new Map<number, Extras>();
  readonly #firstPings = { in: NONE, out: NONE };
  #firstPhase = NONE;
  readonly #open: Set<number>;

  /** @param open rows whose folds are open */
  constructor(columns: RowColumns, open: readonly number[]) {
    this.#columns = columns;
    this.#open = new Set(open);
  }

  /**
   * Adds rows before they are folded, or again after they changed. `moved`: earlier rows that fold differently now.
   * `counted`: the first row whose fold has another count; null if none.
   */
  add(rows: Iterable<number>): { readonly moved: number[]; readonly counted: number | null } {
    const columns = this.#columns;
    const moved: number[] = [];
    let counted: number | null = null;
    for (const row of rows) {
      while (row >= this.#heads.length) {
        const capacity = this.#heads.length * 2;
        const from = this.#heads.length;
        this.#heads = grown(this.#heads, new Int32Array(capacity));
        this.#heads.fill(NONE, from);
      }
      const response = this.#requestOf(row);
      const head = response === NONE ? this.#extraHeadOf(row) : response;
      const before = this.#heads[row] ?? NONE;
      // The exchange of a message folds into it; that is set with the message.
      if (head !== before && columns.kind(row) !== 'http') {
        this.#heads[row] = head;
        if (response === NONE) {
          const changed = this.#count(row, head === NONE ? before : head, head !== NONE);
          counted = Math.min(counted ?? changed, changed);
        }
      }
      const exchange = this.#carrierOf(row);
      if (exchange === null || this.#heads[exchange] !== NONE) continue;
      this.#heads[exchange] = row;
      moved.push(exchange);
    }
    return { moved, counted };
  }

  /** The row that a row folds into; null if it keeps its own. */
  headOf(row: number): number | null {
    let head = this.#heads[row] ?? NONE;
    if (head === NONE) return null;
    for (let next = this.#heads[head] ?? NONE; next !== NONE; next = this.#heads[head] ?? NONE) head = next;
    return head;
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
    if (all.length === 0) return null;
    const sum = (of: (extras: Extras) => number) => all.reduce((total, extras) => total + of(extras), 0);
    const last = Math.max(...all.map(({ rows }) => rows.at(-1) ?? row));
    return {
      keepalives: sum((extras) => extras.keepalives),
      streamEvents: sum((extras) => extras.streamEvents),
      phases: sum((extras) => extras.phases),
      until: this.#columns.at(last),
      isOpen: this.isOpen(row),
    };
  }

  /** Every row that folds into this one. */
  membersOf(head: number): number[] {
    const members = new Set<number>();
    const add = (row: number | null) => {
      if (row !== null && row !== head && this.headOf(row) === head) members.add(row);
    };
    const addWithResponse = (row: number) => {
      add(row);
      const pair = this.#columns.pair(row);
      add(pair);
      for (const one of [row, pair]) if (one !== null) add(this.#columns.exchangeRow(one));
    };
    addWithResponse(head);
    for (const { rows } of this.#extrasOf(head)) for (const row of rows) addWithResponse(row);
    return [...members];
  }

  #extrasOf(row: number): Extras[] {
    const exchange = this.#columns.exchangeRow(row);
    const own = this.#extras.get(row);
    const ofExchange =
      exchange === null || exchange === row || this.headOf(exchange) !== row
        ? undefined
        : this.#extras.get(exchange);
    return [own, ofExchange].flatMap((extras) =>
      extras !== undefined && extras.rows.length > 0 ? [extras] : [],
    );
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

  /** Counts a row in, or out; returns the row that it folds into. */
  #count(row: number, head: number, isIn: boolean): number {
    const extras = this.#extras.get(head) ?? { rows: [], keepalives: 0, streamEvents: 0, phases: 0 };
    this.#extras.set(head, extras);
    const by = isIn ? 1 : -1;
    const kind = this.#columns.kind(row);
    if (kind === 'phase') extras.phases += by;
    else if (kind === 'request' || this.#columns.isComment(row)) extras.keepalives += by;
    else extras.streamEvents += by;
    if (isIn) extras.rows.push(row);
    else extras.rows.splice(extras.rows.indexOf(row), 1);
    return this.headOf(head) ?? head;
  }
}

/** They say how a session ended. */
const lastPhases: ReadonlySet<string> = new Set(['closing', 'closed', 'failed']);
