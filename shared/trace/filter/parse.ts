import { fieldOf, fields } from './fields.ts';
import { allOf, anyOf, everything, type Filter, term } from './filter.ts';
import { type Token, tokensOf, type WordToken } from './lex.ts';
import { similarWord } from '#shared/similar-word.ts';
import { plainText, type ParseError, type Read, readTerm } from './values.ts';

export type Parsed =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly error: ParseError };

/** Max nesting of parentheses and minus signs; nobody writes deeper filters. */
const DEEPEST = 100;

/** Parses the text of a filter. Accepts any text; an empty one matches everything. */
export function parseFilter(text: string): Parsed {
  const tokens = tokensOf(text);
  if (tokens.length === 0) return { ok: true, filter: everything };
  const read = new Parser(tokens, text.length).whole();
  return read.ok ? { ok: true, filter: read.value } : read;
}

/**
 * Recursive descent: `or` binds less tightly than `and`, which may be omitted, and that less tightly than `not`, `-`
 * and `!`.
 */
class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: number;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], end: number) {
    this.#tokens = tokens;
    this.#end = end;
  }

  whole(): Read<Filter> {
    const read = this.#alternatives();
    const left = this.#peek();
    // At the top level, only an unmatched closing parenthesis ends the filter.
    return read.ok && left !== null ? failed(left, 'This parenthesis closes nothing.') : read;
  }

  #peek(): Token | null {
    return this.#tokens[this.#next] ?? null;
  }

  #alternatives(): Read<Filter> {
    const first = this.#together();
    if (!first.ok) return first;
    const parts: [Filter, ...Filter[]] = [first.value];
    while (this.#peek()?.type === 'or') {
      this.#next++;
      const part = this.#together();
      if (!part.ok) return part;
      parts.push(part.value);
    }
    return { ok: true, value: anyOf(parts) };
  }

  #together(): Read<Filter> {
    const parts: Filter[] = [];
    for (let token = this.#peek(); token !== null; token = this.#peek()) {
      if (token.type === 'or' || token.type === 'close') break;
      if (token.type === 'and') {
        if (parts.length === 0) return this.#nothing();
        this.#next++;
        const following = this.#peek();
        if (following === null || !startsTerm(following)) return missingAfter(token, 'and');
        continue;
      }
      const part = this.#one(token);
      if (!part.ok) return part;
      parts.push(part.value);
    }
    return parts.length === 0 ? this.#nothing() : { ok: true, value: allOf(parts) };
  }

  /** The fault for a token that cannot begin a term. */
  #nothing(): Read<never> {
    const [before, token] = [this.#tokens[this.#next - 1], this.#peek()];
    // After `or`, its own message is more helpful.
    if (before?.type === 'or') return missingAfter(before, 'or');
    if (token?.type === 'or' || token?.type === 'and') {
      return failed(
        token,
        `${token.type} needs something before it. To look for the word, put it in quotes.`,
      );
    }
    if (token?.type === 'close' && before?.type === 'open') {
      return failed({ from: before.from, to: token.to }, 'There is nothing between these parentheses.');
    }
    return failed(
      token ?? { from: this.#end, to: this.#end },
      token === null ? 'Something is missing here.' : 'This parenthesis closes nothing.',
    );
  }

  #one(token: Token): Read<Filter> {
    this.#next++;
    switch (token.type) {
      case 'word':
        return readWord(token);
      case 'not':
        return this.#deeper(token, () => this.#not(token));
      default:
        return this.#deeper(token, () => this.#group(token));
    }
  }

  #deeper(token: Token, parse: () => Read<Filter>): Read<Filter> {
    if (this.#depth === DEEPEST) return failed(token, 'This is nested too deeply.');
    this.#depth++;
    const read = parse();
    this.#depth--;
    return read;
  }

  #not(sign: Token): Read<Filter> {
    const token = this.#peek();
    const isWord = sign.to - sign.from > 1;
    if (token === null || !startsTerm(token) || (!isWord && token.from !== sign.to)) {
      return isWord
        ? missingAfter(sign, 'not')
        : failed(
            sign,
            'Put - or ! directly before the term to leave out. To look for the character, put it in quotes.',
          );
    }
    const part = this.#one(token);
    return part.ok ? { ok: true, value: { type: 'not', part: part.value } } : part;
  }

  #group(open: Token): Read<Filter> {
    if (this.#peek() === null) return failed(open, 'This parenthesis is not closed.');
    const read = this.#alternatives();
    if (!read.ok) return read;
    if (this.#peek()?.type !== 'close') return failed(open, 'This parenthesis is not closed.');
    this.#next++;
    return read;
  }
}

const startsTerm = ({ type }: Token): boolean => type === 'word' || type === 'open' || type === 'not';

const missingAfter = (at: Token, word: string): Read<never> =>
  failed(at, `${word} needs something after it. To look for the word, put it in quotes.`);

function readWord(word: WordToken): Read<Filter> {
  if (word.openQuote !== null) {
    return failed({ from: word.openQuote, to: word.to }, 'This quote is not closed.');
  }
  if (word.field === null) {
    const text = word.values.map(plainText).join(',');
    if (text === '') return failed(word, 'There is nothing between these quotes.');
    return { ok: true, value: term({ field: 'word', text }) };
  }
  const field = fieldOf(word.field.name);
  if (field === undefined) return unknownField(word.field);
  const read = readTerm(field, word.values);
  return read.ok ? { ok: true, value: term(read.value) } : read;
}

function unknownField(field: NonNullable<WordToken['field']>): Read<never> {
  const names = fields.flatMap(({ name, aliases }) => [name, ...aliases]);
  const meant = similarWord(field.name, names);
  const guess = meant === null ? '' : ` Did you mean ${meant}:?`;
  return failed(
    field,
    `There is no field ${field.name}.${guess} To look for the text itself, put it in quotes.`,
  );
}

const failed = ({ from, to }: { from: number; to: number }, message: string): Read<never> => ({
  ok: false,
  error: { from, to, message },
});
