import { expect, test } from 'vitest';
import { plainValues } from '#fixtures/plain-values.ts';
import { isOrdinary } from './ordinary-values.ts';

test.each([
  ...plainValues,
  'Mon, 21 Oct 2015 07:28:00 GMT',
  'gzip, deflate',
  'en-US,en;q=0.9',
  'text/plain; charset=utf-8',
])('%j is ordinary', (value) => {
  expect(isOrdinary(value)).toBe(true);
});

test.each([
  'hunter2',
  'pw-1',
  'correct-horse',
  'correct horse battery staple',
  'qzxwvkjh',
  'aGVsbG8gd29ybGQ',
  'ääää',
  '7305918264738291',
  '987654321',
  '471108',
  'code-0123456789',
  'Bearer 3f9a1c7e',
  'sk-live-text',
  '{"id":"http"}',
  'p@ss"word',
])('%j is not ordinary', (value) => {
  expect(isOrdinary(value)).toBe(false);
});

test('of a hundred random tokens at most one reads as a word', () => {
  let state = 4711;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (const alphabet of [
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_',
  ]) {
    for (const length of [8, 12, 16, 32]) {
      const tokens = Array.from({ length: 2000 }, () =>
        Array.from({ length }, () => alphabet.charAt(Math.floor(next() * alphabet.length))).join(''),
      );
      expect(tokens.filter(isOrdinary).length).toBeLessThan(20);
    }
  }
});
