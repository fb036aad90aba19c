/** Where something stands in the text of a filter, in UTF-16 units. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** A value as it is written: pieces in quotes, where every character stands for itself, and others. */
export interface RawValue extends Place {
  readonly parts: readonly { readonly text: string; readonly isQuoted: boolean }[];
}

export interface WordToken extends Place {
  readonly type: 'word';
  /** What stands before the colon; null when there is none. */
  readonly field: (Place & { readonly name: string }) | null;
  /** What commas separate; a word without a field is one value, commas and all. */
  readonly values: readonly RawValue[];
  /** Where a quote begins that is never closed. */
  readonly openQuote: number | null;
}

export type Token = WordToken | (Place & { readonly type: 'open' | 'close' | 'not' | 'or' });

const SPACE = /\s/;
const FIELD = /^[a-z]+:(?!\/\/)/i;
/** A longer word before a colon is no field. */
const LONGEST_FIELD = 24;

/** Cuts the text of a filter into what it consists of. Takes any text. */
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
]);

function wordAt(text: string, from: number): Token {
  const [named] = FIELD.exec(text.slice(from, from + LONGEST_FIELD)) ?? [];
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
  if (named === undefined && isOr(text.slice(from, at))) return { type: 'or', from, to: at };
  const field = named === undefined ? null : { name: named.slice(0, -1), from, to: nameEnd };
  return { type: 'word', from, to: at, field, values, openQuote };
}

export const isOr = (word: string): boolean => word === 'or' || word === 'OR';

/**
 * Reads up to a space, a parenthesis or, in a list, a comma. In a word of no field that does not begin with a quote,
 * quotes are characters like others: people look for pieces of JSON as they copied them.
 */
function valueAt(
  text: string,
  from: number,
  isListed: boolean,
): { value: RawValue; openQuote: number | null } {
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

/** A backslash stands before a quote or a backslash that is meant as such; before all else it means itself. */
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
