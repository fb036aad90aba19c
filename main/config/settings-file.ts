import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { writeFileAtomically } from './atomic-file.ts';

/**
 * A small JSON file of settings. Read each time and replaced as a whole, so that two running apps can
 * share it and a crash leaves the old or the new one, never half of one.
 */
export class SettingsFile<Schema extends z.ZodType> {
  readonly #path: string;
  readonly #schema: Schema;
  readonly #initial: z.infer<Schema>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, schema: Schema, initial: z.infer<Schema>) {
    this.#path = path;
    this.#schema = schema;
    this.#initial = initial;
  }

  /** @throws FaultError when the file is there but cannot be understood; it is left as it is */
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

  /** Replaces the settings by what `change` makes of them; changes wait for each other. */
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
