import { endOfString, skipSpace, walkValue } from './tokens.ts';

/**
 * Cuts values out of JSON text as they were written, because parsing loses integers beyond 2^53, duplicate keys and
 * key order. The text must be valid JSON; in a truncated text, complete values are found.
 */

/** The text of the member at a path such as `['result', 'tools']`; null if it does not exist. */
export function memberText(text: string, path: readonly string[]): string | null {
  let found: string | null = text;
  for (const key of path) {
    if (found === null) return null;
    const member = findMember(found, key);
    found = member && found.slice(member.start, member.end);
  }
  return found;
}

/** Where in an object's text the value of a member is; null if it does not exist. */
export function findMember(text: string, key: string): { start: number; end: number } | null {
  let found: Child | null = null;
  // The last of duplicate keys wins, as in JSON.parse.
  for (const child of children(text)) if (child.key === key) found = child;
  return found;
}

/**
 * The texts of all members of an object by key, in one pass; empty if the text is not an object. Use it for several
 * members: a server may send any number, and each search walks the whole text.
 */
export function memberTexts(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key, start, end } of children(text)) if (key !== null) texts.set(key, text.slice(start, end));
  return texts;
}

/** The same for the start of a longer text: of the last member, the part of its value that the text has. */
export function memberStarts(text: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key, start, end } of children(text, true))
    if (key !== null) texts.set(key, text.slice(start, end));
  return texts;
}

/** An object's text without one of its members; the same text if it has no such member. */
export function withoutMember(text: string, key: string): string {
  const members = memberTexts(text);
  if (!members.delete(key)) return text;
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** A text in which the value at a path is replaced; the same text if it has no such value. */
export function withValueAt(text: string, path: readonly string[], value: string): string {
  let start = 0;
  let end = text.length;
  for (const key of path) {
    const member = findMember(text.slice(start, end), key);
    if (member === null) return text;
    [start, end] = [start + member.start, start + member.end];
  }
  return text.slice(0, start) + value + text.slice(end);
}

/**
 * The texts of the elements of an array; empty if the text is not an array.
 *
 * @param max the number of elements to return at most
 */
export function elementTexts(text: string, max = Number.POSITIVE_INFINITY): string[] {
  const texts: string[] = [];
  for (const element of eachElement(text)) {
    if (texts.length >= max) break;
    texts.push(element);
  }
  return texts;
}

/** Yields the texts of the elements of an array one by one, for arrays of millions. */
export function* eachElement(text: string): Generator<string> {
  if (text.charAt(skipSpace(text, 0)) !== '[') return;
  for (const { start, end } of children(text)) yield text.slice(start, end);
}

/** A value in an object or array. */
interface Child {
  /** Null in an array. */
  readonly key: string | null;
  readonly start: number;
  readonly end: number;
}

/** The direct children of an object or array: the complete ones, and with `takesCut` the last one without its end, too. */
function* children(text: string, takesCut = false): Generator<Child> {
  const bracket = skipSpace(text, 0);
  const isObject = text.charAt(bracket) === '{';
  if (!isObject && text.charAt(bracket) !== '[') return;
  for (let offset = skipSpace(text, bracket + 1); !isEnd(text, offset); ) {
    let key: string | null = null;
    if (isObject) {
      if (text.charAt(offset) !== '"') return;
      const endOfKey = endOfString(text, offset + 1);
      if (endOfKey === null) return;
      key = unescaped(text.slice(offset, endOfKey));
      offset = skipSpace(text, skipSpace(text, endOfKey) + 1);
    }
    const end = walkValue(text, offset).end ?? (takesCut ? text.length : null);
    if (end === null || end <= offset) return;
    yield { key, start: offset, end };
    offset = skipSpace(text, end);
    if (text.charAt(offset) === ',') offset = skipSpace(text, offset + 1);
  }
}

/** Whether an object or array, or the text, ends here. */
function isEnd(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === 0x7d || code === 0x5d || offset >= text.length;
}

/** The characters of a string in quotes. */
const unescaped = (quoted: string): string =>
  quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
