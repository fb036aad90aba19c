import { type Activity, MAX_LIST_CHANGES, MAX_RUNNING } from '#shared/contract/logs.ts';
import { PROGRESS } from '#shared/protocol/methods.ts';
import type { ReadableTrace } from './readable-trace.ts';
import { readRows } from './view/row-reader.ts';

const LIST_CHANGED = /^notifications\/\w+\/list_changed$/;

/** Finds what is under way in a trace: requests of both sides with their progress, and changes of lists. */
export class ActivityReader {
  readonly #trace: ReadableTrace;
  /** Requests that had no response when they were looked at last, in their order. */
  readonly #running = new Set<number>();
  /** The row of the newest progress of each of them. */
  readonly #progress = new Map<number, number>();
  /** The newest list changes, in their order. */
  #listChanges: number[] = [];
  #listChangeCount = 0;
  /** Rows before this one were read. */
  #scanned = 0;

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  async read(): Promise<Activity> {
    const { columns } = this.#trace.index;
    for (; this.#scanned < columns.count; this.#scanned++) this.#add(this.#scanned);
    for (const row of this.#running) {
      if (columns.status(row) === 'pending') continue;
      this.#running.delete(row);
      this.#progress.delete(row);
    }
    const runningCount = this.#running.size;
    const listChangeCount = this.#listChangeCount;
    const running = [...this.#running].slice(0, MAX_RUNNING);
    const progress = running.map((row) => this.#progress.get(row) ?? null);
    const changes = this.#newestChanges.reverse();
    const [requests, reports, listChanges] = await Promise.all([
      readRows(this.#trace, running),
      readRows(
        this.#trace,
        progress.filter((row) => row !== null),
      ),
      readRows(this.#trace, changes),
    ]);
    const reportAt = new Map(reports.map((report) => [report.row, report]));
    return {
      running: requests.map((row, order) => ({ row, progress: reportAt.get(progress[order] ?? -1) ?? null })),
      runningCount,
      listChanges,
      listChangeCount,
    };
  }

  #add(row: number): void {
    const { columns } = this.#trace.index;
    const kind = columns.kind(row);
    if (kind === 'request' && columns.status(row) === 'pending') this.#running.add(row);
    const method = kind === 'notification' ? columns.method(row) : null;
    if (method === null) return;
    const parent = columns.parent(row);
    if (method === PROGRESS && parent !== null && this.#running.has(parent)) this.#progress.set(parent, row);
    if (!LIST_CHANGED.test(method)) return;
    this.#listChangeCount++;
    this.#listChanges.push(row);
    if (this.#listChanges.length > 2 * MAX_LIST_CHANGES) this.#listChanges = this.#newestChanges;
  }

  get #newestChanges(): number[] {
    return this.#listChanges.slice(-MAX_LIST_CHANGES);
  }
}
