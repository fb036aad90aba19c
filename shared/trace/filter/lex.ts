/** A range in the text of a filter, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A value as written: quoted pieces, in which every character is literal, and others. */
export interface RawValue extends TextRange {
  readonly parts: readonly { readonly text: string; readonly isQuoted: boolean }[];
}

export interface WordToken extends TextRange {
  readonly type: 'word';
  /** The text before the colon; null without a colon. */
  readonly field: (TextRange & { readonly name: string }) | null;
  /** The comma-separated values; a word without a field is one value, including its commas. */
  readonly values: readonly RawValue[];
  /** The position of an unclosed quote. */
  readonly openQuote: number | null;
}

export type Token = WordToken | (TextRange & { readonly type: 'open' | 'close' | 'not' | 'and' | 'or' });

const SPACE = /\s/;
const FIELD = /^[a-z]+:(?!\/\/)/i;
/** A longer word before a colon is not a field. */
const MAX_FIELD = 24;

/** Splits the text of a filter into tokens. Accepts any text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let from = 0;
  while (from < text.length) {
    const character = text.charAt(from);
    if (SPACE.test(character)) {
      from++;
      continue;
    }
    const sign = signs.get(character);
    const token = sign === undefined ? wordAt(text, from) : { type: sign, from, to: from + 1 };
    tokens.push(token);
    from = token.to;
  }
  return tokens;
}

const signs: ReadonlyMap<string, 'open' | 'close' | 'not'> = new Map([
  ['(', 'open'],
  [')', 'close'],
  ['-', 'not'],
  ['!', 'not'],
]);

function wordAt(text: string, from: number): Token {
  const [named] = FIELD.exec(text.slice(from, from + MAX_FIELD)) ?? [];
  const nameEnd = named === undefined ? from : from + named.length - 1;
  const values: RawValue[] = [];
  let openQuote: number | null = null;
  let at = named === undefined ? from : nameEnd + 1;
  for (;;) {
    const read = valueAt(text, at, named !== undefined);
    values.push(read.value);
    openQuote ??= read.openQuote;
    at = read.value.to;
    if (named === undefined || text.charAt(at) !== ',') break;
    at++;
  }
  const operator = named === undefined ? operators.get(text.slice(from, at)) : undefined;
  if (operator !== undefined) return { type: operator, from, to: at };
  const field = named === undefined ? null : { name: named.slice(0, -1), from, to: nameEnd };
  return { type: 'word', from, to: at, field, values, openQuote };
}

/** Words that join or negate terms, in lower or upper case; to search for one, put it in quotes. */
const operators: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['and', 'and'],
  ['AND', 'and'],
  ['or', 'or'],
  ['OR', 'or'],
  ['not', 'not'],
  ['NOT', 'not'],
]);

/** Whether an unquoted word would be read as an operator, or start with one. */
export const isOperator = (word: string): boolean => operators.has(word) || signs.has(word.charAt(0));

/**
 * Reads up to a space, a parenthesis or, in a list, a comma. In a word without a field that does not begin with a
 * quote, quotes are ordinary characters, because users search for copied pieces of JSON.
 */
function valueAt(
  text: string,
  from: number,
  isListed: boolean,
): { value: RawValue; openQuote: number | null } {
  const exactly = (to: number, written: string) => ({
    value: { from, to, parts: [{ text: written, isQuoted: true }] },
    openQuote: null,
  });
  const json = jsonEnd(text, from, isListed);
  if (json !== null) return exactly(json, text.slice(from, json));
  const wrapped = wrappedJsonEnd(text, from, isListed);
  if (wrapped !== null) return exactly(wrapped, text.slice(from + 1, wrapped - 1));
  const parts: { text: string; isQuoted: boolean }[] = [];
  let openQuote: number | null = null;
  const quotes = isListed || text.charAt(from) === '"';
  let at = from;
  while (at < text.length) {
    if (quotes && text.charAt(at) === '"') {
      const quote = quoteAt(text, at);
      if (!quote.isClosed) openQuote ??= at;
      parts.push({ text: quote.text, isQuoted: true });
      at = quote.to;
      continue;
    }
    const start = at;
    while (at < text.length && !isEnd(text.charAt(at), { isListed, quotes })) at++;
    if (at === start) break;
    parts.push({ text: text.slice(start, at), isQuoted: false });
  }
  return { value: { from, to: at, parts }, openQuote };
}

const isEnd = (
  character: string,
  { isListed, quotes }: { readonly isListed: boolean; readonly quotes: boolean },
): boolean =>
  (quotes && character === '"') ||
  character === '(' ||
  character === ')' ||
  (isListed && character === ',') ||
  SPACE.test(character);

/** How a piece of JSON with strings in it begins: `{"`, `["`, `[{"`. */
const JSON_START = /[[{]+"/y;

/**
 * The end of a piece of JSON copied as it is, such as `{"id":7,"name":"a b"` or `"level":"error"`; null if none starts
 * here. Its quotes are part of the text, and spaces, commas and parentheses inside its strings end nothing.
 */
function jsonEnd(text: string, from: number, isListed: boolean): number | null {
  JSON_START.lastIndex = from;
  if (!JSON_START.test(text)) {
    if (text.charAt(from) !== '"') return null;
    const { to, isClosed } = quoteAt(text, from);
    // In a list of values, a comma after a string separates it from the next value.
    if (!isClosed || !(isListed ? ':}]' : ':,}]').includes(text.charAt(to) || ' ')) return null;
  }
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      const quote = quoteAt(text, at);
      at = quote.isClosed ? quote.to : at + 1;
      continue;
    }
    if (isEnd(character, { isListed: isListed && depth <= 0, quotes: false })) break;
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    at++;
  }
  return at;
}

/**
 * The end of a piece of JSON that was quoted without escaping its own quotes, such as `"{"id":7}"`; null if none
 * starts here.
 */
function wrappedJsonEnd(text: string, from: number, isListed: boolean): number | null {
  JSON_START.lastIndex = from + 1;
  if (text.charAt(from) !== '"' || !JSON_START.test(text)) return null;
  const isBorder = (at: number) => at >= text.length || isEnd(text.charAt(at), { isListed, quotes: false });
  // A quote before a space or a parenthesis closes an ordinary quoted text.
  if (isBorder(quoteAt(text, from).to)) return null;
  let depth = 0;
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const quote = quoteAt(text, at);
      if (!quote.isClosed) return null;
      at = quote.to - 1;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    if (depth === 0) return text.charAt(at + 1) === '"' && isBorder(at + 2) ? at + 2 : null;
  }
  return null;
}

/** A backslash escapes a quote or a backslash; before other characters it is literal. */
function quoteAt(text: string, from: number): { text: string; to: number; isClosed: boolean } {
  let read = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') return { text: read, to: at + 1, isClosed: true };
    const next = text.charAt(at + 1);
    if (character === '\\' && (next === '"' || next === '\\')) {
      read += next;
      at++;
    } else {
      read += character;
    }
  }
  return { text: read, to: text.length, isClosed: false };
}
