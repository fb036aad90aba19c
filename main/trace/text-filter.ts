import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { RowColumns } from './row-columns.ts';
import { parseRecord } from './row-reader.ts';
import { slices } from './slices.ts';
import { summarize, textOf } from './summarize.ts';
import type { Trace } from './trace.ts';

/** Rows taken at a time of those not looked at yet. */
const STRETCH = 5000;

/**
 * Rows that contain a text, whatever its case: in the method, the id, the short text or the unit itself (of a
 * unit over 1 MiB its first MiB). Follows the trace while it grows.
 */
export class TextFilter {
  readonly #trace: Trace;
  readonly #needle: string;
  readonly #onProgress: () => void;
  #rows = new Uint32Array(1024);
  #matches = 0;
  #scanned = 0;
  #scanning: Promise<void> | undefined;
  #isEnded = false;
  #fault: Fault | null = null;

  constructor(trace: Trace, text: string, onProgress: () => void) {
    this.#trace = trace;
    this.#needle = text.toLowerCase();
    this.#onProgress = onProgress;
  }

  get matches(): number {
    return this.#matches;
  }

  /** Rows looked at so far. */
  get scanned(): number {
    return this.#scanned;
  }

  get isDone(): boolean {
    return this.#fault !== null || this.#scanned >= this.#trace.index.columns.count;
  }

  /** The matching rows from the `from`th match on. @throws FaultError when the trace could not be searched */
  page(from: number, count: number): number[] {
    if (this.#fault !== null) throw new FaultError(this.#fault);
    return [...this.#rows.subarray(from, Math.min(from + count, this.#matches))];
  }

  /** The place among the matches of this row, or of the nearest match before it. */
  placeOf(row: number): number {
    let low = 0;
    let high = this.#matches;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) <= row) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Looks at the rows it has not seen. Never rejects; what went wrong is told when rows are asked for. */
  catchUp(): Promise<void> {
    this.#scanning ??= this.#scan()
      .catch((error: unknown) => {
        if (this.#isEnded) return;
        this.#fault = cannotSearch(error);
        this.#onProgress();
      })
      .finally(() => {
        this.#scanning = undefined;
      });
    return this.#scanning;
  }

  end(): void {
    this.#isEnded = true;
  }

  async #scan(): Promise<void> {
    const { columns } = this.#trace.index;
    while (this.#isScanning && this.#scanned < columns.count) {
      const first = this.#scanned;
      const length = Math.min(STRETCH, columns.count - first);
      const rows = Array.from({ length }, (_, place) => first + place);
      for (const slice of slices(columns, rows)) {
        await this.#look(columns, slice);
        if (!this.#isScanning) return;
      }
    }
  }

  get #isScanning(): boolean {
    return !this.#isEnded && this.#fault === null;
  }

  async #look(columns: RowColumns, slice: readonly number[]): Promise<void> {
    const places = slice.map((row) => ({ offset: columns.offset(row), length: columns.length(row) }));
    const lines = await this.#trace.file.read(places);
    for (const [order, row] of slice.entries()) {
      if (this.#isMatch(columns, row, lines[order] ?? '')) this.#add(row);
    }
    this.#scanned += slice.length;
    this.#onProgress();
    await nextTurn();
  }

  #isMatch(columns: RowColumns, row: number, line: string): boolean {
    const needle = this.#needle;
    if (columns.method(row)?.toLowerCase().includes(needle)) return true;
    if (columns.subject(row)?.toLowerCase().includes(needle)) return true;
    if (columns.kind(row).includes(needle)) return true;
    const record = parseRecord(line);
    if (record.kind === 'unit' || record.kind === 'stderr')
      return textOf(record).toLowerCase().includes(needle);
    return summarize(record, 0, null).toLowerCase().includes(needle);
  }

  #add(row: number): void {
    if (this.#matches === this.#rows.length) {
      const grown = new Uint32Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#rows[this.#matches++] = row;
  }
}

const cannotSearch = (error: unknown): Fault => ({
  code: 'trace-not-searched',
  what: 'The trace could not be searched to its end.',
  why: error instanceof FaultError ? (error.fault.why ?? error.message) : messageOf(error),
  next: 'Check that the trace file was not moved or deleted, and filter again.',
});
