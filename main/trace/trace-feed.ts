import { FaultError } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import type { RowChoice, RowSort, TraceViewName, Vocabulary } from '#shared/contract/trace.ts';
import { Throttle } from '#transports/async.ts';
import { readFilter, RowFilter } from './filter/row-filter.ts';
import { seek } from './filter/seek.ts';
import { SortedRows } from './filter/sorted-rows.ts';
import { VocabularyCount } from './filter/vocabulary.ts';
import { type ReadableTrace, noSuchRow } from './readable-trace.ts';

/** Milliseconds between two notices to the page. */
const NOTICE_EVERY = 50;
/** Limit of filters. It is needed because a page that is reloaded or closed does not end its filters. */
const MAX_FILTERS = 16;

/** What a list shows, and in which order; null for wire order. */
interface ListOptions {
  readonly text: string;
  readonly view: TraceViewName;
  readonly sort: RowSort | null;
}

/** Notifies the page about a growing trace, and holds its filters. */
export class TraceFeed {
  readonly trace: ReadableTrace;
  readonly #sessionId: string;
  readonly #emit: Emit;
  readonly #filters = new Map<
    string,
    { readonly filter: RowFilter; readonly sorted: SortedRows | null } & ListOptions
  >();
  readonly #vocabulary: VocabularyCount;
  readonly #notice = new Throttle(NOTICE_EVERY, () => this.#notifyGrowth());
  #changedFrom = Number.POSITIVE_INFINITY;
  #lastFilter = 0;

  constructor(sessionId: string, trace: ReadableTrace, emit: Emit) {
    this.#sessionId = sessionId;
    this.trace = trace;
    this.#emit = emit;
    this.#vocabulary = new VocabularyCount(trace);
  }

  /** Notes that rows were added or changed, the first of them this one. */
  changed(from: number): void {
    this.#changedFrom = Math.min(this.#changedFrom, from);
    this.#notice.request();
  }

  /** Starts a filter, which reports its progress with `trace/filtered`. @throws FaultError if it cannot be parsed */
  startFilter(
    text: string,
    view: TraceViewName,
    {
      open = [],
      sort = null,
    }: { readonly open?: Iterable<number> | undefined; readonly sort?: RowSort | null | undefined } = {},
  ): string {
    const filterId = `filter-${++this.#lastFilter}`;
    this.#start(filterId, { text, view, sort }, open);
    return filterId;
  }

  /** Takes over the filters of another feed whose trace was read again; each starts over on this trace. */
  continueFrom(other: TraceFeed): void {
    this.#lastFilter = other.#lastFilter;
    for (const [filterId, { filter, text, view, sort }] of other.#filters)
      this.#start(filterId, { text, view, sort }, filter.open);
    this.changed(0);
  }

  #start(filterId: string, { text, view, sort }: ListOptions, open: Iterable<number>): void {
    const options = { filter: readFilter(text), view, open, sessions: this.#sessions };
    const notice = new Throttle(NOTICE_EVERY, () => this.#notifyFilter(filterId, filter));
    const { count: existing } = this.trace.index.columns;
    const filter = new RowFilter(this.trace, options, {
      progressed: () => {
        notice.request();
        // While traffic is steady, a filter always has rows left to test: it is not awaited beyond the rows of its start.
        if (filter.isDone || filter.scanned >= existing) sorted?.request();
      },
      matchesChanged: (row) => {
        notice.request();
        this.changed(row);
      },
    });
    const sorted =
      sort === null ? null : new SortedRows(this.trace, { filter, view, sort }, () => notice.request());
    this.#filters.set(filterId, { filter, sorted, text, view, sort });
    const [oldest] = this.#filters.keys();
    if (this.#filters.size > MAX_FILTERS && oldest !== undefined) this.endFilter(oldest);
    void filter.catchUp().then(() => {
      notice.request();
      // An empty trace has no progress.
      sorted?.request();
    });
  }

  /** The filter with this id; null for none. @throws FaultError if it has ended */
  filter(filterId: string | null): RowFilter | null {
    return filterId === null ? null : this.#list(filterId).filter;
  }

  /** The text of a filter, as the user wrote it. @throws FaultError if it has ended */
  filterText(filterId: string): string {
    return this.#list(filterId).text;
  }

  /** The matches of a filter in the order of a column; null in wire order. @throws FaultError if it has ended */
  sorted(filterId: string | null): SortedRows | null {
    return filterId === null ? null : this.#list(filterId).sorted;
  }

  #list(filterId: string) {
    const known = this.#filters.get(filterId);
    if (known === undefined)
      throw new FaultError({ code: 'no-such-filter', what: 'This filter has ended.', next: 'Filter again.' });
    return known;
  }

  /**
   * The next or previous row that `text` matches, among the rows of the list `filterId`; null if there is none.
   *
   * @throws FaultError if the trace cannot be searched
   */
  async seek(options: {
    readonly filterId: string | null;
    readonly from: number;
    readonly step: 1 | -1;
    readonly text: string;
  }): Promise<number | null> {
    const { filterId, from, step, text } = options;
    const [filter, list] = [readFilter(text), this.filter(filterId)];
    return seek({ trace: this.trace, list, filter, sessions: this.#sessions, from, step });
  }

  /** The words for completing a filter. */
  vocabulary(): Promise<Vocabulary> {
    return this.#vocabulary.words();
  }

  /** The names by which the field `session:` of a filter can mean this trace. */
  get #sessions(): readonly string[] {
    return [this.trace.header.server.name, this.#sessionId];
  }

  endFilter(filterId: string): void {
    this.#filters.get(filterId)?.filter.end();
    this.#filters.get(filterId)?.sorted?.end();
    this.#filters.delete(filterId);
    if (this.#filters.size === 0) this.trace.index.columns.unwatch();
  }

  /** Ends every filter. */
  close(): void {
    for (const filterId of this.#filters.keys()) this.endFilter(filterId);
  }

  #notifyGrowth(): void {
    const { count: rows, counts } = this.trace.index.columns;
    const changedFrom = Math.min(this.#changedFrom, rows);
    this.#changedFrom = Number.POSITIVE_INFINITY;
    this.#emit('trace/grew', { sessionId: this.#sessionId, rows, changedFrom, counts });
    for (const { filter } of this.#filters.values()) void filter.catchUp();
  }

  #notifyFilter(filterId: string, filter: RowFilter): void {
    const list = this.#filters.get(filterId);
    if (list?.filter !== filter) return;
    const { sorted } = list;
    this.#emit('trace/filtered', {
      sessionId: this.#sessionId,
      filterId,
      matches: sorted?.count ?? filter.matches,
      scanned: filter.scanned,
      done: filter.isDone && (sorted?.isDone ?? true),
      order: sorted?.version ?? 0,
    });
  }
}

/** The rows of a choice, in the order of the trace, each once. */
export interface ChosenRows {
  readonly count: number;
  at(index: number): number;
}

/**
 * Resolves a choice of rows; waits for a filter to finish.
 *
 * @throws FaultError if the filter has ended or failed, or a row does not exist
 */
export async function chosenRows(feed: TraceFeed, choice: RowChoice): Promise<ChosenRows> {
  const { count } = feed.trace.index.columns;
  switch (choice.of) {
    case 'all':
      return { count, at: (index) => index };
    case 'filter': {
      await feed.filter(choice.filterId)?.catchUp();
      const filter = feed.filter(choice.filterId);
      return listed((await filter?.unfolded()) ?? []);
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
  at: (index) => rows[index] ?? 0,
});
