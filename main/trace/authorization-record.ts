import type { RowColumns } from './rows/row-columns.ts';

/** Plain data, as JSON has it. */
type Data = Record<string, unknown>;

/** A copy in which each `row` is replaced by `of`, the `seq` of its record: rows are derived, and not stored. */
export const rowsToSeqs = (value: Data, columns: RowColumns): Data =>
  renamed(value, 'row', 'of', (row) => (row < columns.count ? columns.seq(row) : null));

/** The reverse, when a trace is read. */
export const seqsToRows = (value: Data, columns: RowColumns): Data =>
  renamed(value, 'of', 'row', (seq) => columns.rowOf(seq));

function renamed(value: Data, from: string, to: string, change: (number: number) => number | null): Data {
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, member]) =>
        key === from && (typeof member === 'number' || member === null)
          ? [to, member === null ? null : change(member)]
          : [key, visit(member)],
      ),
    );
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays an object
  return visit(value) as Data;
}

/** A copy of the data with each text changed. */
export function withTexts(value: Data, change: (text: string) => string): Data {
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one);
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, visit(member)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays an object
  return visit(value) as Data;
}
