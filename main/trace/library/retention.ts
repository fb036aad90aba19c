import { UNCHANGED_AFTER } from '#trace/file-clock.ts';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '#shared/contract/fault.ts';
import type { Settings } from '#shared/contract/settings.ts';
import { indexPathOf, removeIndex, traceOfIndex } from '#trace/kept-index/index-file.ts';
import { EXTENSION } from './file-operations.ts';

/**
 * Milliseconds after its last change in which a file is never deleted automatically: what is deleted cannot be
 * restored.
 */
const SAFE_TO_DELETE_AFTER = UNCHANGED_AFTER + 3 * 60_000;
const DAY = 24 * 3_600_000;

export interface RetentionOptions {
  readonly folder: string;
  /** The retention limits. If this throws, nothing is deleted. */
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

/** Deletes traces that are older than the limit, and the oldest ones if all together are too large. */
export class Retention {
  readonly #options: RetentionOptions;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Deletes what is due, after a run in progress. Never rejects. */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Waits for a run in progress. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      // Unreadable settings delete nothing; the settings screen reports them.
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

  /** Whether it was deleted. */
  async #delete(path: string): Promise<boolean> {
    try {
      // The state may have changed while others were deleted.
      const stats = await lstat(path);
      const isQuiet = Date.now() - stats.mtimeMs > SAFE_TO_DELETE_AFTER;
      if (!stats.isFile() || !isQuiet || this.#options.isInUse(path)) return false;
      await rm(path);
      await removeIndex(path);
      return true;
    } catch (error) {
      // Another app with the same limits may have deleted it.
      if (systemCodeOf(error) === 'ENOENT') return true;
      // It stays in the list, where deleting it shows the fault.
      return false;
    }
  }
}

/** Deletes index files without a trace, and incomplete ones: other apps may have left them. */
async function sweepIndexes(folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    const trace = traceOfIndex(name);
    if (trace === null || !trace.endsWith(EXTENSION)) continue;
    const path = join(folder, name);
    const isKept = names.has(trace) && path === indexPathOf(join(folder, trace));
    const stats = isKept ? null : await lstat(path).catch(() => null);
    const isLeft = stats?.isFile() && Date.now() - stats.mtimeMs > SAFE_TO_DELETE_AFTER;
    if (isLeft) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** The traces of a folder without links, the oldest first. */
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
