import type { App } from '../app/app.ts';
import { milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { ownLine, type Table, under } from '../report/table.ts';

/** Places all over the table, none near the one before, the same in every run. */
const JUMPS = 40;
const STEP = 0.381_966;
const GOAL = 50;

/** Jumps over the whole table, each until every row on screen is drawn. */
export async function scrollTable({ page }: App): Promise<Table> {
  const times: number[] = [];
  for (let jump = 1; jump <= JUMPS; jump++) times.push(await page.jump((jump * STEP) % 1));
  const middle = median(times);
  return {
    title: `scrolling anywhere in it; jumps: ${JUMPS}`,
    lines: [
      ownLine('until the rows are drawn, median', middle, milliseconds, under(middle, GOAL, milliseconds)),
      ownLine('  the longest', Math.max(...times), milliseconds),
    ],
  };
}
