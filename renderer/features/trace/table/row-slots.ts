/** Rows of a list: from `first` up to, not including, `end`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Into which of a fixed number of elements each row on screen is drawn. A list that moves on draws its new rows into the
 * elements of those that went, as making new ones costs more. One that jumps fills all of them where they stand, as to
 * move them in the document costs a layout.
 */
export class RowSlots {
  #drawn: RowRange = { first: 0, end: 0 };
  #start = 0;

  /** The slot of each row of a range, from 0 to `count` - 1. @param count at least as many as there are rows */
  of(range: RowRange, count: number): (row: number) => number {
    const isJump = range.first >= this.#drawn.end || range.end <= this.#drawn.first;
    if (isJump) this.#start = range.first;
    this.#drawn = range;
    const start = this.#start;
    return (row) => (((row - start) % count) + count) % count;
  }
}
