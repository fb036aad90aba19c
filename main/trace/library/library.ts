import { randomUUID } from 'node:crypto';
import { type Stats, type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { numberedNames } from '#trace/numbered-names.ts';
import { type Fault, FaultError, faultOf, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { moveIndex, removeIndex } from '#trace/kept-index/index-file.ts';
import type { Trace } from '#trace/trace.ts';
import { Throttle } from '#transports/async.ts';
import { type CountRows, RowCounter, type Counts, RowCounts } from './row-counts.ts';
import {
  EXTENSION,
  nameOf,
  ownFile,
  safeName,
  readHeaderLine,
  moveToFree,
  isWrittenElsewhere,
} from './file-operations.ts';
import * as faults from './library-faults.ts';

/** Milliseconds between two notices that the folder changed. */
const NOTICE_EVERY = 500;
/** The folder in the one of the traces where deleted files wait. */
const REMOVED = 'removed';
/** Files to read at once. */
const AT_ONCE = 16;

/** The header of a file, or why it cannot be read. */
type HeaderReading = { readonly header: TraceHeader } | { readonly fault: Fault };

/** The traces that sessions of this run write or hold. */
interface SessionTraces {
  all(): Iterable<readonly [sessionId: string, trace: Trace]>;
  /** Calls the listener with each trace that is begun from now on. */
  onBegin(listener: (sessionId: string, trace: Trace) => void): void;
}

/** The traces that were opened from files. */
interface OpenedFiles {
  has(path: string): boolean;
  /** Rows and errors of a file that was read completely; null for other files. */
  countsOf(path: string): Counts | null;
  /** Calls the listener with the path of each file that was read completely from now on. */
  onRead(listener: (path: string) => void): void;
  /** Closes a file before it is deleted. */
  release(path: string): Promise<void>;
  /** The file was renamed. */
  moved(from: string, to: string): void;
}

export interface LibraryOptions {
  /** Where the app keeps its traces. */
  readonly folder: string;
  /** The file that stores the row counts. */
  readonly countsPath: string;
  /** Replaces a file atomically. */
  readonly replaceFile: (path: string, text: string) => Promise<void>;
  readonly sessions: SessionTraces;
  readonly opened: OpenedFiles;
  /** Forgets an ended session whose trace was deleted. */
  readonly forgetSession: (sessionId: string) => void;
  /** Notes that a file is about to be moved to where it waits to be deleted. */
  readonly noteRemoval: (
    name: string,
    held: { readonly path: string; readonly heldAt: string },
  ) => Promise<void>;
  readonly emit: Emit;
  readonly countRows?: CountRows;
}

/** The trace files of the app's data folder, which other running apps may write to as well. */
export class TraceLibrary {
  readonly folder: string;
  readonly #options: LibraryOptions;
  readonly #counts: RowCounts;
  readonly #notice: Throttle;
  readonly #watch: FolderWatch;
  readonly #headers = new Map<string, { readonly stamp: string; readonly reading: HeaderReading }>();
  /** Files of this run that no session wrote, such as those taken in: nobody else writes them. */
  readonly #ours = new Set<string>();
  /** Resolve once the counts of a session's trace, or of an opened one, are stored. */
  readonly #storing = new Set<Promise<void>>();
  readonly #counter: RowCounter;

  constructor(options: LibraryOptions) {
    this.folder = resolve(options.folder);
    this.#options = options;
    this.#counts = new RowCounts(options.countsPath, options.replaceFile);
    this.#notice = new Throttle(NOTICE_EVERY, () => options.emit('traces/changed', {}));
    this.#watch = new FolderWatch(this.folder, (name) => this.#touched(name));
    this.#counter = new RowCounter(
      async (path, counts) => {
        await this.#remember(path, counts);
        this.#notice.request();
      },
      options.countRows,
      (path) => options.opened.has(path),
    );
    options.opened.onRead((path) => {
      const counts = options.opened.countsOf(path);
      if (counts === null || dirname(resolve(path)) !== this.folder) return;
      this.#track(this.#remember(path, counts).then(() => this.#notice.request()));
    });
    options.sessions.onBegin((_sessionId, trace) => {
      this.#notice.request();
      this.#track(trace.file.closed.then(() => this.#ended(trace)));
    });
  }

  /** Every trace of the folder, the newest first. @throws FaultError when the folder cannot be read */
  async list(): Promise<TraceFileView[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
    this.#watch.start();
    await this.#counts.ready();
    const paths = await this.#paths();
    const known = new Set(paths);
    for (const path of this.#headers.keys()) if (!known.has(path)) this.#headers.delete(path);
    const views: TraceFileView[] = [];
    for (let from = 0; from < paths.length; from += AT_ONCE) {
      const some = await Promise.all(paths.slice(from, from + AT_ONCE).map((path) => this.#viewOf(path)));
      views.push(...some.filter((view) => view !== null));
    }
    for (const { path, rows, fault } of views) {
      // A file that is being read gets counted by its reader.
      if (rows === null && fault === null && !this.#options.opened.has(path)) this.#counter.add(path);
    }
    return views.sort((a, b) => b.createdAt - a.createdAt || b.name.localeCompare(a.name));
  }

  /** Renames a file. @throws FaultError if that fails; the file is unchanged then */
  async rename(path: string, requested: string): Promise<TraceFileView> {
    const from = await this.#changeable(path, 'renamed');
    const name = safeName(requested);
    if (name === '') throw new FaultError(faults.noName(requested));
    const to = join(this.folder, `${name}${EXTENSION}`);
    if (to !== from) await this.#move(from, to);
    const view = await this.#viewOf(to);
    if (view === null) throw new FaultError(faults.goneMeanwhile(to));
    return view;
  }

  /**
   * Takes a file out of the folder, into one beside it where it waits to be deleted.
   *
   * @throws FaultError if that fails; the file is unchanged then
   */
  async delete(path: string): Promise<void> {
    const own = await this.#changeable(path, 'deleted');
    if (this.#options.opened.has(own)) await this.#options.opened.release(own);
    const heldAt = join(this.folder, REMOVED, `${randomUUID()}${EXTENSION}`);
    try {
      await this.#options.noteRemoval(nameOf(own), { path: own, heldAt });
      await mkdir(dirname(heldAt), { recursive: true, mode: 0o700 });
      await rename(own, heldAt);
    } catch (error) {
      throw error instanceof FaultError ? error : new FaultError(faults.notChanged('deleted', own, error));
    }
    await removeIndex(own).catch(() => undefined);
    for (const [sessionId] of this.#tracesAt(own)) this.#options.forgetSession(sessionId);
    this.#ours.delete(own);
    this.#notice.request();
  }

  /** Brings back a deleted file, under its name or a numbered one. @throws FaultError if it is gone */
  async restore({ path, heldAt }: { readonly path: string; readonly heldAt: string }): Promise<void> {
    const isHeld = (await stat(heldAt).catch(() => null)) !== null;
    // It was not moved, because the app was killed before.
    if (!isHeld && (await stat(path).catch(() => null)) !== null) return;
    if (!isHeld) throw new FaultError(faults.goneMeanwhile(path));
    await this.takeIn(heldAt, nameOf(path));
  }

  /** Moves a file of ours into the folder, under the name nearest to the requested one; returns its path there. */
  async takeIn(from: string, requested: string): Promise<string> {
    for (const name of numberedNames(safeName(requested) || 'trace', EXTENSION)) {
      const to = join(this.folder, name);
      if (!(await moveToFree(from, to))) continue;
      this.#ours.add(to);
      this.#notice.request();
      return to;
    }
    throw new FaultError(faults.nameTaken(nameOf(requested)));
  }

  /** Whether this run needs the file: a session writes or holds it, or it is open. */
  isInUse(path: string): boolean {
    return this.#tracesAt(path).length > 0 || this.#options.opened.has(path);
  }

  /** Notifies that files were deleted. */
  noteChange(): void {
    this.#notice.request();
  }

  /** Stops watching and counting, once every session has ended. Idempotent. */
  async close(): Promise<void> {
    this.#watch.close();
    await Promise.all(this.#storing);
    await this.#counter.close();
  }

  /** @throws FaultError when the folder cannot be read */
  async #paths(): Promise<string[]> {
    try {
      const names = await readdir(this.folder);
      return names.filter((name) => name.endsWith(EXTENSION)).map((name) => join(this.folder, name));
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      throw new FaultError(faults.folderUnreadable(this.folder, messageOf(error)));
    }
  }

  /** The view of a file; null if it is gone or not a file. */
  async #viewOf(path: string): Promise<TraceFileView | null> {
    const stats = await stat(path).catch(() => null);
    if (stats === null || !stats.isFile()) return null;
    const [held] = this.#tracesAt(path);
    const written = held?.[1].file.isOpen ? held : null;
    const reading = await this.#header(path, stats);
    const header = 'header' in reading ? reading.header : null;
    const counts = held
      ? countsOf(held[1])
      : (this.#counts.of(path, stats) ?? this.#options.opened.countsOf(path));
    const createdAt = Date.parse(header?.createdAt ?? '');
    return {
      path,
      name: nameOf(path),
      size: written?.[1].file.size ?? stats.size,
      createdAt: Number.isNaN(createdAt) ? stats.mtimeMs : createdAt,
      server: header?.server.name ?? null,
      transport: header?.server.transport ?? null,
      isExcerpt: header?.excerpt !== undefined,
      rows: counts?.rows ?? null,
      errors: counts?.errors ?? null,
      sessionId: written?.[0] ?? null,
      fault: 'fault' in reading ? reading.fault : null,
    };
  }

  async #header(path: string, { ino, size, mtimeMs }: Stats): Promise<HeaderReading> {
    const stamp = `${ino} ${size} ${mtimeMs}`;
    const known = this.#headers.get(path);
    if (known?.stamp === stamp) return known.reading;
    const reading = await readHeaderLine(path).catch((error: unknown) => ({
      fault: faultOf('looked at a trace', error),
    }));
    this.#headers.set(path, { stamp, reading });
    return reading;
  }

  /** The path of a file that may be changed. @throws FaultError if it must not be changed */
  async #changeable(path: string, change: faults.Change): Promise<string> {
    const own = await ownFile(this.folder, path);
    const traces = this.#tracesAt(own.path);
    if (traces.some(([, { file }]) => file.isOpen))
      throw new FaultError(faults.writtenHere(change, own.path));
    // No other process writes files that this run has written or received.
    const isKnown = traces.length > 0 || this.#ours.has(own.path);
    if (!isKnown && (await isWrittenElsewhere(own.path, own.stats))) {
      throw new FaultError(faults.writtenElsewhere(change, own.path));
    }
    return own.path;
  }

  async #move(from: string, to: string): Promise<void> {
    let isMoved: boolean;
    try {
      isMoved = await moveToFree(from, to);
    } catch (error) {
      throw new FaultError(faults.notChanged('renamed', from, error));
    }
    if (!isMoved) throw new FaultError(faults.nameTaken(nameOf(to)));
    for (const [, trace] of this.#tracesAt(from)) trace.moved(to);
    await moveIndex(from, to);
    this.#options.opened.moved(from, to);
    if (this.#ours.delete(from)) this.#ours.add(to);
    await this.#counts.move(from, to);
    this.#notice.request();
  }

  #tracesAt(path: string): (readonly [sessionId: string, trace: Trace])[] {
    return [...this.#options.sessions.all()].filter(([, { file }]) => resolve(file.path) === path);
  }

  /** Notifies about a change in the folder, except for growing files of this run: their sessions do that. */
  #touched(name: string | null): void {
    const isOwnGrowing =
      name !== null && this.#tracesAt(join(this.folder, name)).some(([, { file }]) => file.isOpen);
    const isTrace = name === null || name.endsWith(EXTENSION);
    if (isTrace && !isOwnGrowing) this.#notice.request();
  }

  /** Has `close` wait for it. */
  #track(storing: Promise<void>): void {
    this.#storing.add(storing);
    void storing.then(() => this.#storing.delete(storing));
  }

  /** Stores the counts of a trace once its session has ended. */
  async #ended(trace: Trace): Promise<void> {
    if (dirname(resolve(trace.file.path)) !== this.folder) return;
    await this.#remember(trace.file.path, countsOf(trace));
    this.#notice.request();
  }

  async #remember(path: string, counts: Counts): Promise<void> {
    const stats = await stat(path).catch(() => null);
    if (stats === null) return;
    const paths = await this.#paths().catch(() => null);
    await this.#counts.set(path, stats, counts, paths && paths.map((one) => basename(one)));
  }
}

const countsOf = ({ index }: Trace): Counts => ({ rows: index.columns.count, errors: index.errors });

/**
 * Watches a folder. Where the system cannot watch it (some network drives, no watches left), changes of other processes
 * show when the folder is listed again.
 */
class FolderWatch {
  readonly #folder: string;
  readonly #onChange: (name: string | null) => void;
  #watcher: FSWatcher | undefined;
  #isClosed = false;

  constructor(folder: string, onChange: (name: string | null) => void) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** Starts watching, also again after the folder was removed. Idempotent. */
  start(): void {
    if (this.#watcher !== undefined || this.#isClosed) return;
    let watcher: FSWatcher;
    try {
      watcher = watch(this.#folder, { persistent: false });
    } catch {
      return;
    }
    this.#watcher = watcher;
    watcher.on('change', (_change, name) => this.#onChange(name === null ? null : String(name)));
    watcher.on('error', () => this.#stop());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
