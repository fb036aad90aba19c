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

/** The combination of a key press, to be used as a shortcut; null for a modifier alone. */
export function shortcutOfPress(press: KeyPress): Shortcut | null {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead'].includes(press.key)) return null;
  const letter = /^(?:Key|Digit)(.)$/.exec(press.code)?.[1];
  // With Alt or Shift many layouts produce other characters; the key's code still identifies it.
  const key = /^[a-z0-9]$/i.test(press.key) ? press.key.toUpperCase() : (letter ?? press.key);
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const modifiers = [mod && 'Mod', press.altKey && 'Alt', press.shiftKey && !isSign(key) && 'Shift'];
  return [...modifiers.filter((one) => one !== false), key].join('+');
}

/** Keys such as `?`, which some layouts type with Shift and others without. */
const isSign = (key: string): boolean => key.length === 1 && !/[a-z0-9 ]/i.test(key);

/** Whether keys without Ctrl, Command or Alt are text here. */
export const typesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role=textbox]'));

/** Whether a shortcut is a key that could also be typed, or that edits a text, such as `Mod+Z`. */
export const isTypedKey = (shortcut: Shortcut): boolean =>
  !/^(?:Mod|Alt)\+|^(?:Shift\+)?F\d+$/.test(shortcut) || /^Mod\+(?:Shift\+)?[ACVXYZ]$/.test(shortcut);

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether a key press is this combination, on any keyboard layout. */
export function matchesShortcut(press: KeyPress, shortcut: Shortcut): boolean {
  const keys = shortcut.split('+');
  const key = keys.at(-1) ?? '';
  const wants = (modifier: string) => keys.slice(0, -1).includes(modifier);
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const other = isMac ? press.ctrlKey : press.metaKey;
  const isShiftRight = press.shiftKey === wants('Shift') || isSign(key);
  if (other || mod !== wants('Mod') || !isShiftRight || press.altKey !== wants('Alt')) return false;
  if (press.key.toLowerCase() === key.toLowerCase()) return true;
  // With Alt or Shift many layouts produce other characters; the key's code still identifies it.
  const isOtherCharacter = !/^[a-z0-9]$/i.test(press.key);
  return isOtherCharacter && (press.code === `Digit${key}` || press.code === `Key${key}`);
}
