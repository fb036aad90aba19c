import type { App } from '../app/app.ts';
import { milliseconds } from '../report/figures.ts';
import { ownLine, type Table, under } from '../report/table.ts';

const GOAL = 2000;
/** A column of numbers that differ, one of numbers of which most are equal, and one of few texts. */
const columns = ['#', 'size', 'method'] as const;

/** Sorts the flood that the table holds, from the click until the rows are drawn in that order. */
export async function sortTable({ page, engine }: App): Promise<Table> {
  const lines = [];
  for (const column of columns) {
    const { result: time, stall } = await engine.longestStall(() => page.sort(column));
    lines.push(
      ownLine(`by ${column}`, time, milliseconds, under(time, GOAL, milliseconds)),
      ownLine('  longest stall of the engine', stall, milliseconds),
    );
  }
  return { title: 'sorted by a column, from the click until the rows are drawn', lines };
}
