import { type Stats, createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { type CutLine, LineCutter, bytesOfRecord, readLine } from '#trace/opened/lines.ts';
import { OpenedFile } from '#trace/opened/opened-file.ts';
import { readerFile } from '#trace/opened/reader-protocol.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import { withResolvers } from '#transports/async.ts';
import { isWrittenElsewhere, readHeaderLine } from './file-operations.ts';

const countsSchema = z.object({ rows: z.number().int(), errors: z.number().int() });
export type Counts = z.infer<typeof countsSchema>;

const entrySchema = countsSchema.extend({ size: z.number(), mtime: z.number() });
/** Version 1 counted errors differently. */
const VERSION = 2;
const fileSchema = z.object({ version: z.literal(VERSION), counts: z.record(z.string(), entrySchema) });
type Entries = Map<string, z.infer<typeof entrySchema>>;

/**
 * Row and error counts of the traces, kept in a small file between runs. An entry is valid for a file with the same
 * name, size and modification time. The file may be lost: everything in it can be counted again.
 */
export class RowCounts {
  readonly #path: string;
  readonly #replaceFile: (path: string, text: string) => Promise<void>;
  #entries: Entries = new Map();
  #reading: Promise<void> | undefined;
  #turn: Promise<void> = Promise.resolve();

  /** @param replaceFile writes a file as a whole */
  constructor(path: string, replaceFile: (path: string, text: string) => Promise<void>) {
    this.#path = path;
    this.#replaceFile = replaceFile;
  }

  /** Reads the counts of earlier runs. */
  ready(): Promise<void> {
    this.#reading ??= this.#read().then((entries) => {
      this.#entries = new Map([...entries, ...this.#entries]);
    });
    return this.#reading;
  }

  of(path: string, { size, mtimeMs }: Stats): Counts | null {
    const entry = this.#entries.get(basename(path));
    return entry?.size === size && entry.mtime === mtimeMs ? entry : null;
  }

  /** Stores the counts of a file, and drops those of files not in `names`, if given. */
  async set(path: string, { size, mtimeMs }: Stats, { rows, errors }: Counts, names: string[] | null) {
    this.#entries.set(basename(path), { rows, errors, size, mtime: mtimeMs });
    await this.#write(names && new Set(names));
  }

  /** A file was renamed. */
  async move(from: string, to: string): Promise<void> {
    const entry = this.#entries.get(basename(from));
    if (entry === undefined) return;
    this.#entries.delete(basename(from));
    this.#entries.set(basename(to), entry);
    await this.#write(null);
  }

  #write(names: ReadonlySet<string> | null): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      // Another app that shares the folder may have stored counts in the meantime.
      const all: Entries = new Map([...(await this.#read()), ...this.#entries]);
      this.#entries = new Map([...all].filter(([name]) => names === null || names.has(name)));
      const text = JSON.stringify({ version: VERSION, counts: Object.fromEntries(this.#entries) });
      // Where it cannot be written, the files are counted again in the next run.
      await this.#replaceFile(this.#path, text).catch(() => undefined);
    });
    return this.#turn;
  }

  /** Empty if the file is missing, damaged, or of another version. */
  async #read(): Promise<Entries> {
    try {
      const { counts } = fileSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      return new Map(Object.entries(counts));
    } catch {
      return new Map();
    }
  }
}

/** Milliseconds between two checks whether the file being counted was opened. */
const LOOK_EVERY = 100;

/** Counts the rows of files in the background, one file after the other. */
export class RowCounter {
  readonly #onCounted: (path: string, counts: Counts) => Promise<void>;
  readonly #countRows: CountRows;
  readonly #isOpened: (path: string) => boolean;
  readonly #waiting = new Set<string>();
  readonly #ending = new AbortController();
  #working: Promise<void> | undefined;

  /** @param isOpened whether a file is open and therefore counted by its reader */
  constructor(
    onCounted: (path: string, counts: Counts) => Promise<void>,
    count: CountRows = countRows,
    isOpened: (path: string) => boolean = () => false,
  ) {
    this.#onCounted = onCounted;
    this.#countRows = count;
    this.#isOpened = isOpened;
  }

  /** Queues a file. One that cannot be counted now is skipped. */
  add(path: string): void {
    if (this.#ending.signal.aborted) return;
    this.#waiting.add(path);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Stops counting. Idempotent; never rejects. */
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
    // Two readers of one file would slow each other down, and the user waits for the other one.
    const looking = setInterval(() => this.#isOpened(path) && opened.abort(), LOOK_EVERY).unref();
    const isAborted = AbortSignal.any([this.#ending.signal, opened.signal]);
    const counts = await this.#countRows(path, isAborted).catch(() => null);
    clearInterval(looking);
    const after = await stat(path).catch(() => null);
    // A changed or unreadable file is counted when it is listed again.
    const isSame = after?.mtimeMs === before.mtimeMs && after.size === before.size;
    if (counts !== null && isSame) await this.#onCounted(path, counts);
  }
}

/** Bytes to read per turn of the event loop: a few milliseconds of work. */
const PIECE = 64 * 1024;
/** Bytes up to which a file is read faster than a thread starts. */
const SMALL = 1024 * 1024;

/** Counts the rows of a file, and which of them are errors. */
export type CountRows = (path: string, signal: AbortSignal) => Promise<Counts>;

/**
 * Counts with the same code that derives the rows of sessions and opened files. @throws Error if the file cannot be
 * read or counting was aborted
 */
export const countRows: CountRows = async (path, signal) => {
  const { size } = await stat(path);
  signal.throwIfAborted();
  return size <= SMALL ? countHere(path, signal) : countInThread(path, signal);
};

/** Counts the rows in this thread, in small steps. */
const countHere: CountRows = async (path, signal) => {
  const { upgrade, end } = await readHeaderLine(path);
  const index = new RowIndex();
  const cutter = new LineCutter(end);
  const take = (line: CutLine): void => {
    const reading = readLine(line, upgrade);
    if (reading === null || 'why' in reading) return;
    const { record, offset, length } = reading;
    index.add(record, { offset, length }, bytesOfRecord(record));
  };
  for await (const piece of createReadStream(path, { start: end, highWaterMark: PIECE, signal })) {
    cutter.push(Buffer.from(piece), take);
  }
  const { rest, offset } = cutter;
  take({ bytes: rest, from: 0, to: rest.length, offset, length: rest.length });
  return { rows: index.columns.count, errors: index.errors };
};

/** Counts the rows in a separate thread, as an opened file is read, because a single message may take seconds. */
const countInThread: CountRows = async (path, signal) => {
  const read = withResolvers<OpenedTrace>();
  const file = new OpenedFile(
    readerFile(),
    { sessionId: 'counted', path, keepsIndex: true },
    {
      changed: (view) => {
        const fault = view.faults.find(({ code }) => unreadable.has(code));
        if (fault !== undefined) read.reject(new FaultError(fault));
        else if (view.isRead) read.resolve(view);
      },
      event: () => undefined,
    },
  );
  const abort = () => read.reject(new Error('the counting was aborted'));
  signal.addEventListener('abort', abort);
  try {
    const [{ counts }] = await Promise.all([read.promise, file.opened()]);
    return { rows: counts.rows, errors: counts.errors };
  } finally {
    signal.removeEventListener('abort', abort);
    await file.close();
  }
};

/** Faults of a file that was not read completely. */
const unreadable: ReadonlySet<string> = new Set(['trace-not-read', 'trace-truncated', 'trace-reader-failed']);
