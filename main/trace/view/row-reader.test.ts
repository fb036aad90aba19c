import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import { redactTexts } from '#trace/recorder/credentials.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { RowColumns } from '#trace/rows/row-columns.ts';
import { readRows, summarize, slices } from './row-reader.ts';

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

const callOf = (id: number, tool: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: given } });

test('a row tells in short what its request was made with, whole or of a batch', async () => {
  const trace = await TraceOf.begin();
  try {
    trace.message('out', callOf(1, 'echo', { message: 'a-17' }));
    trace.message('in', '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
    trace.message('out', `[${callOf(2, 'echo', { message: 'b' })}, ${callOf(3, 'add', { a: 1, b: 2 })}]`);
    trace.message('in', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}');
    trace.message('in', '{"jsonrpc":"2.0","method":"notifications/odd","params":{"a":[1, 2]}}');
    trace.message('out', callOf(4, 'put', { path: '/a', text: 'x'.repeat(1_000_000) }), [300_000]);
    trace.message('out', '{"jsonrpc":"2.0","id":5,"method":"ping"}');
    const rows = await readRows(trace, [...Array(8).keys()]);
    const cut = `path: "/a", text: "${'x'.repeat(100)}…`;
    expect(rows.map(({ summary, paramsPreview }) => [summary, paramsPreview])).toEqual([
      ['echo', 'message: "a-17"'],
      ['echo', undefined],
      ['echo', 'message: "b"'],
      ['add', 'a: 1, b: 2'],
      ['1', undefined],
      ['', 'a: [1,2]'],
      ['put', cut],
      ['', undefined],
    ]);
    expect(cut).toHaveLength(120);
  } finally {
    await trace.close();
  }
});

test('a secret in what a request was made with is replaced before it is cut', async () => {
  const trace = await TraceOf.begin();
  try {
    const redactor = new Redactor(new Map([['password', 'hunter22secret']]));
    vi.spyOn(trace, 'redacted').mockImplementation((value) => redactTexts(redactor, value));
    trace.message('out', callOf(1, 'echo', { message: 'x'.repeat(90), password: 'hunter22secret' }));
    const [row] = await readRows(trace, [0]);
    // The cut is within the placeholder, which is where the secret was.
    expect(row?.paramsPreview).toMatch(/^message: "x{90}", password: "\[.+…$/);
  } finally {
    await trace.close();
  }
});
