import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { Handlers, Params, Result } from '#shared/contract/index.ts';
import { MAX_ENTRIES, MAX_TYPED, type PlaceEntry, placeEntrySchema } from '#shared/contract/place.ts';
import { writeFileAtomically } from './json-file.ts';

/** Milliseconds from a change until it is written, with the changes that follow it. */
const WRITE_AFTER = 500;

const fileSchema = z.object({ version: z.literal(1), entries: z.record(z.string(), placeEntrySchema) });

interface PlaceOptions {
  /** The data folder. */
  readonly folder: string;
  /** A typed text without the values that are secret. What it rejects or throws for is not kept. */
  readonly withoutSecrets: (text: string, serverId: string | null) => Promise<string>;
  /** Takes what the user can do without: a damaged file, a failed write. */
  readonly report: (what: string, error: unknown) => void;
}

/**
 * Where the user was in the window: what is shown, the layout, drafts. It is kept in the data folder, because the address
 * of a page changes with each start of the web host. If two apps share the folder, the last write wins.
 */
export class PlaceStore {
  readonly #options: PlaceOptions;
  readonly #path: string;
  #entries: Promise<Map<string, PlaceEntry>> | undefined;
  /** Changes that still hold what was typed, secrets included. */
  #pending = new Map<string, PlaceEntry | null>();
  #isOfThisRun = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The last step; steps happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'place.json');
  }

  get handlers(): Pick<Handlers, Extract<keyof Handlers, `place/${string}`>> {
    return {
      'place/read': () => this.read(),
      'place/keep': (changes) => {
        this.keep(changes);
        return null;
      },
    };
  }

  /** A file that cannot be read costs the place, and is replaced by the next write. */
  async read(): Promise<Result<'place/read'>> {
    const entries = await this.#settle();
    return { entries: Object.fromEntries(entries), isOfThisRun: this.#isOfThisRun };
  }

  keep({ entries }: Params<'place/keep'>): void {
    if (this.#isClosed) return;
    this.#isOfThisRun = true;
    for (const [name, entry] of Object.entries(entries)) {
      // The newest are last.
      this.#pending.delete(name);
      this.#pending.set(name, entry);
    }
    this.#writeSoon();
  }

  /** Forgets what belongs to removed servers. */
  async forgetOthers(serverIds: ReadonlySet<string>): Promise<void> {
    const entries = await this.#settle();
    const before = entries.size;
    for (const [name, { serverId }] of entries) {
      if (serverId !== null && !serverIds.has(serverId)) entries.delete(name);
    }
    if (entries.size !== before && !this.#isClosed) this.#writeSoon();
  }

  /** Writes what was not written yet. What comes later is not kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#write();
    await this.#turn;
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#turn = this.#settle()
      .then((entries) => {
        const file = { version: 1, entries: Object.fromEntries(entries) };
        return writeFileAtomically(this.#path, `${JSON.stringify(file)}\n`);
      })
      .catch((error: unknown) => this.#options.report(`writing ${this.#path}`, error));
  }

  /** All entries, with the pending changes made. */
  #settle(): Promise<Map<string, PlaceEntry>> {
    const settled = this.#turn.then(async () => {
      const entries = await (this.#entries ??= this.#readFile());
      const changes = this.#pending;
      this.#pending = new Map();
      for (const [name, entry] of changes) {
        entries.delete(name);
        if (entry !== null) entries.set(name, await this.#withoutSecrets(entry));
      }
      for (const name of entries.keys()) {
        if (entries.size <= MAX_ENTRIES) break;
        entries.delete(name);
      }
      return entries;
    });
    this.#turn = settled;
    return settled;
  }

  async #withoutSecrets(entry: PlaceEntry): Promise<PlaceEntry> {
    const typed: Record<string, string> = {};
    for (const [field, text] of Object.entries(entry.typed)) {
      if (text.length > MAX_TYPED) continue;
      try {
        typed[field] = await this.#options.withoutSecrets(text, entry.serverId);
      } catch {
        // Without knowing what is secret in it, the text must not be written.
      }
    }
    return { ...entry, typed };
  }

  async #readFile(): Promise<Map<string, PlaceEntry>> {
    try {
      const file = fileSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      return new Map(Object.entries(file.entries));
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') {
        const what = `${this.#path} is damaged, so the window opens as it does at first`;
        this.#options.report(what, messageOf(error));
      }
      return new Map();
    }
  }
}
