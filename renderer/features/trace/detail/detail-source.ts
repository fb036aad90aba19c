import { call } from '#bridge';
import type { RowDetail } from '#shared/contract/trace.ts';

/** A row that changes all the time, such as a request with much progress, is read this often at most. */
const REREAD_MS = 250;

/**
 * The detail of one row at a time. One request is under way at most: holding down an arrow key reads where it
 * came to rest, not every row on the way.
 */
export class DetailSource {
  readonly #sessionId: string;
  readonly #onChange: () => void;
  #row: number | null = null;
  #detail: RowDetail | null = null;
  #failure: unknown = null;
  #isReading = false;
  #isOutdated = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sessionId: string, onChange: () => void) {
    this.#sessionId = sessionId;
    this.#onChange = onChange;
  }

  /** The detail of the row shown last, until that of the present one has come. */
  get detail(): RowDetail | null {
    return this.#detail;
  }

  /** Why the present row could not be read. */
  get failure(): unknown {
    return this.#failure;
  }

  show(row: number | null): void {
    if (row === this.#row) return;
    this.#row = row;
    this.#failure = null;
    this.#isOutdated = row !== null;
    if (row === null) this.#detail = null;
    this.#onChange();
    this.#read();
  }

  /** Rows from `row` on may be other ones now. */
  outdate(row: number): void {
    const { row: facts, exchange } = this.#detail ?? {};
    const isAwaiting = facts?.status === 'pending' || (exchange != null && exchange.end === null);
    // What belongs to an open request or exchange, such as its progress, comes after it and leaves its row as it is.
    if (this.#row === null || (row > this.#row && !isAwaiting)) return;
    this.#isOutdated = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#read();
    }, REREAD_MS);
  }

  retry(): void {
    this.#failure = null;
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
      if (row === this.#row) this.#detail = detail;
    } catch (failure) {
      if (row === this.#row) this.#failure = failure;
    }
    this.#isReading = false;
    if (row === this.#row) this.#onChange();
    else this.#read();
  }
}
