import type { NoiseKind } from '#shared/contract/comparison.ts';
import { memberTexts } from '#shared/json/members.ts';
import type { PathStep } from '#shared/json/path-pattern.ts';
import {
  areStamps,
  isNear,
  type Moments,
  type Stamp,
  stampOfNumber,
  stampsIn,
  unknownMoments,
} from './stamps.ts';

/** What differs between two runs of the same call without meaning anything. Found by form, and listed, never silent. */

const uuid = /(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/gi;
/** What the recorder and exports write in place of a secret; its hash is another at each start of the app. */
export const secretPlaceholder =
  /\[secret [^\]]{1,200}, \d{1,12} characters, [0-9a-f]{8}\]|(?<![\w.+-])0e-\d{1,10}(?![\w.+-])/g;
/** What they write in place of a number. */
export const isNumberPlaceholder = (json: string): boolean => /^0e-\d{1,10}$/.test(json);

/** A name of which a whole word says that its value is an id: `id`, `requestId`, `request_id`, `requestid`, `traceID`, `ulid`. */
const idName =
  /^(?:(?:request|response|session|trace|span|correlation|message|job|task|run|event|transaction)?id|[ug]uid|ulid|nanoid|etag|nonce|token)$|[_.\- ](?:id|[ug]uid|ulid|etag|nonce|token)$/i;
const idWord = /[a-z\d](?:I[dD]|[UG](?:uid|UID)|U(?:lid|LID)|E(?:tag|Tag)|Nonce|Token)$/;
const cursorName = /^cursor$|[_.\- ]cursor$/i;
const cursorWord = /[a-z\d]Cursor$/;
/** What the server makes up to recognize a task or a round by. */
const tokenName = /^(?:taskId|requestState)$/;

/** What is inside of these members is the server's own data, whatever it is called. */
const dataMembers: ReadonlySet<PathStep> = new Set([
  'structuredContent',
  'arguments',
  'text',
  'inputSchema',
  'outputSchema',
]);

/**
 * Why two different strings or numbers at a path count as noise; null if they do not.
 *
 * @param one JSON text of a value that is neither an object nor an array
 * @param moments when the two were received; a time is noise only by them
 */
export function noiseOf(
  path: readonly PathStep[],
  one: string,
  other: string,
  moments: Moments = unknownMoments,
): NoiseKind | null {
  const name = path.findLast((step) => typeof step === 'string') ?? '';
  if (isNumberPlaceholder(one) && isNumberPlaceholder(other)) return 'secret';
  const [left, right]: unknown[] = [JSON.parse(one), JSON.parse(other)];
  // Members that the protocol defines are not found in what servers and users write.
  const isOfProtocol = !path.slice(0, -1).some((step) => dataMembers.has(step));
  if (typeof left === 'string' && typeof right === 'string') {
    if (isOfProtocol && /^(?:nextC|c)ursor$/.test(name)) return 'cursor';
    if (isOfProtocol && tokenName.test(name)) return 'id';
    const noise = noiseInTexts(left, right, moments);
    if (noise !== null) return noise;
    if ((idName.test(name) || idWord.test(name)) && areRandom(left, right)) return 'id';
    if ((cursorName.test(name) || cursorWord.test(name)) && isOpaque(left) && isOpaque(right))
      return 'cursor';
  }
  if (typeof left === 'number' && typeof right === 'number') {
    const [was, is] = [stampOfNumber(left), stampOfNumber(right)];
    if (was !== null && is !== null && areStamps(was, is, moments)) return 'time';
  }
  if (isOfProtocol && path.includes('_meta') && typeof left === typeof right) return 'meta';
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

/** A part of a text that may differ: a time, a UUID, or what was written in place of a secret. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Null if it is not a time. */
  readonly stamp: Stamp | null;
  readonly kind: 'time' | 'id' | 'secret';
}

/** The kind of noise that two texts differ by, if all else in them is equal. */
function noiseInTexts(left: string, right: string, moments: Moments): NoiseKind | null {
  const [old, now] = [partsIn(left), partsIn(right)];
  if (old.length !== now.length) return null;
  const kinds = new Set<NoiseKind>();
  let [from, nowFrom] = [0, 0];
  for (const [index, was] of old.entries()) {
    const is = now[index];
    if (is === undefined || was.kind !== is.kind) return null;
    if (left.slice(from, was.start) !== right.slice(nowFrom, is.start)) return null;
    if (was.text !== is.text) {
      if (!isNoise(was, is, moments)) return null;
      kinds.add(was.kind);
    }
    [from, nowFrom] = [was.end, is.end];
  }
  if (left.slice(from) !== right.slice(nowFrom)) return null;
  return (['time', 'id', 'secret'] as const).find((kind) => kinds.has(kind)) ?? null;
}

function partsIn(text: string): Part[] {
  const parts: Part[] = [];
  for (const [kind, pattern] of [
    ['secret', secretPlaceholder],
    ['id', uuid],
  ] as const) {
    for (const match of text.matchAll(pattern))
      parts.push({
        start: match.index,
        end: match.index + match[0].length,
        text: match[0],
        stamp: null,
        kind,
      });
  }
  for (const stamp of stampsIn(text)) {
    const { start, end } = stamp;
    parts.push({ start, end, text: text.slice(start, end), stamp, kind: 'time' });
  }
  // A UUID may hold digits like those of a time.
  const order = { secret: 0, id: 1, time: 2 };
  parts.sort((a, b) => a.start - b.start || order[a.kind] - order[b.kind]);
  const apart: Part[] = [];
  for (const part of parts) if (part.start >= (apart.at(-1)?.end ?? 0)) apart.push(part);
  return apart;
}

function isNoise(was: Part, is: Part, moments: Moments): boolean {
  if (was.kind === 'secret') return true;
  if (was.kind === 'id') return areRandomUuids(was.text, is.text, moments);
  return was.stamp !== null && is.stamp !== null && areStamps(was.stamp, is.stamp, moments);
}

/**
 * Whether two UUIDs are made up at random, or of the moments at which they were received (RFC 9562). The others are made of a name, or
 * are constants: another one means something else.
 */
function areRandomUuids(left: string, right: string, { recorded, other }: Moments): boolean {
  const [version, variant] = [left.charAt(14), left.charAt(19).toLowerCase()];
  if (version !== right.charAt(14) || !'89ab'.includes(variant)) return false;
  if (version === '4') return true;
  const [was, is] = [timeOfUuid(left), timeOfUuid(right)];
  if (was === null || is === null || (recorded === null && other === null)) return false;
  return (recorded === null || isNear(was, recorded)) && (other === null || isNear(is, other));
}

/** Milliseconds from the start of the Gregorian calendar to the Unix epoch. */
const GREGORIAN = 12_219_292_800_000;

/** The time in a UUID of version 1, 6 or 7, in milliseconds since the Unix epoch; null for any other. */
function timeOfUuid(text: string): number | null {
  const [first = '', second = '', third = ''] = text.split('-');
  const ticks = (hex: string): number => Number.parseInt(hex, 16) / 10_000 - GREGORIAN;
  switch (third.charAt(0)) {
    case '1':
      return ticks(third.slice(1) + second + first);
    case '6':
      return ticks(first + second + third.slice(1));
    case '7':
      return Number.parseInt(first + second, 16);
    default:
      return null;
  }
}

/** Fewest characters of a random id, and of those in which two must differ: otherwise it may be a counter, or a number after a name. */
const MIN_ID = 16;
const MIN_DIFFERENT = 8;

/** Whether two texts are random characters, such as ULIDs, nano ids or hashes: long, without words, and different nearly everywhere. */
function areRandom(left: string, right: string): boolean {
  return isRandom(left) && isRandom(right) && differentCharacters(left, right) >= MIN_DIFFERENT;
}

function isRandom(text: string): boolean {
  // What a UUID says about itself counts more than its name.
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return false;
  if (text.length < MIN_ID || !/^[\w-]*$/.test(text) || !/\d/.test(text) || !/[a-z]/i.test(text))
    return false;
  const characters = text.replaceAll(/[_-]/g, '');
  let changes = 0;
  for (let at = 1; at < characters.length; at++) {
    if (kindOf(characters.charAt(at - 1)) !== kindOf(characters.charAt(at))) changes++;
  }
  return changes >= Math.max(2, characters.length / 10);
}

const kindOf = (character: string): string =>
  /\d/.test(character) ? 'digit' : character === character.toLowerCase() ? 'lower' : 'upper';

/** Characters between what two texts begin and end with in common. */
function differentCharacters(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return shorter - start - end;
}

/** Whether a cursor is no word that a person reads, such as `pointer`. */
const isOpaque = (text: string): boolean =>
  text.length >= 4 && /^[\w+/=.:-]*$/.test(text) && (/\d/.test(text) || /[a-z][A-Z]|=$/.test(text));
