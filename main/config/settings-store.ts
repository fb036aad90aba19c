import { join } from 'node:path';
import { z } from 'zod';
import { defaultSettings, type Settings, settingsSchema } from '#shared/contract/settings.ts';
import { SettingsFile } from './settings-file.ts';

/** The contents of the file; missing settings have their defaults. */
const fileSchema = settingsSchema.partial().extend({ version: z.literal(1) });

/** The settings that do not belong to a server, in `settings.json`. */
export class SettingsStore {
  readonly #file: SettingsFile<typeof fileSchema>;
  readonly #onChange: (settings: Settings) => void;

  constructor(folder: string, onChange: (settings: Settings) => void) {
    this.#file = new SettingsFile(join(folder, 'settings.json'), fileSchema, { version: 1 });
    this.#onChange = onChange;
  }

  /** @throws FaultError when the file is there but cannot be understood */
  async read(): Promise<Settings> {
    return filled(await this.#file.read());
  }

  /** Changes the given settings. @throws FaultError if the file cannot be written */
  async write(changes: Changes): Promise<Settings> {
    const settings = filled(
      await this.#file.update((before) => ({ ...before, ...filled(changes, filled(before)) })),
    );
    this.#onChange(settings);
    return settings;
  }
}

type Changes = { readonly [K in keyof Settings]?: Settings[K] | undefined };

/** What is given, and for the rest what was before. */
const filled = (changes: Changes, before: Settings = defaultSettings): Settings => ({
  retention: changes.retention ?? before.retention,
  redactionPatterns: changes.redactionPatterns ?? before.redactionPatterns,
  traceColumns: changes.traceColumns ?? before.traceColumns,
  traceTimes: changes.traceTimes ?? before.traceTimes,
  savedFilters: changes.savedFilters ?? before.savedFilters,
});
