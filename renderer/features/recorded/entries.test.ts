import { expect, test } from 'vitest';
import { anOpenedTrace, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { entriesOf, labelOf, fullTime, shortCount, shortTime } from './entries.ts';

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

test('a running session tells how many rows its trace has', () => {
  const counts = { rows: 99, messages: 90, errors: 1, invalid: 0, traceBytes: 1 };
  const [entry] = entriesOf([aTraceFile({ sessionId: 's1', rows: 5 })], [], { s1: aSession({ counts }) });
  expect(entry?.file).toMatchObject({ rows: 99, errors: 1 });
  expect(entry?.session?.id).toBe('s1');
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
    shortTime(new Date(...parts).getTime(), now);
  expect(at(2026, 2, 1, 0, 5)).toBe('00:05');
  // The last day of February, though less than an hour ago.
  expect(at(2026, 1, 28, 23, 59)).toBe('yest.');
  expect(at(2026, 1, 27, 23, 59)).toBe('27 Feb');
  expect(at(2025, 11, 31, 9, 0)).toBe('2025-12-31');
  expect(fullTime(new Date(2025, 11, 31, 9, 0).getTime())).toBe('2025-12-31 09:00');
});
