import { pointerOf } from '#shared/json/pointer.ts';
import { isNestedDeeper, type Token, tokensOf } from '#shared/json/tokens.ts';

/**
 * Converts JSON text to values for a form, and back, without losing precision: `9007199254740993`, `1.0` and `1e400`
 * stay as written.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A number that JavaScript would change is stored as this mark and its digits. The mark is random per page, so that no
 * other text can be mistaken for one.
 */
const MARK = `exact-number:${crypto.randomUUID()}:`;

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether the text is a number as JSON writes them. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** A number if JavaScript keeps its digits, else its marked digits. */
export const numberOf = (text: string): number | string =>
  String(Number(text)) === text ? Number(text) : MARK + text;

/** The digits of a marked number; null for every other value. */
export const digitsOf = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : null;

export type ExactJson =
  | { readonly ok: true; readonly value: Json }
  /** `at` is where, as a JSON pointer, when the text is JSON that values cannot carry. */
  | { readonly ok: false; readonly error: string; readonly at: string | null };

/** Deeper levels would overflow the stack. */
const DEEPEST = 500;

/** Parses JSON text. Fails on invalid JSON, deep nesting and duplicate keys. */
export function readJson(text: string): ExactJson {
  try {
    JSON.parse(text);
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error), at: null };
  }
  if (isNestedDeeper(text, DEEPEST)) {
    return { ok: false, error: `It is nested more than ${DEEPEST} levels deep.`, at: '' };
  }
  try {
    return { ok: true, value: valueOf(tokensOf(text), text, '') };
  } catch (error) {
    if (error instanceof TwiceNamed) return { ok: false, error: error.message, at: error.at };
    throw error;
  }
}

/** Serializes values of `readJson` or a form, with an indentation of two spaces unless another is given. */
export const writeJson = (value: unknown, indentation = 2): string =>
  (JSON.stringify(value, null, indentation) ?? 'null').replace(new RegExp(`"${MARK}([^"]*)"`, 'g'), '$1');

/** Replaces every marked number with the nearest JavaScript number, for validators. */
export function withPlainNumbers(value: unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== null) return Number(digits);
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPlainNumbers(inner)]));
}

class TwiceNamed extends Error {
  readonly at: string;
  constructor(at: string) {
    super(`The key ${at} is there twice.`);
    this.at = at;
  }
}

/** The value that the next tokens of a valid JSON text form. */
function valueOf(tokens: Iterator<Token>, text: string, at: string): Json {
  return valueFrom(nextOf(tokens), tokens, text, at);
}

function valueFrom({ kind, start, end }: Token, tokens: Iterator<Token>, text: string, at: string): Json {
  if (kind === '[') {
    const items: Json[] = [];
    for (let token = nextOf(tokens); token.kind !== ']'; token = nextOf(tokens)) {
      if (token.kind !== ',') items.push(valueFrom(token, tokens, text, `${at}/${items.length}`));
    }
    return items;
  }
  if (kind === '{') {
    const entries = new Map<string, Json>();
    for (let token = nextOf(tokens); token.kind !== '}'; token = nextOf(tokens)) {
      if (token.kind === ',') continue;
      const name = String(JSON.parse(text.slice(token.start, token.end)));
      const here = at + pointerOf([name]);
      if (entries.has(name)) throw new TwiceNamed(here);
      // The colon.
      nextOf(tokens);
      entries.set(name, valueOf(tokens, text, here));
    }
    return Object.fromEntries(entries);
  }
  const written = text.slice(start, end);
  return isNumberText(written) ? numberOf(written) : leafOf(JSON.parse(written));
}

function nextOf(tokens: Iterator<Token>): Token {
  const { value, done } = tokens.next();
  if (done) throw new Error('The JSON text ends inside a value.');
  return value;
}

/** A string, boolean or null. */
const leafOf = (value: unknown): Json =>
  typeof value === 'string' || typeof value === 'boolean' ? value : null;
