import type { App } from '../app/app.ts';
import { milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { ownLine, type Table, under } from '../report/table.ts';

const ROUNDS = 10;
const GOAL = 100;

/** Shows the trace again instead of its statistics, each time until the overview of the whole session is drawn. */
export async function overviewTable({ page }: App): Promise<Table> {
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) times.push(await page.showOverview());
  const middle = median(times);
  return {
    title: `the overview over the table; rounds: ${ROUNDS}`,
    lines: [
      ownLine(
        'from the click until it is drawn, median',
        middle,
        milliseconds,
        under(middle, GOAL, milliseconds),
      ),
      ownLine('  the longest', Math.max(...times), milliseconds),
    ],
  };
}
