import { expect, test } from 'vitest';
import { heldMebibytes } from '#fixtures/held-memory.ts';
import type { FindingSeverity } from '#shared/trace/row.ts';
import { Findings } from './findings.ts';
import type { Violation } from './findings.ts';
import { RowColumns } from './rows/row-columns.ts';

const aViolation = (text: string, severity: FindingSeverity = 'error'): Violation => ({
  rule: `test/${severity}`,
  severity,
  source: 'envelope',
  text,
  pointer: null,
  revision: null,
});

function withRows(count: number): { columns: RowColumns; findings: Findings } {
  const columns = new RowColumns();
  for (let seq = 0; seq < count; seq++) columns.add({ seq, at: 0, offset: 0, length: 0, size: 0 });
  return { columns, findings: new Findings(columns) };
}

test('are listed in their order, and of a row those that rest on it', () => {
  const { findings } = withRows(10);
  expect(findings.add({ violation: aViolation('first'), row: 5, other: 2 })).toBe(2);
  expect(findings.add({ violation: aViolation('second', 'info'), row: 5, other: null })).toBe(5);
  expect(findings.add({ violation: aViolation('first'), row: 7, other: null })).toBe(7);
  expect(findings.page(0, 10).map(({ id, text, rows }) => [id, text, rows])).toEqual([
    [0, 'first', [5, 2]],
    [1, 'second', [5]],
    [2, 'first', [7]],
  ]);
  expect(findings.page(1, 1).map(({ id }) => id)).toEqual([1]);
  expect(findings.page(3, 1)).toEqual([]);
  expect(findings.ofRow(5).map(({ id }) => id)).toEqual([0, 1]);
  expect(findings.ofRow(2).map(({ id }) => id)).toEqual([0]);
  expect(findings.ofRow(3)).toEqual([]);
  expect(findings.counts).toEqual({ error: 2, warning: 0, info: 1 });
});

test('a row knows the worst of them, in whatever order they came', () => {
  const { columns, findings } = withRows(3);
  for (const severity of ['info', 'error', 'warning'] as const) {
    findings.add({ violation: aViolation('x', severity), row: 0, other: 1 });
  }
  expect([columns.finding(0), columns.finding(1), columns.finding(2)]).toEqual(['error', 'error', null]);
});

test('a problem that comes a million times takes no object each', () => {
  const { findings } = withRows(1);
  const before = heldMebibytes();
  for (let time = 0; time < 1_000_000; time++)
    findings.add({ violation: aViolation('again'), row: 0, other: null });
  expect(findings.count).toBe(1_000_000);
  expect(heldMebibytes() - before).toBeLessThan(40);
  expect(findings.ofRow(0).length).toBe(500);
});

test('the first of endless findings are kept word for word, and all are counted', () => {
  const { findings } = withRows(1);
  for (let time = 0; time < 30_000; time++) {
    findings.add({ violation: aViolation(`this is number ${time}`), row: 0, other: null });
  }
  const [last] = findings.page(29_999, 1);
  expect(findings.counts.error).toBe(30_000);
  expect(findings.page(9_999, 1)[0]?.text).toBe('this is number 9999');
  expect(last).toMatchObject({ rule: 'test/error', text: expect.stringContaining('are kept word for word') });
});

test('a text of any length is cut', () => {
  const { findings } = withRows(1);
  findings.add({ violation: aViolation('x'.repeat(10_000)), row: 0, other: null });
  expect(findings.page(0, 1)[0]?.text).toBe(`${'x'.repeat(499)}…`);
});
