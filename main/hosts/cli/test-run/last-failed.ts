import { join } from 'node:path';
import { z } from 'zod';
import { createDataFolder } from '#config/data-folder.ts';
import { JsonFile } from '#config/json-file.ts';
import { type CallOutcome, failsRun } from '#shared/contract/saved-calls.ts';

/** Limit of files that are remembered. */
const MAX_FILES = 500;

const schema = z.array(z.object({ path: z.string(), calls: z.array(z.string()) }));

/** Which calls failed when they ran last, by test file; kept in the data folder. */
export class LastFailed {
  readonly #file: JsonFile<typeof schema>;

  constructor(folder: string = createDataFolder()) {
    this.#file = new JsonFile(join(folder, 'failed-tests.json'), schema, []);
  }

  /** The names of the calls of a file that failed last. @throws FaultError */
  async of(path: string): Promise<readonly string[]> {
    return (await this.#file.read()).find((one) => one.path === path)?.calls ?? [];
  }

  /** Remembers what a run found; calls that it left out stay as they were. @throws FaultError */
  async note(path: string, outcomes: readonly CallOutcome[]): Promise<void> {
    const ran = new Set(outcomes.filter(({ state }) => state !== 'skipped').map(({ name }) => name));
    const failed = outcomes.filter(failsRun).map(({ name }) => name);
    const before = await this.of(path);
    if (failed.length === 0 && before.length === 0) return;
    await this.#file.update((all) => {
      const known = all.find((one) => one.path === path)?.calls ?? [];
      const calls = [...known.filter((name) => !ran.has(name)), ...failed];
      const others = all.filter((one) => one.path !== path);
      return (calls.length === 0 ? others : [...others, { path, calls }]).slice(-MAX_FILES);
    });
  }
}
