import { expect, test } from 'vitest';
import { actionOfKey } from './table-keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };

test('actions are found by the key with its modifiers, in any case', () => {
  expect(actionOfKey({ key: 'p', ...plain })).toBe('pair');
  expect(actionOfKey({ key: 'P', ...plain })).toBe('pair');
  expect(actionOfKey({ key: 'M', ...plain, shiftKey: true })).toBe('note');
  expect(actionOfKey({ key: 'a', ...plain, metaKey: true })).toBe('select-all');
  expect(actionOfKey({ key: 'ArrowDown', ...plain, altKey: true })).toBe('next-alike');
  expect(actionOfKey({ key: 'a', ...plain })).toBeNull();
  expect(actionOfKey({ key: 'constructor', ...plain })).toBeNull();
});
