import type { RowColumns } from '#trace/rows/row-columns.ts';

const MOST = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Cuts rows into runs that are small enough, in number and in bytes on record, to be read at one go without
 * holding up other work. A row that is larger by itself is a run of its own.
 */
export const slices = (columns: RowColumns, rows: readonly number[]): Generator<number[]> =>
  slicesBy(rows, columns.length);

/** The same for anything on record. @param lengthOf bytes on record */
export function* slicesBy<T>(all: readonly T[], lengthOf: (one: T) => number): Generator<T[]> {
  let slice: T[] = [];
  let bytes = 0;
  for (const one of all) {
    const length = lengthOf(one);
    if (slice.length === MOST || (slice.length > 0 && bytes + length > MOST_BYTES)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(one);
    bytes += length;
  }
  if (slice.length > 0) yield slice;
}
