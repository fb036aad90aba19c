import type { NoiseKind } from '#shared/contract/comparison.ts';
import { memberTexts } from '#shared/json/members.ts';
import type { PathStep } from '#shared/json/path-pattern.ts';

/** What differs between two runs of the same call without meaning anything. Found by form, and listed, never silent. */

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** ISO 8601 with a time of day, the dates of HTTP and of JavaScript's `Date`, and a time of day alone. */
const dateTime =
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? [A-Z][a-z]{2}|[A-Z][a-z]{2} \d\d?),? \d{4} \d\d:\d\d:\d\d(?: ?(?:GMT|UTC)(?:[+-]\d{4})?(?: \([^)]*\))?)?|\b\d\d?:\d\d:\d\d(?:\.\d+)?(?: ?[AP]M)?\b/g;
/** What the recorder and exports write in place of a secret; its hash is another at each start of the app. */
export const secretPlaceholder =
  /\[secret [^\]]{1,200}, \d{1,12} characters, [0-9a-f]{8}\]|(?<![\w.+-])0e-\d{1,10}(?![\w.+-])/g;
/** What they write in place of a number. */
export const isNumberPlaceholder = (json: string): boolean => /^0e-\d{1,10}$/.test(json);
/** A whole string of random characters, such as a ULID, a nano id or a hash: with digits and letters, and long. */
const randomText = /^(?=.*\d)(?=.*[a-z])[\w-]{16,}$/i;

const idName = /(?:^|[a-z_-])(?:id|uuid|etag|nonce|token)$|^(?:id|uuid|etag|nonce)$/i;
const timeName =
  /(?:^|[a-z_-])(?:at|on|time|date|timestamp|expires|updated|created|modified)$|time|date|stamp/i;
const cursorName = /cursor$/i;
/** What the server makes up to recognize a task or a round by. */
const tokenName = /^(?:taskId|requestState)$/;

/**
 * Why two different strings or numbers at a path count as noise; null if they do not.
 *
 * @param one JSON text of a value that is neither an object nor an array
 */
export function noiseOf(path: readonly PathStep[], one: string, other: string): NoiseKind | null {
  const name = path.findLast((step) => typeof step === 'string') ?? '';
  if (isNumberPlaceholder(one) && isNumberPlaceholder(other)) return 'secret';
  const [left, right]: unknown[] = [JSON.parse(one), JSON.parse(other)];
  if (typeof left === 'string' && typeof right === 'string') {
    if (cursorName.test(name)) return 'cursor';
    if (tokenName.test(name)) return 'id';
    if (left.replaceAll(secretPlaceholder, '') === right.replaceAll(secretPlaceholder, '')) return 'secret';
    if (left.replaceAll(dateTime, '') === right.replaceAll(dateTime, '')) return 'time';
    if (withoutIds(left) === withoutIds(right)) return 'id';
    if (withoutIds(left.replaceAll(dateTime, '')) === withoutIds(right.replaceAll(dateTime, '')))
      return 'time';
    if (idName.test(name) && randomText.test(left) && randomText.test(right)) return 'id';
  }
  if (typeof left === 'number' && typeof right === 'number' && timeName.test(name)) {
    if (isEpoch(left) && isEpoch(right)) return 'time';
  }
  if (path.includes('_meta') && typeof left === typeof right) return 'meta';
  return null;
}

/**
 * Whether a member of a result, which one side lacks, is one that only the modern era has (MCP 2026-07-28): the type of a
 * complete result, how long to cache it, and what the server says about itself.
 *
 * @param value JSON text
 */
export function isOfModernEra(name: PathStep | undefined, value: string): boolean {
  if (name === 'resultType') return value === '"complete"';
  if (name === 'ttlMs' || name === 'cacheScope') return true;
  return name === '_meta' && [...memberTexts(value).keys()].every((key) => key.startsWith(OWN_META));
}

const OWN_META = 'io.modelcontextprotocol/';

const withoutIds = (text: string): string => text.replaceAll(uuid, '');

/** Seconds or milliseconds since the Unix epoch, from 2001 to 2100. */
const isEpoch = (value: number): boolean =>
  (value > 1e9 && value < 4.2e9) || (value > 1e12 && value < 4.2e12);
