import { expect, test } from 'vitest';
import { isTypedKey, matchesShortcut } from './shortcut.ts';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', true>> = {},
  code = '',
) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

test('a combination is matched with exactly its modifiers', () => {
  expect(matchesShortcut(press('k', { ctrlKey: true }), 'Mod+K')).toBe(true);
  expect(matchesShortcut(press('K', { ctrlKey: true, shiftKey: true }), 'Mod+K')).toBe(false);
  expect(matchesShortcut(press('k'), 'Mod+K')).toBe(false);
  expect(matchesShortcut(press('k', { metaKey: true }), 'Mod+K')).toBe(false);
  expect(matchesShortcut(press('Enter', { ctrlKey: true }), 'Mod+Enter')).toBe(true);
});

test('a key is found by its place when the layout writes something else with it', () => {
  expect(matchesShortcut(press('¡', { altKey: true }, 'Digit1'), 'Alt+1')).toBe(true);
  expect(matchesShortcut(press('®', { altKey: true }, 'KeyR'), 'Alt+R')).toBe(true);
  expect(matchesShortcut(press('t', { altKey: true }, 'KeyR'), 'Alt+R')).toBe(false);
});

test('function keys are no text, with Shift neither', () => {
  expect(['F8', 'Shift+F8', 'Mod+K', 'Alt+1'].filter(isTypedKey)).toEqual([]);
  expect(['?', 'Delete', 'Shift+A'].filter(isTypedKey)).toEqual(['?', 'Delete', 'Shift+A']);
});
