import { createScanner } from 'jsonc-parser';
import { prettyJson } from '#ui/pretty-json.ts';

// jsonc-parser's `SyntaxKind` is a const enum, which a module compiled by itself cannot read.
const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  string: 10,
  end: 17,
};

interface Frame {
  readonly isObject: boolean;
  readonly members: { readonly key: string; readonly text: string }[];
  /** The key whose value comes next. */
  key: string | null;
}

/**
 * JSON without the space between its tokens, each of which stays as it was written: numbers, escapes, duplicate keys.
 * With `sortsKeys` the members of objects are in the order of their keys. Null when the text is no JSON.
 */
export function compactJson(raw: string, { sortsKeys = false } = {}): string | null {
  if (prettyJson(raw) === null) return null;
  const scanner = createScanner(raw, true);
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
  for (;;) {
    const kind: number = scanner.scan();
    if (kind === token.end) return whole;
    if (kind === token.comma || kind === token.colon) continue;
    const source = raw.slice(scanner.getTokenOffset(), scanner.getPosition());
    const top = frames.at(-1);
    if (kind === token.openBrace || kind === token.openBracket) {
      frames.push({ isObject: kind === token.openBrace, members: [], key: null });
    } else if (kind === token.closeBrace || kind === token.closeBracket) {
      const frame = frames.pop();
      if (frame) add(textOf(frame, sortsKeys));
    } else if (kind === token.string && top?.isObject === true && top.key === null) {
      top.key = source;
    } else {
      add(source);
    }
  }
}

function textOf({ isObject, members }: Frame, sortsKeys: boolean): string {
  if (!isObject) return `[${members.map(({ text }) => text).join(',')}]`;
  // Sorting is stable, so that keys that are there twice keep their order.
  const ordered = sortsKeys ? members.toSorted((a, b) => compare(nameOf(a.key), nameOf(b.key))) : members;
  return `{${ordered.map(({ key, text }) => `${key}:${text}`).join(',')}}`;
}

/** A key as it is meant, whatever escapes it is written with. */
function nameOf(key: string): string {
  const name: unknown = JSON.parse(key);
  return typeof name === 'string' ? name : key;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
