import type { TraceRow } from '#shared/trace/row.ts';

/** The most rows kept. */
const MOST_KEPT = 2000;

export interface RowLookupParts {
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
