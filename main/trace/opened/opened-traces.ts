import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FaultError } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import { traceArea } from '#shared/contract/trace.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import type { TraceHandlers } from '#trace/handlers.ts';
import * as faults from './faults.ts';
import { OpenedFile } from './opened-file.ts';
import { readerFile } from './reader-protocol.ts';
import type { RecordedHandlers } from './recorded-session.ts';

interface Entry {
  path: string;
  /** Resolves symbolic links. */
  realPath: string;
  readonly file: OpenedFile;
}

/** The traces opened from files, by session id. */
export class OpenedTraces {
  readonly #emit: Emit;
  readonly #reader: URL;
  /** The folder whose traces have an index beside them; null when none have. */
  readonly #ownFolder: string | null;
  readonly #entries = new Map<string, Entry>();
  readonly #readListeners: ((path: string) => void)[] = [];
  #lastId = 0;
  #isClosed = false;

  /**
   * @param ownFolder where the app keeps its traces: beside these, and no others, files of their index may be kept
   * @param reader what the thread of each runs
   */
  constructor(emit: Emit, ownFolder: string | null = null, reader: URL = readerFile()) {
    this.#emit = emit;
    this.#ownFolder = ownFolder;
    this.#reader = reader;
  }

  /** Opens a file, or returns it if it is open already. @throws FaultError if it cannot be opened */
  async open(path: string): Promise<OpenedTrace> {
    const there = resolve(path);
    const realPath = await realpath(there).catch(() => there);
    const keepsIndex = await this.#keepsIndex(there, realPath);
    if (this.#isClosed) throw new FaultError(faults.closing());
    const known = [...this.#entries.values()].find((one) => one.realPath === realPath && !one.file.isStale);
    if (known === undefined) return this.#open(there, realPath, keepsIndex);
    const first = await known.file.opened();
    return known.file.view ?? first;
  }

  /** Closes an opened trace. @throws FaultError if there is none with this id */
  async close(sessionId: string): Promise<void> {
    const entry = this.#entries.get(sessionId);
    if (entry === undefined) throw new FaultError(faults.notOpened(sessionId));
    this.#entries.delete(sessionId);
    await entry.file.close();
    this.#emit('traces/closed', { sessionId });
  }

  list(): OpenedTrace[] {
    return [...this.#entries.values()].map(({ file }) => file.view).filter((view) => view !== null);
  }

  /** The handlers of an opened trace; undefined if there is none with this id. */
  handlersOf(sessionId: string): TraceHandlers | undefined {
    return this.#entries.get(sessionId)?.file.handlers;
  }

  /** The handlers of the session in an opened trace; undefined if there is none with this id. */
  recordedOf(sessionId: string): RecordedHandlers | undefined {
    return this.#entries.get(sessionId)?.file.recorded;
  }

  /** Whether a file is open. */
  has(path: string): boolean {
    return this.#at(path).length > 0;
  }

  /** Rows and errors of a file that was read completely; null for other files. */
  countsOf(path: string): { readonly rows: number; readonly errors: number } | null {
    const view = this.#at(path).find(([, { file }]) => !file.isStale)?.[1].file.view;
    return view?.isRead ? { rows: view.counts.rows, errors: view.counts.errors } : null;
  }

  /** Calls the listener with the path of each file that was read completely from now on. */
  onRead(listener: (path: string) => void): void {
    this.#readListeners.push(listener);
  }

  /** Closes a file, as before it is deleted. */
  async release(path: string): Promise<void> {
    await Promise.all(this.#at(path).map(([sessionId]) => this.close(sessionId)));
  }

  /** A file was renamed. */
  moved(from: string, to: string): void {
    for (const [, entry] of this.#at(from)) {
      entry.path = resolve(to);
      entry.realPath = entry.path;
      entry.file.moved(entry.path);
    }
  }

  /** Closes every trace, and opens none from now on. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#entries.keys()].map((sessionId) => this.close(sessionId)));
  }

  /** Whether it is a file in our own folder, not a link to elsewhere. */
  async #keepsIndex(path: string, realPath: string): Promise<boolean> {
    const folder = this.#ownFolder;
    if (folder === null || dirname(path) !== resolve(folder)) return false;
    return realPath === join(await realpath(folder).catch(() => folder), basename(path));
  }

  async #open(path: string, realPath: string, keepsIndex: boolean): Promise<OpenedTrace> {
    const sessionId = `file-${++this.#lastId}`;
    let isRead = false;
    const file = new OpenedFile(
      this.#reader,
      { sessionId, path, keepsIndex },
      {
        changed: (opened) => {
          this.#emit('traces/opened-changed', opened);
          if (isRead || !opened.isRead) return;
          isRead = true;
          for (const listener of this.#readListeners) listener(opened.path);
        },
        event: (event, payload) => this.#pass(event, payload),
      },
    );
    this.#entries.set(sessionId, { path, realPath, file });
    try {
      return await file.opened();
    } catch (error) {
      this.#entries.delete(sessionId);
      await file.close();
      throw error;
    }
  }

  #pass(event: string, payload: unknown): void {
    if (isTraceEvent(event)) this.#emit(event, traceArea.events[event].parse(payload));
  }

  #at(path: string): [sessionId: string, entry: Entry][] {
    const there = resolve(path);
    return [...this.#entries].filter(([, entry]) => entry.path === there || entry.realPath === there);
  }
}

const isTraceEvent = (name: string): name is keyof typeof traceArea.events =>
  Object.hasOwn(traceArea.events, name);
