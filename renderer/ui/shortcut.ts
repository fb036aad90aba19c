/**
 * A key combination such as `Mod+K`, `Mod+Shift+P`, `Alt+1`, `F5` or `Mod+Enter`. `Mod` is Command on a Mac
 * and Control elsewhere.
 */
export type Shortcut = string;

const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.platform);

const symbols: Readonly<Record<string, string>> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Shift: isMac ? '⇧' : 'Shift',
  Alt: isMac ? '⌥' : 'Alt',
  Enter: '⏎',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** The combination as labelled on keys: `Ctrl K`, `⌘K`. */
export const shortcutLabel = (shortcut: Shortcut): string =>
  shortcut
    .split('+')
    .map((key) => symbols[key] ?? key)
    .join(isMac ? '' : ' ');

/** The combination in the format of `aria-keyshortcuts`. */
export const ariaShortcut = (shortcut: Shortcut): string =>
  shortcut.replace('Mod', isMac ? 'Meta' : 'Control');

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether a key press is this combination, on any keyboard layout. */
export function matchesShortcut(press: KeyPress, shortcut: Shortcut): boolean {
  const keys = shortcut.split('+');
  const key = keys.at(-1) ?? '';
  const wants = (modifier: string) => keys.slice(0, -1).includes(modifier);
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const other = isMac ? press.ctrlKey : press.metaKey;
  if (other || mod !== wants('Mod') || press.shiftKey !== wants('Shift') || press.altKey !== wants('Alt')) {
    return false;
  }
  if (press.key.toLowerCase() === key.toLowerCase()) return true;
  // With Alt or Shift many layouts produce other characters; the key's code still identifies it.
  const isOtherCharacter = !/^[a-z0-9]$/i.test(press.key);
  return isOtherCharacter && (press.code === `Digit${key}` || press.code === `Key${key}`);
}
