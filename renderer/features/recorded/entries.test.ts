import { expect, test } from 'vitest';
import { anOpenedTrace, aSession, aTraceFile } from '#model/testing/samples.ts';
import { entriesOf, labelOf } from './entries.ts';

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
