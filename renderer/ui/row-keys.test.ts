import { expect, test } from 'vitest';
import { moveOfKey, placeAfter, type Standing } from './row-keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const standing: Standing = { cursor: 50, total: 100, first: 40, end: 60, pageRows: 19 };
const press = (key: string, at: Partial<Standing> = {}) => {
  const move = moveOfKey({ key, ...plain });
  return move && placeAfter(move, { ...standing, ...at });
};

test('arrows go row by row and stop at the ends', () => {
  expect(press('ArrowDown')).toBe(51);
  expect(press('ArrowUp')).toBe(49);
  expect(press('ArrowDown', { cursor: 99 })).toBe(99);
  expect(press('ArrowUp', { cursor: 0 })).toBe(0);
});

test('pages go by what fits, Home and End to the ends', () => {
  expect(press('PageDown')).toBe(69);
  expect(press('PageUp')).toBe(31);
  expect(press('PageUp', { cursor: 5 })).toBe(0);
  expect(press('Home')).toBe(0);
  expect(press('End')).toBe(99);
});

test('with nothing chosen, arrows begin with the visible rows', () => {
  expect(press('ArrowDown', { cursor: null })).toBe(40);
  expect(press('ArrowUp', { cursor: null })).toBe(59);
});

test('an empty list has nowhere to go', () => {
  expect(press('End', { total: 0, cursor: null })).toBeNull();
});

test('keys with a modifier and keys of nobody are left alone', () => {
  expect(moveOfKey({ key: 'ArrowDown', ...plain, ctrlKey: true })).toBeNull();
  expect(moveOfKey({ key: 'x', ...plain })).toBeNull();
  expect(moveOfKey({ key: 'constructor', ...plain })).toBeNull();
});
