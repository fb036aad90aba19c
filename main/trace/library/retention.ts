import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '#shared/contract/fault.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { indexPathOf, removeIndex, traceOfIndex } from '#trace/kept-index/index-file.ts';
import { EXTENSION } from './trace-files.ts';

/**
 * Milliseconds after its last change in which a file is never deleted by itself: another app may be writing it, and
 * notes the time at least every minute.
 */
const MAY_BE_WRITTEN = 5 * 60_000;
const DAY = 24 * 3_600_000;

export interface RetentionOptions {
  readonly folder: string;
  /** Which traces are to be deleted. @throws when that is not known, and nothing is */
  readonly limits: () => Promise<Settings['retention']>;
  /** Whether this run needs a file. */
  readonly isInUse: (path: string) => boolean;
  readonly onDeleted: () => void;
}

interface KeptFile {
  readonly path: string;
  /** Bytes, its index included. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly changedAt: number;
}

/** Deletes traces that are older than the user wants to keep, or the oldest when all of them take too much room. */
export class Retention {
  readonly #options: RetentionOptions;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Deletes what is due, now or after what is being done. Never rejects. */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Lets what runs come to its end. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      // What cannot be read tells nobody to delete anything; settings that are damaged are told where they are shown.
      await this.#deleteDue().catch(() => undefined);
    }
  }

  async #deleteDue(): Promise<void> {
    await sweepIndexes(this.#options.folder).catch(() => undefined);
    const limits = await this.#options.limits();
    if (limits.days === null && limits.bytes === null) return;
    const now = Date.now();
    const files = await filesOf(this.#options.folder);
    let size = files.reduce((sum, file) => sum + file.size, 0);
    let isAnyDeleted = false;
    for (const file of files) {
      const isTooOld = limits.days !== null && now - file.changedAt > limits.days * DAY;
      const isTooMuch = limits.bytes !== null && size > limits.bytes;
      if (!(isTooOld || isTooMuch) || !(await this.#delete(file.path))) continue;
      size -= file.size;
      isAnyDeleted = true;
    }
    if (isAnyDeleted) this.#options.onDeleted();
  }

  /** Whether it is gone now. */
  async #delete(path: string): Promise<boolean> {
    try {
      // Much may have happened while others were deleted.
      const stats = await lstat(path);
      const isQuiet = Date.now() - stats.mtimeMs > MAY_BE_WRITTEN;
      if (!stats.isFile() || !isQuiet || this.#options.isInUse(path)) return false;
      await rm(path);
      await removeIndex(path);
      return true;
    } catch (error) {
      // Another app that keeps the same limits was faster: what it deleted takes no room either.
      if (systemCodeOf(error) === 'ENOENT') return true;
      // It is still in the list then, where the user can delete it and is told why that cannot be.
      return false;
    }
  }
}

/** Deletes files of indexes whose trace is gone, or that were never finished: other apps may have left them. */
async function sweepIndexes(folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    const trace = traceOfIndex(name);
    if (trace === null || !trace.endsWith(EXTENSION)) continue;
    const path = join(folder, name);
    const isKept = names.has(trace) && path === indexPathOf(join(folder, trace));
    const stats = isKept ? null : await lstat(path).catch(() => null);
    const isLeft = stats?.isFile() && Date.now() - stats.mtimeMs > MAY_BE_WRITTEN;
    if (isLeft) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** The traces of a folder, the oldest first; links are none. */
async function filesOf(folder: string): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for (const name of await readdir(folder)) {
    if (!name.endsWith(EXTENSION)) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => null);
    if (!stats?.isFile()) continue;
    const index = await lstat(indexPathOf(path)).catch(() => null);
    files.push({ path, size: stats.size + (index?.size ?? 0), changedAt: stats.mtimeMs });
  }
  return files.sort((a, b) => a.changedAt - b.changedAt);
}
