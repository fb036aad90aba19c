import type { CacheHint } from '#shared/contract/catalog.ts';
import { memberText } from '#shared/json/members.ts';
import { type EntryList, ListReading, unreadList } from '#session/catalog/catalog.ts';
import type { EntryKind, Unusable } from '#session/catalog/entries.ts';
import { type NextPage, type Page, type PageSource, readPage } from '#session/catalog/paging.ts';
import type { Outcome } from '#session/rpc/request.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** The page was not requested, or its request is not in the recording. */
const notRecorded: Outcome = {
  type: 'closed',
  reason: 'The recording does not hold the request for this page.',
};

/**
 * A list as the session had it last, from the recorded pages.
 *
 * @param isDeclared whether the server declared the capability
 * @param wallAt the wall-clock time of a row, in milliseconds since the Unix epoch
 */
export async function recordedList<T, E>(
  requests: RecordedRequests,
  kind: EntryKind<T, E>,
  isDeclared: boolean,
  wallAt: (row: number) => number,
): Promise<EntryList<E | Unusable>> {
  const rows = requests.rows(kind.method);
  if (rows.length === 0) return isDeclared ? neverRead(kind.method) : unreadList('not-declared');
  let failed: EntryList<E | Unusable> | null = null;
  // The last reading counts; if its first page failed, the entries of the one before stayed in the list.
  for (let start = rows.length - 1; start >= 0; start--) {
    const row = rows[start];
    if (row === undefined || (await cursorOf(requests, row)) !== null) continue;
    const pages = new RecordedPages(requests, rows.slice(start));
    const read = async (at: NextPage | null) =>
      withTimeOf(await readPage(pages, kind.method, kind.member, options, at), wallAt);
    const reading = new ListReading(kind, { entries: [], cache: null });
    let list = await reading.readPage(read);
    while (list.state === 'ready' && list.nextCursor !== null && (await pages.hasNext(reading.nextRaw))) {
      list = await reading.readPage(read);
    }
    if (list.state === 'ready' || list.pages > 0) {
      return failed === null ? list : { ...failed, entries: list.entries, cache: list.cache };
    }
    failed ??= list;
  }
  return failed ?? unreadList('not-declared');
}

/** Options that no recorded request needs. */
const options = { origin: 'automatic', timeout: 0, maxTimeout: 0 } as const;

const neverRead = (method: string): EntryList<never> => ({
  ...unreadList('failed'),
  fault: {
    code: 'list-not-recorded',
    what: `The recording holds no ${method}.`,
    why: 'The list was never requested, or these messages were left out when the trace was exported.',
  },
});

/** Finds the pages in the rows of one reading, in their order. */
class RecordedPages implements PageSource {
  readonly #requests: RecordedRequests;
  readonly #rows: readonly number[];
  #at = 0;

  constructor(requests: RecordedRequests, rows: readonly number[]) {
    this.#requests = requests;
    this.#rows = rows;
  }

  /** Whether a page was requested after the ones so far. @param cursor as written; null for the first page */
  async hasNext(cursor: string | null): Promise<boolean> {
    return (await this.#indexOf(cursor)) !== null;
  }

  request(_method: string, params: string | null) {
    return { outcome: this.#find(params === null ? null : memberText(params, ['cursor'])) };
  }

  async #find(cursor: string | null): Promise<Outcome> {
    const index = await this.#indexOf(cursor);
    const row = index === null ? undefined : this.#rows[index];
    if (index === null || row === undefined) return notRecorded;
    this.#at = index + 1;
    return this.#requests.outcome(row);
  }

  async #indexOf(cursor: string | null): Promise<number | null> {
    for (let index = this.#at; index < this.#rows.length; index++) {
      const row = this.#rows[index];
      if (row !== undefined && (await cursorOf(this.#requests, row)) === cursor) return index;
    }
    return null;
  }
}

/** The cursor of a request as written; null for the first page. */
async function cursorOf(requests: RecordedRequests, row: number): Promise<string | null> {
  return memberText((await requests.params(row)).text, ['params', 'cursor']);
}

function withTimeOf(page: Page, wallAt: (row: number) => number): Page {
  const cache: CacheHint | null = page.cache && { ...page.cache, readAt: wallAt(page.recorded.row) };
  return { ...page, cache };
}
