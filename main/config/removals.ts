import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import { type Removal, type RemovalKind, removalSchema } from '#shared/contract/removals.ts';
import { truncate } from '#shared/format.ts';
import { JsonFile } from './json-file.ts';

/** Milliseconds for which something removed can be brought back, while the app runs. */
export const UNDO_PERIOD = 10 * 60_000;

/** The longest name that is shown. */
const MAX_NAME = 200;

const entrySchema = removalSchema.extend({
  /** The run of the app that removed it. */
  run: z.string(),
  /** What its kind needs to bring it back. Has no secrets: those wait in the store of secrets. */
  data: z.unknown(),
});
type Entry = z.infer<typeof entrySchema>;

const fileSchema = z.object({ version: z.literal(1), removed: z.array(entrySchema) });

/** What finally happens to a removed thing. Both must be safe to run again if the app was killed in between. */
interface RemovedThing<Data> {
  /** Brings it back. @throws FaultError if that is no longer possible */
  restore(data: Data): Promise<void>;
  /** Deletes it for good, unless it exists again. */
  erase(data: Data): Promise<void>;
}

/** Notes what is about to be removed. @param isOfThisRun whether it means nothing to a later run, so no file has it */
export type NoteRemoval<Data> = (name: string, data: Data, isOfThisRun?: boolean) => Promise<void>;

interface RemovalsOptions {
  /** The data folder. */
  readonly folder: string;
  readonly onChange: (removals: Removal[]) => void;
  readonly reportError: (what: string, error: unknown) => void;
}

/**
 * What the user has removed lately and can bring back. It is deleted for good after `UNDO_PERIOD`, or when the app ends; what
 * an app left that was killed is deleted by the next one.
 *
 * What is removed is noted here first, so that nothing is lost between the two steps.
 */
export class Removals {
  readonly #options: RemovalsOptions;
  readonly #file: JsonFile<typeof fileSchema>;
  readonly #run = randomUUID();
  readonly #things = new Map<RemovalKind, RemovedThing<unknown>>();
  readonly #entries = new Map<string, Entry>();
  /** Entries that no file has. */
  readonly #inMemory = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RemovalsOptions) {
    this.#options = options;
    this.#file = new JsonFile(join(options.folder, 'removed.json'), fileSchema, { version: 1, removed: [] });
  }

  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `removals/${string}`>> = {
    'removals/list': () => this.#list(),
    'removals/restore': async ({ id }) => {
      await this.#inTurn(() => this.#restore(id));
      return null;
    },
  };

  /** Declares how things of a kind are brought back and deleted; returns the function that notes their removal. */
  define<Schema extends z.ZodType>(
    kind: RemovalKind,
    schema: Schema,
    thing: RemovedThing<z.infer<Schema>>,
  ): NoteRemoval<z.infer<Schema>> {
    this.#things.set(kind, {
      restore: (data) => thing.restore(schema.parse(data)),
      erase: (data) => thing.erase(schema.parse(data)),
    });
    return (name, data, isOfThisRun = false) =>
      this.#inTurn(() => this.#add(kind, truncate(name, MAX_NAME), schema.parse(data), isOfThisRun));
  }

  /** What was removed of a kind and can be brought back, as it was noted. */
  of(kind: RemovalKind): readonly unknown[] {
    return [...this.#entries.values()].filter((entry) => entry.kind === kind).map(({ data }) => data);
  }

  /** Reads what earlier runs left, and deletes what is over. Call it once every kind is declared. */
  async begin(): Promise<void> {
    try {
      const { removed } = await this.#file.read();
      for (const entry of removed) this.#entries.set(entry.id, entry);
    } catch (error) {
      this.#options.reportError('while the list of removed things was read', error);
    }
    await this.#inTurn(() => this.#eraseOver());
  }

  /** Deletes for good what this run has removed. Idempotent. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      clearTimeout(this.#timer);
      for (const entry of this.#entries.values()) if (entry.run === this.#run) await this.#erase(entry);
    });
    clearTimeout(this.#timer);
  }

  #list(): Removal[] {
    return [...this.#entries.values()].map(({ run: _, data: __, ...removal }) => removal);
  }

  async #add(kind: RemovalKind, name: string, data: unknown, isOfThisRun: boolean): Promise<void> {
    const at = Date.now();
    const entry = { id: randomUUID(), kind, name, at, until: at + UNDO_PERIOD, run: this.#run, data };
    if (isOfThisRun) this.#inMemory.add(entry.id);
    else await this.#file.update(({ removed, ...others }) => ({ ...others, removed: [...removed, entry] }));
    this.#entries.set(entry.id, entry);
    this.#changed();
  }

  async #restore(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new FaultError(isOver);
    await this.#things.get(entry.kind)?.restore(entry.data);
    await this.#drop(entry);
  }

  async #eraseOver(): Promise<void> {
    const now = Date.now();
    for (const entry of this.#entries.values()) if (entry.until <= now) await this.#erase(entry);
    this.#schedule();
  }

  /** What cannot be deleted now is no longer offered, but stays in the file: the next run tries it again. */
  async #erase(entry: Entry): Promise<void> {
    try {
      if (await this.#isStillNoted(entry)) await this.#things.get(entry.kind)?.erase(entry.data);
      await this.#drop(entry);
    } catch (error) {
      this.#entries.delete(entry.id);
      this.#changed();
      this.#options.reportError(`while the removed ${entry.kind} was deleted`, error);
    }
  }

  /** Whether no other app has brought it back or deleted it. */
  async #isStillNoted({ id }: Entry): Promise<boolean> {
    return this.#inMemory.has(id) || (await this.#file.read()).removed.some((one) => one.id === id);
  }

  async #drop({ id }: Entry): Promise<void> {
    this.#entries.delete(id);
    if (!this.#inMemory.delete(id))
      await this.#file.update(({ removed, ...others }) => ({
        ...others,
        removed: removed.filter((one) => one.id !== id),
      }));
    this.#changed();
  }

  #changed(): void {
    this.#schedule();
    this.#options.onChange(this.#list());
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...[...this.#entries.values()].map(({ until }) => until));
    if (!Number.isFinite(next)) return;
    this.#timer = setTimeout(
      () => void this.#inTurn(() => this.#eraseOver()),
      Math.max(0, next - Date.now()),
    );
    this.#timer.unref();
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

const isOver = {
  code: 'removal-over',
  what: 'This can no longer be brought back.',
  why: 'It was brought back already, or the time for it is over.',
};
