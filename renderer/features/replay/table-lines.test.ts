import { expect, test } from 'vitest';
import type { CallClass } from '#shared/contract/comparison.ts';
import { nextDifference, type TableChoice, tableLines } from './table-lines.ts';

const classes: CallClass[] = [
  'same',
  'noise',
  'skipped',
  'breaking',
  'noise',
  'noise',
  'skipped',
  'noise',
  'noise',
  'extra',
];
const comparison = {
  classes,
  recordedRows: classes.map((name, place) => (name === 'extra' ? null : place * 10)),
};

const all: TableChoice = { class: null, rows: null, order: 'class', opened: new Set() };
const shown = (choice: Partial<TableChoice>) =>
  tableLines(comparison, { ...all, ...choice }).map((line) =>
    line.of === 'call' ? line.place : `${line.isOpen ? '-' : '+'}${line.count} ${line.class}`,
  );

test('by class the worst come first, and skipped calls and most of the noise are folded', () => {
  expect(shown({})).toEqual([3, 9, '+2 skipped', 1, 4, 5, '+2 noise', 0]);
  expect(shown({ opened: new Set<CallClass>(['skipped']) })).toEqual([
    3,
    9,
    '-2 skipped',
    2,
    6,
    1,
    4,
    5,
    '+2 noise',
    0,
  ]);
});

test('one class, some recorded rows, or the order of the recording is shown without folds', () => {
  expect(shown({ class: 'noise' })).toEqual([1, 4, 5, 7, 8]);
  expect(shown({ rows: new Set([20, 30]) })).toEqual([3, 2]);
  expect(shown({ order: 'recording' })).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(shown({ order: 'recording', class: 'skipped' })).toEqual([2, 6]);
});

test('differences are walked around the end, and there may be none', () => {
  const lines = tableLines(comparison, { ...all, order: 'recording' });
  expect(nextDifference(lines, classes, null, 1)).toBe(3);
  expect(nextDifference(lines, classes, 3, 1)).toBe(9);
  expect(nextDifference(lines, classes, 9, 1)).toBe(3);
  expect(nextDifference(lines, classes, null, -1)).toBe(9);
  expect(nextDifference(lines, classes, 3, -1)).toBe(9);
  expect(nextDifference(tableLines(comparison, { ...all, class: 'noise' }), classes, null, 1)).toBeNull();
});

test('the lines of 100,000 calls do not take their square', () => {
  const many = Array.from({ length: 100_000 }, (_, place): CallClass => (place % 3 === 0 ? 'noise' : 'same'));
  const lines = tableLines({ classes: many, recordedRows: many.map((_, place) => place) }, all);
  expect(lines).toHaveLength(3 + 1 + 66_666);
});
