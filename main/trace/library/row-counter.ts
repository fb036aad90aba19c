import { stat } from 'node:fs/promises';
import { type CountRows, countRows } from './count-rows.ts';
import type { Counts } from './row-counts.ts';
import { isWrittenElsewhere } from './written-elsewhere.ts';

/** Milliseconds between two looks whether the file was opened that is being counted. */
const LOOK_EVERY = 100;

/** Counts the rows of files in the background, one file after the other. */
export class RowCounter {
  readonly #onCounted: (path: string, counts: Counts) => Promise<void>;
  readonly #countRows: CountRows;
  readonly #isOpened: (path: string) => boolean;
  readonly #waiting = new Set<string>();
  readonly #ending = new AbortController();
  #working: Promise<void> | undefined;

  /** @param isOpened whether a file is open, so that its rows are counted by what reads it */
  constructor(
    onCounted: (path: string, counts: Counts) => Promise<void>,
    count: CountRows = countRows,
    isOpened: (path: string) => boolean = () => false,
  ) {
    this.#onCounted = onCounted;
    this.#countRows = count;
    this.#isOpened = isOpened;
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
    if (before === null || this.#isOpened(path) || (await isWrittenElsewhere(path, before))) return;
    const opened = new AbortController();
    // Two that read the same file would hold each other up, and the user waits for one of them.
    const looking = setInterval(() => this.#isOpened(path) && opened.abort(), LOOK_EVERY).unref();
    const isLeft = AbortSignal.any([this.#ending.signal, opened.signal]);
    const counts = await this.#countRows(path, isLeft).catch(() => null);
    clearInterval(looking);
    const after = await stat(path).catch(() => null);
    // One that changed meanwhile, or cannot be read now, is counted when it is listed again.
    const isSame = after?.mtimeMs === before.mtimeMs && after.size === before.size;
    if (counts !== null && isSame) await this.#onCounted(path, counts);
  }
}
