import type { Filter } from '#shared/trace/filter/filter.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowFilter } from './row-filter.ts';
import { RowTester } from './row-tester.ts';
import { nextTurn } from '#transports/async.ts';

/** Rows per step: few at first, because the next match is often near. */
const FIRST_STRETCH = 256;
const MAX_STRETCH = 32 * 1024;

export interface SeekOptions {
  readonly trace: ReadableTrace;
  /** The list to search; null for all rows. */
  readonly list: RowFilter | null;
  readonly filter: Filter;
  readonly sessions: readonly string[];
  /** The row to start from, which need not be in the list. */
  readonly from: number;
  readonly step: 1 | -1;
}

/**
 * The next or previous row that `filter` matches, among the rows of `list`; null if there is none.
 *
 * @throws FaultError when the file cannot be read
 */
export async function seek({
  trace,
  list,
  filter,
  sessions,
  from,
  step,
}: SeekOptions): Promise<number | null> {
  // Otherwise rows that the filter of the list has not found yet would be skipped.
  await list?.catchUp();
  const { columns } = trace.index;
  const tester = new RowTester(trace, filter, sessions);
  const countBefore = (row: number) => list?.countBefore(row) ?? Math.max(0, Math.min(row, columns.count));
  const total = () => list?.matches ?? columns.count;
  let stretch = FIRST_STRETCH;
  // Continues by row, not by index, because the list may change while a stretch is searched.
  for (let row = from; ; ) {
    const index = step === 1 ? countBefore(row + 1) : countBefore(row);
    const first = step === 1 ? index : Math.max(0, index - stretch);
    const count = step === 1 ? Math.min(stretch, total() - index) : index - first;
    const rows =
      list?.page(first, count) ?? Array.from({ length: Math.max(0, count) }, (_, one) => first + one);
    const next = step === 1 ? rows.at(-1) : rows[0];
    if (next === undefined) return null;
    const found = await tester.matching(rows, () => true);
    const match = step === 1 ? found[0] : found.at(-1);
    if (match !== undefined) return match;
    row = next;
    stretch = Math.min(stretch * 2, MAX_STRETCH);
    await nextTurn();
  }
}
