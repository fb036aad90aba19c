import type { RowColumns } from '#trace/rows/row-columns.ts';

/**
 * Folds a call into one row, that of its request: leaves out the answer that has a request, and the HTTP exchange
 * by which we sent one.
 */
export class CallView {
  readonly #columns: RowColumns;
  /** Exchanges that carried a request of ours. */
  readonly #carriers = new Set<number>();

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Takes note of rows before they are asked about; returns earlier ones about which the answer is another now. */
  see(rows: Iterable<number>): number[] {
    const columns = this.#columns;
    const changed: number[] = [];
    for (const row of rows) {
      if (columns.kind(row) !== 'request' || columns.direction(row) !== 'out') continue;
      const exchange = columns.exchange(row);
      if (exchange === null || this.#carriers.has(exchange)) continue;
      this.#carriers.add(exchange);
      changed.push(exchange);
    }
    return changed;
  }

  /** Whether a row is folded into another one. */
  folds(row: number): boolean {
    const pair = this.#columns.pair(row);
    return (pair !== null && pair < row) || this.#carriers.has(row);
  }
}
