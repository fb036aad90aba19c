import type { RowColumns } from '#trace/rows/row-columns.ts';

const MOST_ROWS = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Cuts rows into runs that are small enough, in number and in bytes on record, to be read at one go without
 * holding up other work. A row that is larger by itself is a run of its own.
 */
export function* slices(columns: RowColumns, rows: readonly number[]): Generator<number[]> {
  let slice: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    const length = columns.length(row);
    if (slice.length === MOST_ROWS || (slice.length > 0 && bytes + length > MOST_BYTES)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(row);
    bytes += length;
  }
  if (slice.length > 0) yield slice;
}
