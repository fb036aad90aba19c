import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceRecord } from '#shared/trace/record.ts';
import { RowColumns } from '#trace/rows/row-columns.ts';
import { summarize, slices } from './row-reader.ts';

const facts = { kind: 'notification', position: 0, batch: 1, subject: null } as const;

function unit(message: unknown): TraceRecord {
  const text = JSON.stringify(message);
  return { seq: 0, at: 0, kind: 'unit', direction: 'in', channel: 'stdout', text, size: text.length };
}

test.each([
  ['notifications/progress', { progressToken: 1, progress: 2, total: 4, message: 'half' }, '2 / 4  half'],
  ['notifications/message', { level: 'info', logger: 'db', data: { a: 1 } }, 'info · db · {"a":1}'],
  ['notifications/cancelled', { requestId: 'a', reason: 'enough' }, 'cancels id "a": enough'],
  ['notifications/resources/updated', { uri: 'file:///a' }, 'file:///a'],
  ['notifications/roots/list_changed', undefined, ''],
])('%s is told in one line', (method, params, summary) => {
  expect(summarize(unit({ jsonrpc: '2.0', method, params }), facts)).toBe(summary);
});

test.each(Object.getOwnPropertyNames(Object.prototype))('a method may be called %s', (method) => {
  expect(summarize(unit({ jsonrpc: '2.0', method, params: { a: 1 } }), facts)).toBe('');
});

const MEBIBYTE = 1024 * 1024;

function columnsOf(lengths: readonly number[]): RowColumns {
  const columns = new RowColumns();
  for (const [seq, length] of lengths.entries()) columns.add({ seq, at: 0, offset: 0, length, size: 0 });
  return columns;
}

test('slices are all the rows in their order, few and small enough', () => {
  const length = fc.oneof(fc.nat(300), fc.constantFrom(MEBIBYTE, 3 * MEBIBYTE, 6 * MEBIBYTE));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 1500 }), (lengths) => {
      const columns = columnsOf(lengths);
      const rows = lengths.map((_, row) => row).toReversed();
      const cut = [...slices(columns, rows)];
      expect(cut.flat()).toEqual(rows);
      for (const slice of cut) {
        const bytes = slice.reduce((sum, row) => sum + columns.length(row), 0);
        expect(slice.length).toBeLessThanOrEqual(500);
        expect(slice.length === 1 || bytes <= 4 * MEBIBYTE).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

test('small rows are read together', () => {
  expect([...slices(columnsOf(Array<number>(1000).fill(200)), [5, 6, 7])]).toEqual([[5, 6, 7]]);
});
