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
 * Removes whitespace between the tokens of JSON, and keeps each token as it is: numbers, escapes, duplicate keys. With
 * `sortsKeys`, sorts the members of objects by key. Null when the text is not JSON.
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
  // The sort is stable, so duplicate keys keep their order.
  const ordered = sortsKeys ? members.toSorted((a, b) => compare(nameOf(a.key), nameOf(b.key))) : members;
  return `{${ordered.map(({ key, text }) => `${key}:${text}`).join(',')}}`;
}

/** The unescaped key. */
function nameOf(key: string): string {
  const name: unknown = JSON.parse(key);
  return typeof name === 'string' ? name : key;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
