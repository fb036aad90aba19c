import type { App } from '../app/app.ts';
import { count, milliseconds } from '../report/figures.ts';
import { type Line, ownLine, type Table, under } from '../report/table.ts';

const COLUMN_GOAL = 150;
const TEXT_GOAL = 1500;
const FIRST_GOAL = 100;

interface Wanted {
  readonly what: string;
  readonly filter: string;
  /** Milliseconds until it has looked at all rows. */
  readonly goal: number;
  /** The first match stands so far down that it cannot be told at once. */
  readonly isFirstLate?: true;
  readonly matches: (notifications: number) => number;
}

/** Filters on columns, and on text that stands in one row, at the very end, and in each. */
const filters: readonly Wanted[] = [
  {
    what: 'columns, no match but one',
    filter: 'kind:request method:tools/call',
    goal: COLUMN_GOAL,
    matches: () => 1,
  },
  {
    what: 'columns, nearly all match',
    filter: 'method:notifications/message dir:in',
    goal: COLUMN_GOAL,
    matches: (notifications) => notifications,
  },
  { what: 'text, in every notification', filter: 'text:"padding"', goal: TEXT_GOAL, matches: (all) => all },
];

const lastOnly = (notifications: number): Wanted => ({
  what: 'text, in the last one only',
  filter: `text:"\\"place\\":${notifications - 1},"`,
  goal: TEXT_GOAL,
  matches: () => 1,
  isFirstLate: true,
});

/** Filters the flood that the table holds. */
export async function filterTable({ page }: App, notifications: number): Promise<Table> {
  const lines: Line[] = [];
  for (const { what, filter, goal, matches, isFirstLate } of [...filters, lastOnly(notifications)]) {
    const found = await page.filter(filter);
    lines.push(
      ownLine(
        `${what}: until all are looked at`,
        found.done,
        milliseconds,
        under(found.done, goal, milliseconds),
      ),
      ownLine(
        '  first matches told',
        found.first,
        milliseconds,
        isFirstLate ? undefined : under(found.first, FIRST_GOAL, milliseconds),
      ),
      ownLine('  from the last key to the first rows on screen', found.drawn, milliseconds),
      ownLine('  matches', found.matches, count, {
        text: count(matches(notifications)),
        isMet: found.matches === matches(notifications),
      }),
    );
  }
  await page.clearFilter();
  return { title: 'filters, from the request to the last row', lines };
}
