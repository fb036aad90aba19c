import type { CacheHint } from '#shared/contract/catalog.ts';
import { memberText } from '#shared/json/members.ts';
import { type EntryList, readList } from '#session/catalog/catalog.ts';
import type { EntryKind, Unusable } from '#session/catalog/entries.ts';
import { type Page, type PageSource, readPages } from '#session/catalog/paging.ts';
import type { Outcome } from '#session/rpc/request.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** A page was not requested, or what was requested is not in the recording. */
const noNextPage: Outcome = {
  type: 'closed',
  reason: 'The recording does not hold the request for the next page.',
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
  if (rows.length === 0) return isDeclared ? neverRead(kind.method) : emptyList('not-declared');
  let failed: EntryList<E | Unusable> | null = null;
  // The last reading counts; if its first page failed, the entries of the one before stayed in the list.
  for (let start = rows.length - 1; start >= 0; start--) {
    const row = rows[start];
    if (row === undefined || (await cursorOf(requests, row)) !== null) continue;
    const source = recordedPages(requests, rows.slice(start));
    const pages = withTimeOf(readPages(source, kind.method, kind.member, options), wallAt);
    const list = await readList(kind, pages, { entries: [], cache: null }, () => undefined);
    if (list.state === 'ready' || list.pages > 0) {
      return failed === null ? list : { ...failed, entries: list.entries, cache: list.cache };
    }
    failed ??= list;
  }
  return failed ?? emptyList('not-declared');
}

/** Options that no recorded request needs. */
const options = { origin: 'automatic', timeout: 0, maxTimeout: 0 } as const;

const emptyList = (state: 'not-declared' | 'failed'): EntryList<never> => ({
  state,
  entries: [],
  pages: 0,
  fault: null,
  cache: null,
});

const neverRead = (method: string): EntryList<never> => ({
  ...emptyList('failed'),
  fault: {
    code: 'list-not-recorded',
    what: `The recording holds no ${method}.`,
    why: 'The list was never requested, or these messages were left out when the trace was exported.',
  },
});

/** Finds the pages in the rows of one reading, in their order. */
function recordedPages(requests: RecordedRequests, rows: readonly number[]): PageSource {
  let next = 0;
  const find = async (cursor: string | null): Promise<Outcome> => {
    for (; next < rows.length; next++) {
      const row = rows[next];
      if (row === undefined || (await cursorOf(requests, row)) !== cursor) continue;
      next++;
      return requests.outcome(row);
    }
    return noNextPage;
  };
  return {
    request: (_method, params) => ({
      outcome: find(params === null ? null : memberText(params, ['cursor'])),
    }),
  };
}

/** The cursor of a request as written; null for the first page. */
async function cursorOf(requests: RecordedRequests, row: number): Promise<string | null> {
  return memberText((await requests.params(row)).text, ['params', 'cursor']);
}

async function* withTimeOf(
  pages: AsyncIterable<Page>,
  wallAt: (row: number) => number,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    const cache: CacheHint | null = page.cache && { ...page.cache, readAt: wallAt(page.recorded.row) };
    yield { ...page, cache };
  }
}
