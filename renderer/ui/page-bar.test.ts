import { expect, test } from 'vitest';
import { pageBorders } from './page-bar.tsx';

const borders = (pageEnds: readonly number[], nextCursor: string | null = null) => [
  ...pageBorders({ state: 'ready', pages: pageEnds.length, pageEnds, nextCursor, pageByPage: false }),
];

test('pages begin where the one before ends; a list of one whole page has no borders', () => {
  expect(borders([3, 7, 8])).toEqual([
    [0, 'page 1 · 3 items'],
    [3, 'page 2 · 4 items'],
    [7, 'page 3 · 1 item'],
  ]);
  expect(borders([3])).toEqual([]);
  expect(borders([])).toEqual([]);
  expect(borders([3], 'next')).toEqual([[0, 'page 1 · 3 items']]);
});

test('an empty page shares the border of the one after it', () => {
  expect(borders([2, 2, 5])).toEqual([
    [0, 'page 1 · 2 items'],
    [2, 'page 2 · 0 items, page 3 · 3 items'],
  ]);
});
