import { call } from '#bridge';
import type { RowDetail } from '#shared/contract/trace.ts';

/** Minimum interval between reads of a row that keeps changing, such as a request with much progress. */
const REREAD_MS = 250;

/**
 * The detail of one row at a time, with one request in flight at most: holding down an arrow key reads only the row it
 * stops at.
 */
export class DetailSource {
  readonly #sessionId: string;
  readonly #onChange: () => void;
  #row: number | null = null;
  #detail: RowDetail | null = null;
  #error: unknown = null;
  #isReading = false;
  #isOutdated = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sessionId: string, onChange: () => void) {
    this.#sessionId = sessionId;
    this.#onChange = onChange;
  }

  /** The detail of the row; of the previous one until it has arrived. */
  get detail(): RowDetail | null {
    return this.#detail;
  }

  /** Why the row could not be read. */
  get error(): unknown {
    return this.#error;
  }

  show(row: number | null): void {
    if (row === this.#row) return;
    this.#row = row;
    this.#error = null;
    this.#isOutdated = row !== null;
    if (row === null) this.#detail = null;
    this.#onChange();
    this.#read();
  }

  /** Rows from `row` on may have changed. */
  outdate(row: number): void {
    const { row: facts, exchange } = this.#detail ?? {};
    const isOpen = facts?.status === 'pending' || (exchange != null && exchange.end === null);
    // Rows of an open request or exchange, such as its progress, follow it and do not change it.
    if (this.#row === null || (row > this.#row && !isOpen)) return;
    this.#isOutdated = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#read();
    }, REREAD_MS);
  }

  retry(): void {
    this.#error = null;
    this.#isOutdated = this.#row !== null;
    this.#onChange();
    this.#read();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#row = null;
  }

  #read(): void {
    if (this.#row === null || this.#isReading || !this.#isOutdated) return;
    this.#isOutdated = false;
    this.#isReading = true;
    void this.#readRow(this.#row);
  }

  async #readRow(row: number): Promise<void> {
    try {
      const detail = await call('trace/detail', { sessionId: this.#sessionId, row });
      if (row === this.#row) {
        this.#detail = detail;
        // Of a trace that is still being read, the row may not have been there yet.
        this.#error = null;
      }
    } catch (error) {
      if (row === this.#row) this.#error = error;
    }
    this.#isReading = false;
    if (row === this.#row) this.#onChange();
    else this.#read();
  }
}
