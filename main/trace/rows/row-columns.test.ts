import { expect, test } from 'vitest';
import { RowColumns } from './row-columns.ts';

test('changes are noted for the rows of a reader, and forgotten with it', () => {
  const columns = new RowColumns();
  const rows = [0, 1, 2].map((seq) => columns.add({ seq, at: seq, offset: 0, length: 0, size: 0 }));
  columns.setStatus(0, 'pending');
  expect(columns.changes).toEqual([]);
  columns.watch(2);
  for (const row of rows) columns.setStatus(row, 'ok');
  expect(columns.changes).toEqual([0, 1]);
  columns.unwatch();
  columns.setStatus(0, 'error');
  expect(columns.changes).toEqual([]);
  columns.watch(1);
  columns.setStatus(0, 'late');
  expect(columns.changes).toEqual([0]);
});
