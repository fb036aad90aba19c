import { expect, test } from 'vitest';
import { fullTime, shortCount, shortTime } from './words.ts';

test('counts in few digits', () => {
  const words = [0, 38, 999, 1000, 12_408, 999_949, 999_950, 1_000_412].map(shortCount);
  expect(words).toEqual(['0', '38', '999', '1.0k', '12.4k', '999.9k', '1.0M', '1.0M']);
});

test('tells when something was by how long ago it is', () => {
  const now = new Date(2026, 2, 1, 0, 30).getTime();
  const at = (...parts: [number, number, number, number, number]) =>
    shortTime(new Date(...parts).getTime(), now);
  expect(at(2026, 2, 1, 0, 5)).toBe('00:05');
  // The last day of February, though less than an hour ago.
  expect(at(2026, 1, 28, 23, 59)).toBe('yest.');
  expect(at(2026, 1, 27, 23, 59)).toBe('27 Feb');
  expect(at(2025, 11, 31, 9, 0)).toBe('2025-12-31');
  expect(fullTime(new Date(2025, 11, 31, 9, 0).getTime())).toBe('2025-12-31 09:00');
});
