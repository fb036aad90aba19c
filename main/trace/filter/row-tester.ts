import type { Filter } from '#shared/trace/filter/filter.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { MAYBE, Predicate, YES } from './predicate.ts';
import { TextSearch } from './text-search.ts';

/** Tells which rows of a trace a filter matches: by their columns, and by their text where that decides. */
export class RowTester {
  readonly #predicate: Predicate;
  readonly #search: TextSearch;

  /** @param sessions the names of the trace */
  constructor(trace: ReadableTrace, filter: Filter, sessions: readonly string[]) {
    this.#predicate = new Predicate(trace, filter, sessions);
    this.#search = new TextSearch(trace, this.#predicate.texts);
  }

  /**
   * Those of these rows that match, in their order.
   *
   * @throws FaultError when the file cannot be read
   */
  async matching(rows: ArrayLike<number>, isWanted: () => boolean): Promise<number[]> {
    await this.#predicate.prepare();
    this.#predicate.refresh();
    const matches: number[] = [];
    const unsure: number[] = [];
    for (let order = 0; order < rows.length; order++) {
      const row = rows[order] ?? 0;
      const truth = this.#predicate.test(row);
      if (truth === YES) matches.push(row);
      else if (truth === MAYBE) unsure.push(row);
    }
    if (unsure.length === 0) return matches;
    const held = await this.#search.find(unsure, isWanted);
    this.#predicate.refresh();
    const settled = unsure.filter((row, order) => this.#predicate.settle(row, order, held));
    return merged(matches, settled);
  }
}

/** Two rising lists as one. */
function merged(one: readonly number[], other: readonly number[]): number[] {
  if (one.length === 0) return [...other];
  if (other.length === 0) return [...one];
  const all: number[] = [];
  let index = 0;
  for (const row of one) {
    for (let next = other[index]; next !== undefined && next < row; next = other[++index]) all.push(next);
    all.push(row);
  }
  return [...all, ...other.slice(index)];
}
