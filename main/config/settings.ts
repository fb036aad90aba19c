import { join } from 'node:path';
import { z } from 'zod';
import { defaultSettings, type Settings, settingsSchema } from '#shared/contract/settings.ts';
import { isHeld, secretsInUrl, withoutUrlSecrets, withUrlSecrets } from '#shared/url-secrets.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { JsonFile } from './json-file.ts';
import type { Secrets } from './secrets.ts';

/** The contents of the file; missing settings have their defaults. */
const fileSchema = settingsSchema.partial().extend({ version: z.literal(1) });

/** The settings that do not belong to a server, in `settings.json`. */
export class SettingsStore {
  readonly #file: JsonFile<typeof fileSchema>;
  readonly #secrets: Secrets;
  readonly #onChange: (settings: Settings) => void;

  /** @param secrets keeps the credentials in the address of the language model */
  constructor(folder: string, secrets: Secrets, onChange: (settings: Settings) => void) {
    this.#secrets = secrets;
    this.#file = new JsonFile(join(folder, 'settings.json'), fileSchema, { version: 1 });
    this.#onChange = onChange;
  }

  /** @throws FaultError if the file is damaged */
  async read(): Promise<Settings> {
    return completed(await this.#file.read());
  }

  /** Changes the given settings. @throws FaultError if the file cannot be written */
  async write(given: Changes): Promise<Settings> {
    const { modelUrl } = given;
    const changes = modelUrl ? { ...given, modelUrl: await this.#withoutSecrets(modelUrl) } : given;
    const settings = completed(
      await this.#file.update((before) => ({ ...before, ...completed(changes, completed(before)) })),
    );
    this.#onChange(settings);
    return settings;
  }

  /** The address of the language model with the credentials that the settings do not have. @throws FaultError if one is not held */
  async modelUrl(): Promise<string | null> {
    const { modelUrl } = await this.read();
    if (modelUrl === null) return null;
    const values = new Map<string, string>();
    for (const { key, name } of secretsInUrl(modelUrl).filter(isHeld)) {
      const value = await this.#secrets.get(modelKey(key));
      if (value === null) throw new FaultError(notHeld(name));
      values.set(key, value);
    }
    return withUrlSecrets(modelUrl, ({ key }) => values.get(key) ?? null);
  }

  async #withoutSecrets(modelUrl: string): Promise<string> {
    for (const secret of secretsInUrl(modelUrl)) {
      if (!isHeld(secret)) await this.#secrets.set(modelKey(secret.key), secret.value);
    }
    return withoutUrlSecrets(modelUrl);
  }
}

const modelKey = (key: string): string => `model/url/${key}`;

const notHeld = (name: string): Fault => ({
  code: 'secret-not-held',
  what: `The value of "${name}" in the address of the language model is no longer held.`,
  why: 'Without a key store, secrets are forgotten when Sightglass quits.',
  next: 'Write it into the address again under “Model…” in the Inbox.',
});

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
