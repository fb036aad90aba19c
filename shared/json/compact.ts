import { isJson, tokensOf } from './tokens.ts';

/** An object or array whose end has not been reached. */
interface Frame {
  readonly isObject: boolean;
  readonly members: { readonly key: string; readonly text: string }[];
  /** The key whose value comes next. */
  key: string | null;
}

/**
 * Removes whitespace between the tokens of JSON, and keeps each token as it is: numbers, escapes, duplicate keys. With
 * `sortsKeys`, sorts the members of objects by key. Null if the text is not JSON.
 */
export function compactJson(raw: string, { sortsKeys = false } = {}): string | null {
  if (!isJson(raw)) return null;
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
      if (frame) add(textOf(frame, sortsKeys));
    } else if (kind === 'string' && top?.isObject === true && top.key === null) {
      top.key = raw.slice(start, end);
    } else add(raw.slice(start, end));
  }
  return whole;
}

/** JSON without line breaks: they are whitespace between tokens, and JSON does not allow them inside a string. */
export const onOneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');

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
