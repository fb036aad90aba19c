import { type Envelope, idText } from '#shared/protocol/jsonrpc.ts';
import { MOST_IN_BATCH } from '#shared/trace/row.ts';

/**
 * Finds values in JSON by their place in the text and gives them back as they were written, because parsing
 * loses integers beyond 2^53, duplicate keys and key order. The text must be valid JSON.
 */

/** The text of the member at `path`, such as `['result', 'tools']`; null when it is not there. */
export function memberText(text: string, path: readonly string[]): string | null {
  let found: string | null = text;
  for (const key of path) {
    if (found === null) return null;
    // The last of duplicate keys counts, as JSON.parse has it.
    let value: string | null = null;
    for (const child of children(found)) if (child.key === key) value = child.text;
    found = value;
  }
  return found;
}

/**
 * The texts of all members of an object by their keys, in one pass; empty when the text is no object. For more than one
 * of them, because a server may send any number and each search walks the whole text.
 */
export function memberTexts(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  // The last of duplicate keys counts here, too.
  for (const { key, text: value } of children(text)) if (key !== null) texts.set(key, value);
  return texts;
}

/**
 * The texts of the elements of an array; empty when the text is no array.
 *
 * @param most of a long array no more than so many are given
 */
export function elementTexts(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const texts: string[] = [];
  for (const element of eachElement(text)) {
    if (texts.length >= most) break;
    texts.push(element);
  }
  return texts;
}

/** The same one after the other, for arrays of millions. */
export function* eachElement(text: string): Generator<string> {
  if (text.charAt(skipSpace(text, 0)) !== '[') return;
  for (const child of children(text)) yield child.text;
}

/** The text of one message of a unit: of a batch the element at that position, else the unit itself. */
export const messageTextIn = (unit: string, position: number): string =>
  elementTexts(unit, position + 1)[position] ?? unit;

/** The messages of the batches that are held at the moment: cut once, not once for each message. */
const batches = new WeakMap<Buffer, readonly string[]>();

/** A message and the unit it came in. */
interface CarriedMessage {
  readonly bytes: Buffer;
  readonly position: number;
  /** Needed of what is known in part. */
  readonly envelope?: Envelope;
  readonly isTruncated?: true;
}

/** The text of one message, as it was written; of one that is known in part, as much as is known. */
export function messageTextOf({ bytes, position, envelope, isTruncated }: CarriedMessage): string {
  if (isTruncated && envelope !== undefined) return knownText(envelope);
  const known = batches.get(bytes);
  const text = known === undefined ? bytes.toString('utf8') : '';
  const elements = known ?? elementTexts(text, MOST_IN_BATCH);
  if (known === undefined && elements.length > 1) batches.set(bytes, elements);
  return elements[position] ?? text;
}

function knownText(envelope: Envelope): string {
  if ('fault' in envelope) return '';
  const { type: _, ...members } = envelope.message;
  const texts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${JSON.stringify(key)}:${typeof value === 'bigint' ? idText(value) : JSON.stringify(value)}`,
    );
  return `{"jsonrpc":"2.0",${texts.join(',')}}`;
}

interface Child {
  /** Null in an array. */
  readonly key: string | null;
  readonly text: string;
}

/** The direct children of the object or array that the text is, as far as they are whole. */
function* children(text: string): Generator<Child> {
  const start = skipSpace(text, 0);
  const isObject = text.charAt(start) === '{';
  if (!isObject && text.charAt(start) !== '[') return;
  for (let place = skipSpace(text, start + 1); !'}]'.includes(text.charAt(place)); ) {
    let key: string | null = null;
    if (isObject) {
      const end = endOfString(text, place);
      if (end === null || text.charAt(place) !== '"') return;
      key = String(JSON.parse(text.slice(place, end)));
      place = skipSpace(text, skipSpace(text, end) + 1);
    }
    const { end } = walkValue(text, place);
    if (end === null || end === place) return;
    yield { key, text: text.slice(place, end) };
    place = skipSpace(text, end);
    if (text.charAt(place) === ',') place = skipSpace(text, place + 1);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Walks the JSON value at a place without parsing it, so that a text of many megabytes takes little time.
 *
 * @returns where the value ends, null when the text ends first; and how many levels deep it is nested
 */
export function walkValue(text: string, from: number): { end: number | null; depth: number } {
  let level = 0;
  let depth = 0;
  for (let place = from; place < text.length; place++) {
    switch (text.charCodeAt(place)) {
      case QUOTE: {
        const end = endOfString(text, place);
        if (end === null) return { end: null, depth };
        if (level === 0) return { end, depth };
        place = end - 1;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth = Math.max(depth, ++level);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (--level <= 0) return { end: place + 1, depth };
        break;
      default:
        if (level === 0) return { end: endOfWord(text, place), depth };
    }
  }
  return { end: null, depth };
}

/** Whether the JSON value that a text stands for is nested deeper than so many levels. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Every level takes a bracket to open it, and these are found quickly where there are few.
  let opened = 0;
  for (const bracket of '[{') {
    for (let place = text.indexOf(bracket); place !== -1; place = text.indexOf(bracket, place + 1)) {
      if (++opened > levels) return walkValue(text, skipSpace(text, 0)).depth > levels;
    }
  }
  return false;
}

/** Where the string ends that begins at this quote; null when it never does. */
export function endOfString(text: string, quote: number): number | null {
  const next = text.indexOf('"', quote + 1);
  if (next === -1) return null;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next + 1;
  for (let place = quote + 1; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === BACKSLASH) place++;
    else if (code === QUOTE) return place + 1;
  }
  return null;
}

/** The first place from here on that is no white space; a byte order mark counts as white space. */
export function skipSpace(text: string, from: number): number {
  let place = from;
  while (' \t\r\n\ufeff'.includes(text.charAt(place)) && place < text.length) place++;
  return place;
}

/** Where a number, `true`, `false` or `null` ends. */
function endOfWord(text: string, from: number): number {
  const word = /[^\s,:[\]{}"]*/y;
  word.lastIndex = from;
  word.exec(text);
  return word.lastIndex;
}
