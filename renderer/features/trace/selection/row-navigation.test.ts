import { expect, test } from 'vitest';
import { readTarget } from './row-navigation.ts';

const start = new Date(2026, 0, 5, 23, 50, 0).getTime();
const HOUR = 3_600_000_000;
const clock = { at: 5_000_000, wall: start, lastAt: 5_000_000 + HOUR };

test('a number is a row, as rows are numbered on screen', () => {
  expect(readTarget('1204', clock)).toEqual({ to: 'row', row: 1203 });
  expect(readTarget(' #12,408 ', clock)).toEqual({ to: 'row', row: 12_407 });
  expect(readTarget('0', clock)).toBeNull();
});

test('a time of day is of the day of the trace, or of the next if the trace went on', () => {
  expect(readTarget('23:50:01.5', clock)).toEqual({ to: 'at', at: 6_500_000 });
  expect(readTarget('00:10', clock)).toEqual({ to: 'at', at: 5_000_000 + HOUR / 3 });
});

test('spans count from the first row or back from the last', () => {
  expect(readTarget('+1.5s', clock)).toEqual({ to: 'at', at: 6_500_000 });
  expect(readTarget('+200ms', clock)).toEqual({ to: 'at', at: 5_200_000 });
  expect(readTarget('-1m', clock)).toEqual({ to: 'at', at: 5_000_000 + HOUR - 60_000_000 });
});

test('anything else leads nowhere', () => {
  for (const text of ['', 'tools/call', '25:00', '+fast', '#', '1.5']) {
    expect(readTarget(text, clock)).toBeNull();
  }
});
