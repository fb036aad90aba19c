/**
 * The tokens of a JSON text (RFC 8259). Everything that scans JSON text is built on this file, except for two scanners
 * in main whose text comes in pieces that may end inside a token: `trace/units/streaming-json.ts`, which parses them,
 * and `trace/recorder/json-ranges.ts`, which finds what may be replaced in them.
 */

/** A token: a bracket, comma or colon, a string with its quotes, or a word (a number, `true`, `false` or `null`). */
export interface Token {
  readonly kind: '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'word';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const PUNCTUATION = new Map(
  (['{', '}', '[', ']', ',', ':'] as const).map((kind) => [kind.charCodeAt(0), kind]),
);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Yields the tokens of a text. Never fails: an unclosed string ends with the text, and other text becomes words. */
export function* tokensOf(text: string): Generator<Token> {
  for (let start = skipSpace(text, 0); start < text.length; ) {
    const code = text.charCodeAt(start);
    const kind = PUNCTUATION.get(code) ?? (code === QUOTE ? 'string' : 'word');
    const end =
      kind === 'string'
        ? (endOfString(text, start + 1) ?? text.length)
        : kind === 'word'
          ? Math.max(endOfWord(text, start), start + 1)
          : start + 1;
    yield { kind, start, end };
    start = skipSpace(text, end);
  }
}

/** The first position from here on that is not whitespace; a byte order mark counts as whitespace. */
export function skipSpace(text: string, from: number): number {
  let offset = from;
  while (isSpace(text.charCodeAt(offset))) offset++;
  return offset;
}

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff;

/**
 * The position after the closing quote of a string, without checking its content; null if it is not closed.
 *
 * @param from a position in the string that is not inside an escape, such as the one after the opening quote
 */
export function endOfString(text: string, from: number): number | null {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return null;
}

/** The position after a number, `true`, `false` or `null`; the same position if there is no word. */
export function endOfWord(text: string, from: number): number {
  WORD.lastIndex = from;
  WORD.exec(text);
  return WORD.lastIndex;
}

const WORD = /[^\s,:[\]{}"]*/y;

/**
 * Walks the JSON value at a position without parsing it, so that a text of many megabytes takes little time.
 *
 * @returns where the value ends, null if the text ends first; and how many levels deep it is nested
 */
export function walkValue(text: string, from: number): { end: number | null; depth: number } {
  let level = 0;
  let depth = 0;
  for (let offset = from; offset < text.length; offset++) {
    switch (text.charCodeAt(offset)) {
      case QUOTE: {
        const end = endOfString(text, offset + 1);
        if (end === null) return { end: null, depth };
        if (level === 0) return { end, depth };
        offset = end - 1;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth = Math.max(depth, ++level);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (--level <= 0) return { end: offset + 1, depth };
        break;
      default:
        if (level === 0) return { end: endOfWord(text, offset), depth };
    }
  }
  return { end: null, depth };
}

/** Whether a JSON value has more than this many nesting levels. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Each level takes an opening bracket, and a few of those are found quickly.
  let opened = 0;
  for (const bracket of '[{') {
    for (let offset = text.indexOf(bracket); offset !== -1; offset = text.indexOf(bracket, offset + 1)) {
      if (++opened > levels) return walkValue(text, skipSpace(text, 0)).depth > levels;
    }
  }
  return false;
}

/** Characters of a truncated number or word that are checked. */
export const MAX_CUT_WORD_LENGTH = 400;

/** Whether a text may be a truncated number or literal. */
export const isCutWord = (text: string): boolean =>
  /^[-+.\deE]+$/.test(text) || ['true', 'false', 'null'].some((word) => word.startsWith(text));

/** Finds the end of the string that starts at this quote, and checks its content (RFC 8259 section 7). */
export function scanString(raw: string, quote: number): { end: number; isWhole: boolean; isPlain: boolean } {
  let isPlain = true;
  for (let at = quote + 1; at < raw.length; at++) {
    const char = raw.charCodeAt(at);
    if (char === 0x22) return { end: at + 1, isWhole: true, isPlain };
    if (char < 0x20) return { end: at, isWhole: false, isPlain };
    if (char > 0x7e) isPlain = false;
    if (char !== 0x5c) continue;
    const escaped = raw.charCodeAt(++at);
    if (escaped === 0x75) {
      for (let digit = 1; digit <= 4; digit++) {
        if (at + digit >= raw.length) return { end: raw.length, isWhole: false, isPlain };
        if (!isHexDigit(raw.charCodeAt(at + digit))) return { end: at, isWhole: false, isPlain };
      }
      at += 4;
    } else if (at < raw.length && !'"\\/bfnrt'.includes(raw.charAt(at))) {
      return { end: at, isWhole: false, isPlain };
    }
  }
  return { end: raw.length, isWhole: false, isPlain };
}

const isHexDigit = (char: number): boolean =>
  (char >= 0x30 && char <= 0x39) || (char >= 0x41 && char <= 0x46) || (char >= 0x61 && char <= 0x66);

/** Whether a text is JSON as a whole; a byte order mark before it does not matter. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}

/** An object or array whose end has not been reached. */
interface Frame {
  readonly isObject: boolean;
  readonly members: { readonly key: string; readonly text: string }[];
  /** The key whose value comes next. */
  key: string | null;
}

/** Levels of nesting whose members are sorted, and which are indented: each level copies what is inside it, or indents it. */
const DEEPEST = 200;

/**
 * Removes whitespace between the tokens of JSON, and keeps each token as it is: numbers, escapes, duplicate keys. With
 * `sortsKeys`, sorts the members of objects by key, unless it is nested very deeply. Null if the text is not JSON.
 */
export function compactJson(raw: string, { sortsKeys = false } = {}): string | null {
  if (!isJson(raw)) return null;
  if (!sortsKeys || isNestedDeeper(raw, DEEPEST))
    return Array.from(tokensOf(raw), ({ start, end }) => raw.slice(start, end)).join('');
  const frames: Frame[] = [];
  let whole = '';
  const add = (text: string) => {
    const top = frames.at(-1);
    if (top === undefined) {
      whole = text;
      return;
    }
    top.members.push({ key: top.key ?? '', text });
    top.key = null;
  };
  for (const { kind, start, end } of tokensOf(raw)) {
    const top = frames.at(-1);
    if (kind === ',' || kind === ':') continue;
    if (kind === '{' || kind === '[') frames.push({ isObject: kind === '{', members: [], key: null });
    else if (kind === '}' || kind === ']') {
      const frame = frames.pop();
      if (frame) add(textOf(frame));
    } else if (kind === 'string' && top?.isObject === true && top.key === null) {
      top.key = raw.slice(start, end);
    } else add(raw.slice(start, end));
  }
  return whole;
}

/**
 * JSON with a line for each member and element, each token as it is; null if the text is not JSON, or nested so deeply that it
 * would be mostly spaces. `prettyJson` of the page does the same with colors, and for truncated texts.
 */
export function indentedJson(raw: string): string | null {
  if (!isJson(raw) || isNestedDeeper(raw, DEEPEST)) return null;
  let text = '';
  let depth = 0;
  let last: Token['kind'] = '{';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const { kind, start, end } of tokensOf(raw)) {
    const written = raw.slice(start, end);
    if (kind === '}' || kind === ']') depth--;
    const isFirst = (last === '{' || last === '[') && text !== '';
    if (kind === '}' || kind === ']') text += last === '{' || last === '[' ? '' : line();
    else if (last === ',' || (isFirst && kind !== ',')) text += line();
    text += kind === ':' ? ': ' : written;
    if (kind === '{' || kind === '[') depth++;
    last = kind;
  }
  return text;
}

/** The value of a string token. A string that is cut off or not valid only loses its quotes; any other token stays as it is. */
export function unquoted(written: string): string {
  if (!written.startsWith('"')) return written;
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1).replace(/"$/, '');
  }
}

/** JSON without line breaks: they are whitespace between tokens, and JSON does not allow them inside a string. */
export const onOneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');

function textOf({ isObject, members }: Frame): string {
  if (!isObject) return `[${members.map(({ text }) => text).join(',')}]`;
  // The sort is stable, so duplicate keys keep their order.
  const ordered = members.toSorted((a, b) => compare(unquoted(a.key), unquoted(b.key)));
  return `{${ordered.map(({ key, text }) => `${key}:${text}`).join(',')}}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
