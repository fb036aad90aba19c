/**
 * Several rows chosen at once, by row of the trace. Empty while at most one is: then it is the selected row alone.
 */
export class RowPicks {
  #rows: ReadonlySet<number> = new Set();
  #hasMore = false;
  #anchor: number | null = null;
  /** Raised by every change, so that an answer that comes late knows whether it is still wanted. */
  #turn = 0;

  get count(): number {
    return this.#rows.size;
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** In the order of the trace. */
  get rows(): readonly number[] {
    return [...this.#rows].sort((a, b) => a - b);
  }

  /** More was to be chosen than can be picked. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** The place of the list where a range begins; null for where the cursor is. */
  get anchor(): number | null {
    return this.#anchor;
  }

  setAnchor(anchor: number | null): void {
    this.#anchor = anchor;
  }

  /** At most one row is chosen, which ranges begin at from now on. */
  reset(anchor: number | null): void {
    this.#anchor = anchor;
    this.#keep([], false);
  }

  /** Chooses these rows; one alone is no choice of several. */
  replace(rows: readonly number[], hasMore: boolean): void {
    this.#keep(rows.length > 1 ? rows : [], hasMore);
  }

  /** The same once the engine has told which they are, unless something else was chosen meanwhile. */
  async replaceBy(rows: Promise<readonly number[]>, hasMore: boolean): Promise<void> {
    const turn = ++this.#turn;
    const answer = await rows;
    if (turn === this.#turn) this.replace(answer, hasMore);
  }

  /** Adds a row to those chosen or takes it away. `selected` is the row chosen so far while several are not. */
  toggle(row: number, selected: number | null, place: number): void {
    const rows = new Set(this.#rows.size > 0 || selected === null ? this.#rows : [selected]);
    if (!rows.delete(row)) rows.add(row);
    this.#anchor = place;
    this.#keep(rows, false);
  }

  #keep(rows: Iterable<number>, hasMore: boolean): void {
    this.#turn++;
    this.#rows = new Set(rows);
    this.#hasMore = hasMore;
  }
}
