import { expect, test } from 'vitest';
import { formatMinute } from '#shared/format.ts';
import { anOpenedTrace, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { entriesOf, foundEntries, groupsOf, labelOf, shortCount, shortDay, shortTime } from './entries.ts';

test('a trace opened from elsewhere comes first, and one of the data folder is listed once', () => {
  const file = aTraceFile({ rows: null, errors: null });
  const here = anOpenedTrace({ counts: { rows: 7, messages: 5, errors: 2, invalid: 0 } });
  const elsewhere = anOpenedTrace({ sessionId: 'file-2', path: '/tmp/bug.mcptrace', name: 'bug' });
  const entries = entriesOf([file], [here, elsewhere], {});
  expect(entries.map((entry) => [entry.file.path, entry.isOurs, entry.opened?.sessionId])).toEqual([
    ['/tmp/bug.mcptrace', false, 'file-2'],
    [file.path, true, 'file-1'],
  ]);
  // What was counted while it was read is known before the list knows it.
  expect(entries[1]?.file).toMatchObject({ rows: 7, errors: 2 });
});

test('a trace that a session still writes is not listed a second time', () => {
  expect(entriesOf([aTraceFile({ sessionId: 's1' })], [], { s1: aSession() })).toEqual([]);
});

test('traces are grouped by server and day, and found by any of their words', () => {
  const now = new Date(2026, 2, 12, 18).getTime();
  const hour = 3_600_000;
  const files = [
    aTraceFile({ path: '/1', server: 'notes', createdAt: now - hour }),
    aTraceFile({ path: '/2', server: 'billing', name: 'billing', createdAt: now - 2 * hour }),
    aTraceFile({ path: '/3', server: 'notes', createdAt: now - 3 * hour }),
    aTraceFile({ path: '/4', server: 'notes', name: 'the bug', createdAt: now - 30 * hour }),
    aTraceFile({ path: '/5', server: null, name: 'broken', createdAt: now - 60 * hour }),
  ];
  const entries = entriesOf(files, [], {});
  const groups = groupsOf(entries, now).map((group) => [
    group.server,
    group.day,
    group.entries.map(({ file }) => file.path).join(' '),
  ]);
  expect(groups).toEqual([
    ['notes', 'today', '/1 /3'],
    ['notes', 'yesterday', '/4'],
    ['billing', 'today', '/2'],
    ['broken', '10 Mar', '/5'],
  ]);
  const found = (typed: string) => foundEntries(entries, typed, now).map(({ file }) => file.path);
  expect(found('Notes yesterday')).toEqual(['/4']);
  expect(found('bug')).toEqual(['/4']);
  expect(found('2026-03-12 notes')).toEqual(['/1', '/3']);
  expect(found('  ')).toHaveLength(5);
});

test('it is called by its server until somebody gives the file a name', () => {
  expect(labelOf(aTraceFile())).toBe('notes');
  expect(labelOf(aTraceFile({ name: 'notes-20260101-120000-2' }))).toBe('notes');
  expect(labelOf(aTraceFile({ name: 'the bug' }))).toBe('the bug');
  expect(labelOf(aTraceFile({ name: 'broken', server: null }))).toBe('broken');
});

test('counts in few digits', () => {
  const words = [0, 38, 999, 1000, 12_408, 999_949, 999_950, 1_000_412].map(shortCount);
  expect(words).toEqual(['0', '38', '999', '1.0k', '12.4k', '999.9k', '1.0M', '1.0M']);
});

test('tells when something was by how long ago it is', () => {
  const now = new Date(2026, 2, 1, 0, 30).getTime();
  const at = (...parts: [number, number, number, number, number]) =>
    shortDay(new Date(...parts).getTime(), now);
  expect(shortTime(now)).toBe('00:30');
  expect(at(2026, 2, 1, 0, 5)).toBe('today');
  // The last day of February, though less than an hour ago.
  expect(at(2026, 1, 28, 23, 59)).toBe('yesterday');
  expect(at(2026, 1, 27, 23, 59)).toBe('27 Feb');
  expect(at(2025, 11, 31, 9, 0)).toBe('2025-12-31');
  expect(formatMinute(new Date(2025, 11, 31, 9, 0).getTime())).toBe('2025-12-31 09:00');
});
