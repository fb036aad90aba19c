import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Stats } from 'node:fs';
import { z } from 'zod';

const countsSchema = z.object({ rows: z.number().int(), errors: z.number().int() });
export type Counts = z.infer<typeof countsSchema>;

const entrySchema = countsSchema.extend({ size: z.number(), mtime: z.number() });
/** What earlier versions counted as errors was something else. */
const VERSION = 2;
const fileSchema = z.object({ version: z.literal(VERSION), counts: z.record(z.string(), entrySchema) });
type Entries = Map<string, z.infer<typeof entrySchema>>;

/**
 * How many rows and errors each trace has, kept in a small file between runs. An entry holds for a file of this very
 * name, size and time of change. It can be lost without harm, since everything in it can be counted again.
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

  /** Reads what earlier runs left. */
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

  /** Remembers the counts of a file, and forgets those of files that are not among `names` where these are known. */
  async set(path: string, { size, mtimeMs }: Stats, { rows, errors }: Counts, names: string[] | null) {
    this.#entries.set(basename(path), { rows, errors, size, mtime: mtimeMs });
    await this.#write(names && new Set(names));
  }

  /** A file was given another name. */
  async move(from: string, to: string): Promise<void> {
    const entry = this.#entries.get(basename(from));
    if (entry === undefined) return;
    this.#entries.delete(basename(from));
    this.#entries.set(basename(to), entry);
    await this.#write(null);
  }

  #write(names: ReadonlySet<string> | null): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      // Another app that shares the folder may have counted meanwhile.
      const all: Entries = new Map([...(await this.#read()), ...this.#entries]);
      this.#entries = new Map([...all].filter(([name]) => names === null || names.has(name)));
      const text = JSON.stringify({ version: VERSION, counts: Object.fromEntries(this.#entries) });
      // Where it cannot be written, the files are counted again in the next run.
      await this.#replaceFile(this.#path, text).catch(() => undefined);
    });
    return this.#turn;
  }

  /** Nothing when it is not there, damaged, or of another version. */
  async #read(): Promise<Entries> {
    try {
      const { counts } = fileSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      return new Map(Object.entries(counts));
    } catch {
      return new Map();
    }
  }
}
