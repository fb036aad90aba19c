import { join } from 'node:path';
import { z } from 'zod';
import { defaultSettings, type Settings, settingsSchema } from '#shared/contract/settings.ts';
import { JsonFile } from './json-file.ts';

/** The contents of the file; missing settings have their defaults. */
const fileSchema = settingsSchema.partial().extend({ version: z.literal(1) });

/** The settings that do not belong to a server, in `settings.json`. */
export class SettingsStore {
  readonly #file: JsonFile<typeof fileSchema>;
  readonly #onChange: (settings: Settings) => void;

  constructor(folder: string, onChange: (settings: Settings) => void) {
    this.#file = new JsonFile(join(folder, 'settings.json'), fileSchema, { version: 1 });
    this.#onChange = onChange;
  }

  /** @throws FaultError if the file is damaged */
  async read(): Promise<Settings> {
    return completed(await this.#file.read());
  }

  /** Changes the given settings. @throws FaultError if the file cannot be written */
  async write(changes: Changes): Promise<Settings> {
    const settings = completed(
      await this.#file.update((before) => ({ ...before, ...completed(changes, completed(before)) })),
    );
    this.#onChange(settings);
    return settings;
  }
}

type Changes = { readonly [K in keyof Settings]?: Settings[K] | undefined };

/** The given settings, completed with those before. */
const completed = (changes: Changes, before: Settings = defaultSettings): Settings => ({
  retention: changes.retention ?? before.retention,
  redactionPatterns: changes.redactionPatterns ?? before.redactionPatterns,
  traceColumns: changes.traceColumns ?? before.traceColumns,
  traceTimes: changes.traceTimes ?? before.traceTimes,
  traceView: changes.traceView ?? before.traceView,
  savedFilters: changes.savedFilters ?? before.savedFilters,
  allowedTools: changes.allowedTools ?? before.allowedTools,
  toolConfirmations: changes.toolConfirmations ?? before.toolConfirmations,
  theme: changes.theme ?? before.theme,
  shortcuts: changes.shortcuts ?? before.shortcuts,
  recent: changes.recent ?? before.recent,
  modelNames: changes.modelNames ?? before.modelNames,
  // Null removes it.
  modelUrl: changes.modelUrl === undefined ? before.modelUrl : changes.modelUrl,
});
