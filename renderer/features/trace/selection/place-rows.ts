import { call } from '#bridge';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { RowWindow } from '../table/row-window.ts';

/** A list of rows: the whole trace, or a filter's matches. */
export interface RowList {
  readonly sessionId: string;
  readonly filterId: string | null;
  readonly window: RowWindow;
}

/** The rows that stand at the places `from` to `end` of a list: at once where they are known here. */
export function rowsOfPlaces(list: RowList, from: number, end: number): number[] | Promise<number[]> {
  const places = Array.from({ length: Math.max(0, end - from) }, (_, order) => from + order);
  if (list.filterId === null) return places;
  const held = places.flatMap((place) => list.window.at(place)?.row ?? []);
  return held.length === places.length ? held : readRows(list, from, end);
}

async function readRows({ sessionId, filterId }: RowList, from: number, end: number): Promise<number[]> {
  const rows: number[] = [];
  for (let place = from; place < end; place += MAX_ROWS_PER_PAGE) {
    const count = Math.min(MAX_ROWS_PER_PAGE, end - place);
    const page = await call('trace/rows', { sessionId, filterId, from: place, count });
    rows.push(...page.rows.map(({ row }) => row));
  }
  return rows;
}
