import { expect, test } from 'vitest';
import { aTraceFile } from '#fixtures/page/samples.ts';
import { deletedBy } from './retention.tsx';

const DAY = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);
const file = (name: string, days: number, change = {}) =>
  aTraceFile({ path: name, name, createdAt: now - days * DAY, size: 100, ...change });
const files = [file('new', 0), file('week', 7), file('month', 30), file('year', 365)];
const deleted = (days: number | null, bytes: number | null, inUse: readonly string[] = []) =>
  deletedBy({ days, bytes }, files, new Set(inUse), now).map(({ name }) => name);

test('nothing goes without a limit', () => {
  expect(deleted(null, null)).toEqual([]);
});

test('what is older goes, and the oldest beyond the size', () => {
  expect(deleted(10, null)).toEqual(['year', 'month']);
  expect(deleted(null, 250)).toEqual(['year', 'month']);
  expect(deleted(null, 300)).toEqual(['year']);
  expect(deleted(100, 200)).toEqual(['year', 'month']);
});

test('what is open or being recorded stays', () => {
  expect(deleted(10, null, ['year'])).toEqual(['month']);
  // Its size counts, so others go in its place.
  expect(deleted(null, 250, ['year'])).toEqual(['month', 'week']);
  const live = [file('live', 99, { sessionId: 's1' })];
  expect(deletedBy({ days: 1, bytes: 1 }, live, new Set(), now)).toEqual([]);
});
