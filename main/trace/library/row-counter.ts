import { stat } from 'node:fs/promises';
import { type CountRows, countRows } from './count-rows.ts';
import type { Counts } from './row-counts.ts';
import { isWrittenElsewhere } from './written-elsewhere.ts';

/** Counts the rows of files in the background, one file after the other. */
export class RowCounter {
  readonly #onCounted: (path: string, counts: Counts) => Promise<void>;
  readonly #countRows: CountRows;
  readonly #waiting = new Set<string>();
  readonly #ending = new AbortController();
  #working: Promise<void> | undefined;

  constructor(onCounted: (path: string, counts: Counts) => Promise<void>, count: CountRows = countRows) {
    this.#onCounted = onCounted;
    this.#countRows = count;
  }

  /** Counts a file as soon as it is its turn. One that cannot be counted now is left. */
  add(path: string): void {
    if (this.#ending.signal.aborted) return;
    this.#waiting.add(path);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Leaves what is not counted yet. Idempotent; never rejects. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    for (const path of this.#waiting) {
      if (this.#ending.signal.aborted) return;
      await this.#count(path);
      this.#waiting.delete(path);
    }
  }

  async #count(path: string): Promise<void> {
    const before = await stat(path).catch(() => null);
    if (before === null || (await isWrittenElsewhere(path, before))) return;
    const counts = await this.#countRows(path, this.#ending.signal).catch(() => null);
    const after = await stat(path).catch(() => null);
    // One that changed meanwhile, or cannot be read now, is counted when it is listed again.
    const isSame = after?.mtimeMs === before.mtimeMs && after.size === before.size;
    if (counts !== null && isSame) await this.#onCounted(path, counts);
  }
}
