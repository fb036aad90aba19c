import type { Settings } from '#shared/contract/settings.ts';
import { changeSettings, useSettings } from './settings.ts';
import { offerUndo } from './undo.ts';

/** The lists in the settings from which the user removes items. */
type ListSetting = 'savedFilters' | 'allowedTools' | 'shortcuts' | 'recent' | 'traceColumns';

/**
 * Removes items from a list of the settings, and offers to undo it. What was changed in the list since stays.
 *
 * @param what what is done, such as `Removed the filter “errors”`
 */
export async function removeFromSettings<Key extends ListSetting>(
  key: Key,
  items: readonly Settings[Key][number][],
  what: string,
): Promise<void> {
  const before: readonly Settings[Key][number][] = useSettings.getState()[key];
  const gone = new Set(items.map(textOf));
  await write(
    key,
    before.filter((item) => !gone.has(textOf(item))),
  );
  offerUndo(what, async () => {
    const now: readonly Settings[Key][number][] = useSettings.getState()[key];
    const kept = new Set(now.map(textOf));
    const known = new Set(before.map(textOf));
    // In their places from before, and behind them what came since.
    const back = before.filter((item) => kept.has(textOf(item)) || gone.has(textOf(item)));
    await write(key, [...back, ...now.filter((item) => !known.has(textOf(item)))]);
  });
}

const write = <Key extends ListSetting>(key: Key, items: readonly Settings[Key][number][]): Promise<void> => {
  const changes: Partial<Settings> = { [key]: [...items] };
  return changeSettings(changes);
};

const textOf = (item: unknown): string => JSON.stringify(item);
