import type { CacheHint } from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { RequestOptions } from '#session/rpc/peer.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** Limit of pages; a server with more never ends. */
const MAX_PAGES = 1000;

export interface Page {
  /** The entries: parsed, and as written. */
  readonly entries: readonly { readonly value: unknown; readonly raw: string }[];
  /** Why paging stops although the server has more pages. */
  readonly fault: Fault | null;
  readonly cache: CacheHint | null;
  /** The response with the page. */
  readonly recorded: RecordedMessage;
}

/** Sends the requests for the pages; of a recorded session, finds them in its trace. */
export interface PageSource {
  request(
    method: string,
    params: string | null,
    options: RequestOptions,
  ): { readonly outcome: Promise<Outcome> };
}

/**
 * Reads a paged list to its end, page by page (MCP utilities, pagination). The cursor is sent back exactly as
 * received; no page size is assumed.
 *
 * @throws FaultError if a page cannot be read
 */
export async function* readPages(
  source: PageSource,
  method: string,
  member: string,
  options: RequestOptions,
): AsyncGenerator<Page> {
  const seenCursors = new Set<string>();
  let cursor: string | null = null;
  for (let page = 1; ; page++) {
    const params: string | null = cursor === null ? null : `{"cursor":${cursor}}`;
    const outcome = await source.request(method, params, options).outcome;
    if (outcome.type !== 'result') throw failure(method, outcome);
    const { result, recorded } = outcome;
    const list = isObject(result) ? result[member] : undefined;
    if (!isObject(result) || !Array.isArray(list)) throw new FaultError(notAList(method, member, result));
    const text = messageTextOf(recorded);
    const raws = elementTexts(memberText(text, ['result', member]) ?? '');
    const entries = list.map((value: unknown, place) => ({
      value,
      raw: raws[place] ?? JSON.stringify(value),
    }));
    const { nextCursor } = result;
    const cache = cacheHint(result);
    if (nextCursor === undefined || recorded.isTruncated) {
      yield { entries, fault: recorded.isTruncated ? truncatedList(method, page) : null, cache, recorded };
      return;
    }
    cursor = memberText(text, ['result', 'nextCursor']);
    const fault = pagingFault(method, nextCursor, page, seenCursors);
    yield { entries, fault, cache, recorded };
    if (fault !== null || typeof nextCursor !== 'string') return;
    seenCursors.add(nextCursor);
  }
}

/** How long a page may be cached (MCP 2026-07-28 caching); null if not stated, or not validly. */
function cacheHint({ ttlMs, cacheScope }: Readonly<Record<string, unknown>>): CacheHint | null {
  if (typeof ttlMs !== 'number' || !Number.isFinite(ttlMs) || typeof cacheScope !== 'string') return null;
  return { ttl: ttlMs, scope: cacheScope, readAt: Date.now() };
}

/** The server does not know the method. */
export class UnknownMethod extends FaultError {
  override readonly name = 'UnknownMethod';
}

function failure(method: string, outcome: Exclude<Outcome, { type: 'result' }>): FaultError {
  const fault = outcomeFault(method, outcome);
  const isUnknown = outcome.type === 'error' && outcome.error.code === errorCodes.methodNotFound;
  return isUnknown ? new UnknownMethod(fault) : new FaultError(fault);
}

const truncatedList = (method: string, page: number): Fault => ({
  code: 'list-in-part',
  what: `${method}: page ${page} is so large that only a part of it was read.`,
  why: 'Long texts were cut, and entries may be missing. The trace has the whole text.',
});

function pagingFault(method: string, cursor: unknown, page: number, seen: ReadonlySet<string>): Fault | null {
  if (cursor === null || cursor === '') {
    return {
      code: 'empty-cursor',
      what: `${method}: page ${page} ends with an empty nextCursor.`,
      why: 'At the end of a list nextCursor is left out; this was taken for the end.',
    };
  }
  if (typeof cursor !== 'string') {
    return {
      code: 'cursor-not-a-string',
      what: `${method}: the nextCursor of page ${page} is no string, so there is no next page to ask for.`,
      evidence: JSON.stringify(cursor),
    };
  }
  if (seen.has(cursor)) {
    return {
      code: 'cursor-loop',
      what: `${method}: page ${page} points to a page that was already read, so reading stopped.`,
      why: 'The server gave the same nextCursor twice.',
      evidence: cursor,
    };
  }
  if (page >= MAX_PAGES) {
    return { code: 'too-many-pages', what: `${method}: reading stopped after ${MAX_PAGES} pages.` };
  }
  return null;
}

const notAList = (method: string, member: string, result: unknown): Fault => ({
  code: 'list-missing',
  what: `The server's answer to ${method} has no array "${member}".`,
  evidence: JSON.stringify(result, null, 2)?.slice(0, 10_000) ?? 'undefined',
});
