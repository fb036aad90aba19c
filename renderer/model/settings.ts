import { create } from 'zustand';
import { call, on } from '#bridge';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';

/** What the user set that is not about one server, as the engine last told. */
export const useSettings = create<Settings>()(() => defaultSettings);

/** Rejects when the settings file cannot be understood; until it can, settings are as they come. */
export async function followSettings(): Promise<void> {
  on('settings/changed', (settings) => useSettings.setState(settings));
  useSettings.setState(await call('settings/read', {}));
}

/** Sets what is given, on the screen at once. Rejects when it cannot be kept. */
export async function changeSettings(changes: Partial<Settings>): Promise<void> {
  useSettings.setState(changes);
  useSettings.setState(await call('settings/write', changes));
}
