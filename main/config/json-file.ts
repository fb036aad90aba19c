import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/**
 * A small JSON file of settings. Each read reads it from disk, and each write replaces it as a whole, so two running
 * apps can share it.
 */
export class JsonFile<Schema extends z.ZodType> {
  readonly #path: string;
  readonly #schema: Schema;
  readonly #initial: z.infer<Schema>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, schema: Schema, initial: z.infer<Schema>) {
    this.#path = path;
    this.#schema = schema;
    this.#initial = initial;
  }

  /** A missing file has the initial content. @throws FaultError if the file is damaged; it stays unchanged */
  async read(): Promise<z.infer<Schema>> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return this.#initial;
      throw new FaultError(this.#fault('cannot be read', error));
    }
    try {
      return this.#schema.parse(JSON.parse(text));
    } catch (error) {
      throw new FaultError(this.#fault('is damaged or was written by another version', error));
    }
  }

  /** Replaces the content with what `change` returns. Updates run one after the other. */
  update(change: (before: z.infer<Schema>) => z.infer<Schema>): Promise<z.infer<Schema>> {
    const next = this.#turn.then(async () => {
      const after = this.#schema.parse(change(await this.read()));
      await this.#replace(JSON.stringify(after, null, 2));
      return after;
    });
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async #replace(text: string): Promise<void> {
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await writeFileAtomically(this.#path, `${text}\n`);
    } catch (error) {
      throw new FaultError(this.#fault('cannot be written', error));
    }
  }

  #fault(what: string, error: unknown) {
    return {
      code: 'settings-file',
      what: `The settings file ${this.#path} ${what}.`,
      why: messageOf(error),
      next: 'Correct it, or move it away to start with an empty one. Nothing in it was changed.',
    };
  }
}

/**
 * Replaces a file as a whole: after a crash, and for every reader, it has either the old text or the new one.
 * Only its owner can read it (mode 0600).
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
