import { create } from 'zustand';
import { call, on } from '#bridge';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';
import { followValue } from './follow.ts';

/** Settings that are not about one server. */
export const useSettings = create<Settings>()(() => defaultSettings);

/** Rejects when the settings file cannot be parsed; the defaults apply until it can. */
export const followSettings = (): Promise<void> =>
  followValue({
    read: () => call('settings/read', {}),
    listen: (changed) => on('settings/changed', changed),
    set: (settings: Settings) => useSettings.setState(settings),
  }).loaded;

/** Changes settings, on screen immediately. Rejects when they cannot be saved. */
export async function changeSettings(changes: Partial<Settings>): Promise<void> {
  useSettings.setState(changes);
  useSettings.setState(await call('settings/write', changes));
}
