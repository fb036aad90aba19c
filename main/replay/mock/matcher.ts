import { createHash } from 'node:crypto';
import type { ComparisonRule, ValueDifference } from '#shared/contract/comparison.ts';
import type { MatchMode } from '#shared/contract/mocks.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { mapLeaves } from '#shared/json/inner-json.ts';
import { pathText } from '#shared/json/path-pattern.ts';
import { memberText, withoutMember } from '#shared/json/members.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { secretPlaceholder } from '#replay/compare/noise.ts';
import { ValueComparer } from '#replay/compare/value-differences.ts';
import { contextScore } from './context-score.ts';
import {
  askedOf,
  isRepeatable,
  type RecordedNotification,
  type RecordedRequest,
  type Recording,
} from './recording.ts';

/** A request of a client. */
export interface Asked {
  readonly method: string;
  /** The tool, prompt or URI; null if the method has none. */
  readonly target: string | null;
  /** JSON text; null without params. */
  readonly params: string | null;
}

/** What is answered to a request. */
export type Match =
  | {
      readonly kind: 'exact' | 'inexact';
      readonly request: RecordedRequest;
      /** What differs from the recorded request. */
      readonly differences: readonly ValueDifference[];
      /** Why it is inexact, in one sentence; empty if it is exact. */
      readonly why: string;
    }
  | Miss;

export interface Miss {
  readonly kind: 'miss';
  /** `used-up`: the same request was recorded, but all its recordings were answered already. */
  readonly reason: 'never-recorded' | 'used-up';
  /** The recorded request that differs least; null if the method was never recorded. */
  readonly nearest: RecordedRequest | null;
  readonly differences: readonly ValueDifference[];
  /** What happened, in a sentence or two. */
  readonly why: string;
}

/** Limit of recordings that a request is compared with, to find those that mean the same and the nearest. */
const MAX_COMPARED = 1000;
/** Limit of recordings of the same request whose context is compared. */
const MAX_IN_CONTEXT = 100;

/** The requests of all recordings, found by what they ask for. */
export class Library {
  readonly recordings: readonly Recording[];
  /** The requests of the first recording, then of the next. */
  readonly requests: readonly RecordedRequest[];
  readonly #byKey = new Map<string, RecordedRequest[]>();
  readonly #byName = new Map<string, RecordedRequest[]>();
  readonly #byMethod = new Map<string, RecordedRequest[]>();
  /** Requests by the hash of everything before them, with the request itself. */
  readonly #byPast = new Map<string, RecordedRequest[]>();

  constructor(recordings: readonly Recording[]) {
    this.recordings = recordings;
    this.requests = recordings.flatMap(({ requests }) => requests);
    for (const recording of recordings) {
      const past = pastsOf(recording.history);
      for (const request of recording.requests) {
        put(this.#byKey, request.key, request);
        put(this.#byName, nameKey(request), request);
        put(this.#byMethod, request.method, request);
        put(this.#byPast, `${past[request.before] ?? ''} ${request.key}`, request);
      }
    }
  }

  same = (key: string): readonly RecordedRequest[] => this.#byKey.get(key) ?? [];
  named = (asked: Asked): readonly RecordedRequest[] => this.#byName.get(nameKey(asked)) ?? [];
  ofMethod = (method: string): readonly RecordedRequest[] => this.#byMethod.get(method) ?? [];
  after = (past: string, key: string): readonly RecordedRequest[] => this.#byPast.get(`${past} ${key}`) ?? [];
}

/** Which recordings one client was given, and what it did before. */
export class Matcher {
  readonly #library: Library;
  readonly #mode: MatchMode;
  readonly #used = new Set<RecordedRequest>();
  readonly #notified = new Set<RecordedNotification>();
  readonly #history: string[] = [];
  /** The hash of the whole history. */
  #past = '';
  /** Requests before this one were given, in the mode `sequence`. */
  #place = 0;

  constructor(library: Library, mode: MatchMode) {
    this.#library = library;
    this.#mode = mode;
  }

  /** The recordings that were given as answers. */
  get used(): ReadonlySet<RecordedRequest> {
    return this.#used;
  }

  /** Finds the answer to a request, and counts it as given. Its `_meta` does not matter. */
  match({ method, target, params: sent }: Asked): Match {
    const { key, params } = askedOf(method, sent);
    const asked: Asked = { method, target, params };
    const repeats = isRepeatable(method);
    const found =
      this.#mode === 'sequence' && !repeats ? this.#next(asked, key) : this.#find(asked, key, repeats);
    if (!repeats) this.remember(key);
    if (found.kind === 'miss') return found;
    this.#used.add(found.request);
    return found.kind === 'exact' ? this.#withInputs(found, params) : found;
  }

  /** The recorded notification of the same method that comes next; null if none is left. */
  notified(method: string, params: string | null): RecordedNotification | null {
    const { key } = askedOf(method, params);
    const left = this.#library.recordings
      .flatMap(({ notifications }) => notifications)
      .filter((one) => one.method === method && !this.#notified.has(one));
    const found = left.find((one) => one.key === key) ?? left[0] ?? null;
    if (found !== null) this.#notified.add(found);
    return found;
  }

  /** Adds an entry to what went before. */
  remember(entry: string): void {
    this.#history.push(entry);
    this.#past = pastWith(this.#past, entry);
  }

  #next(asked: Asked, key: string): Match {
    const { requests } = this.#library;
    const isPassed = (one: RecordedRequest) => this.#used.has(one) || isRepeatable(one.method);
    for (let one = requests[this.#place]; one !== undefined && isPassed(one); one = requests[this.#place])
      this.#place++;
    const next = requests[this.#place];
    if (next === undefined) return this.#miss(asked, key);
    if (next.key === key) return exact(next);
    if (next.method !== asked.method || next.target !== asked.target) {
      const nearest = { kind: 'miss', nearest: next, differences: [], reason: 'never-recorded' } as const;
      return { ...nearest, why: `The next recorded request is ${describe(next)}.` };
    }
    return inexact(next, differencesOf(next, asked));
  }

  #find(asked: Asked, key: string, repeats: boolean): Match {
    const all = this.#candidates(asked, key);
    const unused = all.filter((one) => !this.#used.has(one));
    if (this.#mode === 'method' && unused.length === 0 && !repeats) {
      const other = this.#library.named(asked).find((one) => !this.#used.has(one));
      if (other !== undefined) return inexact(other, differencesOf(other, asked));
    }
    const left = repeats && unused.length === 0 ? all : unused;
    const [first] = left;
    if (first === undefined) {
      // The handshake names the client and its version, which are another's.
      const own = handshakes.has(asked.method) ? this.#library.ofMethod(asked.method)[0] : undefined;
      return own === undefined ? this.#miss(asked, key) : exact(own);
    }
    const isInOrder = this.#mode === 'args' || this.#mode === 'method';
    if (isInOrder && !repeats) return exact(first);
    return this.#inContext(key, left, repeats ? all : null);
  }

  /**
   * Of recordings of the same request, the one that the most alike history precedes.
   *
   * @param again those that may be given again, too; null if none may
   */
  #inContext(key: string, left: readonly RecordedRequest[], again: readonly RecordedRequest[] | null): Match {
    const after = again === null ? this.#library.after(this.#past, key) : [];
    const [next, ...others] = after.filter((one) => left.includes(one));
    if (next !== undefined) return amongEquals(next, others);
    const considered = (again ?? left).slice(0, MAX_IN_CONTEXT);
    const scored = considered.map((request) => ({
      request,
      score: contextScore(request.recording.history, request.before, this.#history),
      isLeft: left.includes(request),
    }));
    // The sort is stable: equals stay in recorded order, those that were not given before the others.
    scored.sort((a, b) => b.score - a.score || Number(b.isLeft) - Number(a.isLeft));
    const [best] = scored;
    if (best === undefined) throw new Error('there is a recording to choose from');
    // Repeated beyond the recording: the latest of equals is what the server says now.
    const equals = scored.filter(({ score }) => score === best.score);
    const chosen = best.isLeft ? best.request : (equals.at(-1)?.request ?? best.request);
    return isRepeatable(chosen.method)
      ? exact(chosen)
      : amongEquals(
          chosen,
          equals.map(({ request }) => request),
        );
  }

  /** Recordings of the same request: of equal text, else of equal meaning, else equal but for secrets. */
  #candidates(asked: Asked, key: string): readonly RecordedRequest[] {
    const same = this.#library.same(key);
    if (same.length > 0) return same;
    const params = withoutInputs(asked.params);
    const named = this.#library.named(asked).slice(0, MAX_COMPARED);
    const equal = named.filter((one) => isSameJson(withoutInputs(one.params), params));
    if (equal.length > 0) return equal;
    return named.filter((one) => one.params !== null && fitsSecrets(one.params, params));
  }

  /** Compares the answers to what an earlier result asked for: what follows them was recorded for other ones. */
  #withInputs(match: Match & { kind: 'exact' | 'inexact' }, params: string | null): Match {
    const { request } = match;
    if (!request.isContinuation) return match;
    const [recorded, sent] = [request.params, params].map(
      (text) => memberText(text ?? '{}', ['inputResponses']) ?? '{}',
    );
    const { differences } = comparer.compare(recorded ?? '{}', sent ?? '{}', { at: ['inputResponses'] });
    return differences.length === 0 ? match : inexact(request, differences);
  }

  #miss(asked: Asked, key: string): Miss {
    const candidates = this.#candidates(asked, key);
    const isByName = this.#mode === 'method' && candidates.length === 0;
    const same = isByName ? this.#library.named(asked) : candidates;
    const [first] = same;
    if (first !== undefined) {
      const count = same.length === 1 ? 'once' : `${same.length} times`;
      const why = `Used up: this request was recorded ${count}, and each answer was given already.`;
      return { kind: 'miss', reason: 'used-up', nearest: first, differences: [], why };
    }
    const named = this.#library.named(asked);
    const others = named.length > 0 ? named : this.#library.ofMethod(asked.method);
    let nearest: Pick<Miss, 'nearest' | 'differences'> = { nearest: null, differences: [] };
    for (const request of others.slice(0, MAX_COMPARED)) {
      const differences = differencesOf(request, asked);
      if (nearest.nearest === null || differences.length < nearest.differences.length)
        nearest = { nearest: request, differences };
    }
    return { kind: 'miss', reason: 'never-recorded', ...nearest, why: neverRecorded(asked, nearest) };
  }
}

const handshakes: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

const exact = (request: RecordedRequest): Match & { kind: 'exact' | 'inexact' } => ({
  kind: 'exact',
  request,
  differences: [],
  why: '',
});

const inexact = (request: RecordedRequest, differences: readonly ValueDifference[]): Match => ({
  kind: 'inexact',
  request,
  differences,
  why: `It differs from ${describe(request)} at ${pathsOf(differences)}.`,
});

/** Inexact if another recording, which fits as well, has another answer. */
function amongEquals(chosen: RecordedRequest, others: readonly RecordedRequest[]): Match {
  const rival = others.find(
    ({ recording, answer }) => recording !== chosen.recording && answer !== chosen.answer,
  );
  if (rival === undefined) return exact(chosen);
  const why = `${describe(chosen)} and ${describe(rival)} have different answers, and what went before fits both.`;
  return { kind: 'inexact', request: chosen, differences: [], why };
}

/** Names a recorded request: `tools/call echo, #12 of everything.mcptrace`. */
export const describe = ({ method, target, row, recording }: RecordedRequest): string =>
  `${[method, target].filter((word) => word !== null).join(' ')}, ${rowNumber(row)} of ${recording.name}`;

function neverRecorded(
  { method, target }: Asked,
  { nearest, differences }: Pick<Miss, 'nearest' | 'differences'>,
): string {
  if (nearest === null) return `Never recorded: the recording has no request ${method}.`;
  const name = [method, target].filter((word) => word !== null).join(' ');
  const isOther = nearest.target !== target;
  const what = isOther ? `Never recorded: ${name}.` : `Never recorded: ${name} with these params.`;
  return `${what} The nearest is ${describe(nearest)}; it differs at ${pathsOf(differences)}.`;
}

/** Limit of paths that a sentence names. */
const MAX_PATHS = 5;

function pathsOf(differences: readonly ValueDifference[]): string {
  const shown = differences.slice(0, MAX_PATHS).map(({ path, recorded, other }) => {
    if (recorded === null) return `${path} (not in the recording)`;
    return other === null
      ? `${path} (missing in the request)`
      : `${path} (recorded ${recorded}, now ${other})`;
  });
  const more = differences.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Ids and times are arguments like others here: no difference is noise. */
const everyValue: ComparisonRule = { path: '$..*', compare: 'exact' };
const comparer = new ValueComparer([everyValue]);

const differencesOf = ({ params }: RecordedRequest, asked: Asked): readonly ValueDifference[] =>
  comparer.compare(params ?? '{}', asked.params ?? '{}', { at: ['params'] }).differences;

const withoutInputs = (params: string | null): string => withoutMember(params ?? '{}', 'inputResponses');

/** Whether params are the recorded ones, where any text may stand for a secret that was not recorded. */
function fitsSecrets(recorded: string, params: string): boolean {
  if (recorded.match(secretPlaceholder) === null) return false;
  const [one, other] = [leavesOf(withoutInputs(recorded)), leavesOf(params)];
  if (!isSameJson(one.rest, other.rest)) return false;
  return [...one.leaves].every(([path, value]) => {
    const counterpart = other.leaves.get(path);
    if (counterpart === undefined) return false;
    return isSameJson(value, counterpart) || fitsSecret(JSON.parse(value), JSON.parse(counterpart));
  });
}

/** The strings and numbers of a JSON text by their paths, and the text without them. */
function leavesOf(text: string): { readonly leaves: ReadonlyMap<string, string>; readonly rest: string } {
  const leaves = new Map<string, string>();
  const rest = mapLeaves(text, (value, path) => {
    leaves.set(pathText(path), value);
    return '0';
  });
  return { leaves, rest };
}

/** Whether a text is a recorded one with any text for each placeholder. */
function fitsSecret(recorded: unknown, other: unknown): boolean {
  if (typeof recorded !== 'string') return false;
  // A secret number is given as a number.
  const [text, parts] = [String(other), recorded.split(secretPlaceholder)];
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length < 2 || text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const until = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, from);
    if (found === -1 || found + part.length > until) return false;
    from = found + part.length;
  }
  return true;
}

const nameKey = ({ method, target }: Asked): string => `${method} ${target ?? ''}`;

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** The hash of each beginning of a history, from the empty one on. */
function pastsOf(history: readonly string[]): string[] {
  const pasts = [''];
  for (const entry of history) pasts.push(pastWith(pasts.at(-1) ?? '', entry));
  return pasts;
}

const pastWith = (past: string, entry: string): string =>
  createHash('sha1').update(past).update(' ').update(entry).digest('base64');
