import type { RowColumns } from '#trace/rows/row-columns.ts';

/** How rows can belong to another one: to the request that asked for them, or to the exchange that carried them. */
export type Kinship = 'parent' | 'exchange';

/**
 * Rows that belong to a row, from the `from`th on and at most `count`; and how many there are of them.
 *
 * @param lastSeq the last record to look at, when it is known that nothing comes after it
 */
export function relativesOf(
  columns: RowColumns,
  row: number,
  by: Kinship,
  { from, count }: { readonly from: number; readonly count: number },
  lastSeq = Number.POSITIVE_INFINITY,
): { total: number; rows: number[] } {
  const belongsTo = columns[by];
  const rows: number[] = [];
  let total = 0;
  // What belongs to a row came after it.
  for (let other = row + 1; other < columns.count && columns.seq(other) <= lastSeq; other++) {
    if (belongsTo(other) !== row) continue;
    if (total >= from && rows.length < count) rows.push(other);
    total++;
  }
  return { total, rows };
}
