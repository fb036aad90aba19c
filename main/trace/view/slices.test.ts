import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowColumns } from '#trace/rows/row-columns.ts';
import { slices } from './slices.ts';

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
