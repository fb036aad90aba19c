import { type CacheHint, UNKNOWN_METHOD } from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';
import type { RequestOptions } from '#session/rpc/peer.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';

/** Pages to read without the user's consent to more; a server with more may never end. */
const MAX_PAGES = 1000;

export interface Page {
  /** The entries: parsed, and as written. */
  readonly entries: readonly { readonly value: unknown; readonly raw: string }[];
  /** Why paging stops although the server has more pages. */
  readonly fault: Fault | null;
  readonly cache: CacheHint | null;
  /** The response with the page. */
  readonly recorded: RecordedMessage;
  /** Null at the end of the list. */
  readonly next: NextPage | null;
}

/** A page that was not read yet. */
export interface NextPage {
  readonly cursor: string;
  /** The cursor as the server wrote it: JSON text. */
  readonly raw: string;
  /** The number of the page; 2 for the one after the first. */
  readonly page: number;
  /** The cursors up to this one. */
  readonly seen: Set<string>;
}

/** Sends the requests for the pages. In a recorded session, finds the requests in the trace instead. */
export interface PageSource {
  request(
    method: string,
    params: string | null,
    options: RequestOptions,
  ): { readonly outcome: Promise<Outcome> };
}

/**
 * Reads one page of a list (MCP utilities, pagination). The cursor is sent back exactly as received; no page size is
 * assumed.
 *
 * @param at the page to read; null for the first
 * @throws FaultError if it cannot be read
 */
export async function readPage(
  source: PageSource,
  method: string,
  member: string,
  options: RequestOptions,
  at: NextPage | null,
): Promise<Page> {
  const params = at === null ? null : `{"cursor":${at.raw}}`;
  const outcome = await source.request(method, params, options).outcome;
  if (outcome.type !== 'result') throw failure(method, outcome);
  const { result, recorded } = outcome;
  const list = isObject(result) ? result[member] : undefined;
  if (!isObject(result) || !Array.isArray(list)) throw new FaultError(notAList(method, member, result));
  const text = messageTextOf(recorded);
  const raws = elementTexts(memberText(text, ['result', member]) ?? '');
  const entries = list.map((value: unknown, index) => ({
    value,
    raw: raws[index] ?? JSON.stringify(value),
  }));
  const { nextCursor } = result;
  const page = at?.page ?? 1;
  const read = { entries, cache: cacheHint(result), recorded };
  if (nextCursor === undefined || recorded.isTruncated) {
    return { ...read, fault: recorded.isTruncated ? truncatedList(method, page) : null, next: null };
  }
  const seen = at?.seen ?? new Set<string>();
  const fault = cursorFault(method, nextCursor, page, seen);
  if (fault !== null || typeof nextCursor !== 'string') return { ...read, fault, next: null };
  seen.add(nextCursor);
  const raw = memberText(text, ['result', 'nextCursor']) ?? JSON.stringify(nextCursor);
  const next: NextPage = { cursor: nextCursor, raw, page: page + 1, seen };
  return { ...read, fault: page % MAX_PAGES === 0 ? tooManyPages(method, page) : null, next };
}

/** Reads a paged list to its end, or to the first page with a fault. @throws FaultError if a page cannot be read */
export async function* readPages(
  source: PageSource,
  method: string,
  member: string,
  options: RequestOptions,
): AsyncGenerator<Page> {
  let at: NextPage | null = null;
  do {
    const page = await readPage(source, method, member, options, at);
    yield page;
    at = page.fault === null ? page.next : null;
  } while (at !== null);
}

/** How long a page may be cached (MCP 2026-07-28 caching); null if the server does not say, or the hint is invalid. */
function cacheHint({ ttlMs, cacheScope }: Readonly<Record<string, unknown>>): CacheHint | null {
  if (typeof ttlMs !== 'number' || !Number.isFinite(ttlMs) || typeof cacheScope !== 'string') return null;
  return { ttl: ttlMs, scope: cacheScope, readAt: Date.now() };
}

function failure(method: string, outcome: Exclude<Outcome, { type: 'result' }>): FaultError {
  const fault = outcomeFault(method, outcome);
  const isUnknown = outcome.type === 'error' && outcome.error.code === errorCodes.methodNotFound;
  return new FaultError(isUnknown ? { ...fault, code: UNKNOWN_METHOD } : fault);
}

const truncatedList = (method: string, page: number): Fault => ({
  code: 'list-in-part',
  what: `${method}: page ${page} is so large that only a part of it was read.`,
  why: 'Long texts were cut, and entries may be missing. The trace has the whole text.',
});

function cursorFault(method: string, cursor: unknown, page: number, seen: ReadonlySet<string>): Fault | null {
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
  return null;
}

const tooManyPages = (method: string, page: number): Fault => ({
  code: 'too-many-pages',
  what: `${method}: reading stopped after ${page} pages.`,
  next: 'The rest can be read on request.',
});

const notAList = (method: string, member: string, result: unknown): Fault => ({
  code: 'list-missing',
  what: `The server's answer to ${method} has no array "${member}".`,
  evidence: JSON.stringify(result, null, 2)?.slice(0, 10_000) ?? 'undefined',
});
