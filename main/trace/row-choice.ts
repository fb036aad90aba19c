import { FaultError } from '#shared/contract/fault.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { noSuchRow } from './readable-trace.ts';
import type { TraceFeed } from './trace-feed.ts';

/** Rows that something is done with, in the order of the trace, each once. */
export interface ChosenRows {
  readonly count: number;
  at(place: number): number;
}

/**
 * What a choice comes to; of a filter, once it has looked at every row.
 *
 * @throws FaultError when the filter has ended or failed, or a row is not there
 */
export async function chosenRows(feed: TraceFeed, choice: RowChoice): Promise<ChosenRows> {
  const { count } = feed.trace.index.columns;
  switch (choice.of) {
    case 'all':
      return { count, at: (place) => place };
    case 'filter': {
      await feed.filter(choice.filterId)?.catchUp();
      const filter = feed.filter(choice.filterId);
      return listed(filter === null ? [] : filter.page(0, filter.matches));
    }
    case 'rows': {
      const missing = choice.rows.find((row) => row >= count);
      if (missing !== undefined) throw new FaultError(noSuchRow(missing));
      return listed([...new Set(choice.rows)].sort((a, b) => a - b));
    }
  }
}

const listed = (rows: readonly number[]): ChosenRows => ({
  count: rows.length,
  at: (place) => rows[place] ?? 0,
});
