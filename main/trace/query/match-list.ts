/** The rows that match, in their order. */
export class MatchList {
  #rows = new Uint32Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The matches from the `from`th on. */
  page(from: number, count: number): number[] {
    return [...this.#rows.subarray(from, Math.max(from, Math.min(from + count, this.#count)))];
  }

  /** How many matches stand before this row. */
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

  /** Adds rows that stand after all there are. */
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
   * Makes of these rows, in their order, those matches that are given too, and the others none. Returns the first
   * row that came or went; null when none did.
   */
  update(rows: readonly number[], matching: readonly number[]): number | null {
    const isMatching = new Set(matching);
    const moved = rows.filter((row) => this.#has(row) !== isMatching.has(row));
    const [first] = moved;
    if (first === undefined) return null;
    const come = moved.filter((row) => isMatching.has(row));
    const gone = moved.filter((row) => !isMatching.has(row));
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

  #has(row: number): boolean {
    const place = this.placeFor(row);
    return place < this.#count && this.#rows[place] === row;
  }
}
