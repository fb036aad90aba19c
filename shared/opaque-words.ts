import { secretPlaceholders } from './secret-placeholder.ts';
import { withoutEnd } from './trim.ts';

/** A stretch of a text that is a secret, by its form or by the word before it. */
export interface OpaqueWord {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The words of a text that may be tokens: what no person would write, and what follows a word such as `token`. The rest, such as the
 * description of an error, can be read. Takes time in proportion to the text.
 */
export function opaqueWords(text: string): OpaqueWord[] {
  const found: OpaqueWord[] = [];
  let from = 0;
  // A placeholder stays as it is.
  for (const { 0: placeholder, index } of text.matchAll(secretPlaceholders)) {
    found.push(...wordsIn(text.slice(from, index), from));
    from = index + placeholder.length;
  }
  found.push(...wordsIn(text.slice(from), from));
  return merged(found);
}

/** @param offset where the text begins in the whole */
function wordsIn(text: string, offset: number): OpaqueWord[] {
  const found: OpaqueWord[] = [];
  for (const { 0: run, index } of text.matchAll(ENTITIES))
    found.push({ start: index, end: index + run.length });
  for (const { 0: run, index } of text.matchAll(RUN)) found.push(...inRun(run, index, text));
  const label = new RegExp(LABEL);
  for (let match = label.exec(text); match !== null; match = label.exec(text)) {
    const word = wordAfter(text, match.index, label.lastIndex);
    if (word === null) continue;
    found.push(word);
    label.lastIndex = word.end;
  }
  return found.map(({ start, end }) => ({ start: start + offset, end: end + offset }));
}

/** Whether a text has a word that may be a token. */
export const hasOpaqueWord = (text: string): boolean => opaqueWords(text).length > 0;

/** Whether a word is one that no person would write: a token, a hash, a random identifier. */
export function looksOpaque(word: string): boolean {
  if (isJwt(word)) return true;
  if (word.length < MIN_OPAQUE || /\s/.test(word) || NATURAL.test(word)) return false;
  const digits = word.replaceAll(/\D/g, '').length;
  const letters = word.replaceAll(/[^a-z]/gi, '').length;
  if (letters === 0) return digits >= MIN_NUMBER;
  if (digits >= MIN_DIGITS) return true;
  const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  if (parts.some(({ length }) => length >= LONGEST_WORD)) return true;
  return parts.length >= MIN_PARTS && word.length >= MIN_MIXED && letters / parts.length < MEAN_PART;
}

/** Whether a text begins as a signed or encrypted JWT does: the base64 of `{"`. */
export const isJwt = (text: string): boolean => /^eyJ[\w-]{2,}\.[\w-]*\.[\w.-]*$/.test(text);

/** Characters of the shortest word that is looked at; names of errors are shorter, or made of words. */
const MIN_OPAQUE = 12;
const MIN_NUMBER = 16;
const MIN_DIGITS = 4;
const LONGEST_WORD = 22;
/** A name in camel case has parts of about five letters; random letters of both cases have shorter ones. */
const MIN_PARTS = 5;
const MIN_MIXED = 16;
const MEAN_PART = 3.2;

/** The number of an error, a date, an address of the network. */
const NATURAL = /^(?:[A-Z]{2,10}[-_]?\d{2,8}|\d{4}-\d{2}-\d{2}(?:T[\d.:]*)?Z?|\d{1,3}(?:\.\d{1,3}){3})$/;

const RUN = /[\w\-.~+/%\\]{8,}=*/g;
const ENTITIES = /(?:&#x?[\da-f]{1,7};){3,}/gi;
/** What a server names when it means one request: it helps to find its log. */
const ID_OF_REQUEST = /(?:trace|correlation|request|log|error|incident)[ _-]?id["']?[:= ]{1,3}["']?$/i;

function inRun(run: string, index: number, text: string): OpaqueWord[] {
  const word = withoutEnd(run, '.\\');
  const all = { start: index, end: index + word.length };
  if (ID_OF_REQUEST.test(text.slice(Math.max(0, index - 24), index))) return isJwt(word) ? [all] : [];
  const meant = unescaped(word);
  if (meant !== word) return meant.split(/[/?&=#]/).some((part) => looksOpaque(part)) ? [all] : [];
  if (!word.includes('/')) return looksOpaque(word) ? [all] : [];
  // A path is replaced in parts, base64 as a whole.
  const found: OpaqueWord[] = [];
  let start = index;
  for (const part of word.split('/')) {
    if (looksOpaque(part)) found.push({ start, end: start + part.length });
    start += part.length + 1;
  }
  return found.length > 0 && !word.startsWith('/') ? [all] : found;
}

/** A word as it is meant, without the escapes of URLs, JSON and JavaScript. */
const unescaped = (word: string): string =>
  word.replaceAll(/%([\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})/gi, (_, ...hex: (string | undefined)[]) =>
    String.fromCharCode(Number.parseInt(hex[0] ?? hex[1] ?? hex[2] ?? '', 16)),
  );

const LABEL =
  /(?:token|code|secret|passw(?:or)?d|verifier|assertion|ticket|api[ _-]?key|jwt|credentials?|bearer|device_code|user_code|request_uri)\b/gi;
/** Between the label and its value. */
const GAP = /["'”’\]]{0,2}\s{0,3}(=>?|:|value\b|is\b|was\b|)\s{0,3}(["'`“‘]?)\(?/iy;
const VALUE = /[^\s"'`“”‘’<>,;&()]+/y;
/** Up to the first letter of a label that ends a name in code, `access_token` or `refreshToken`, at the start of its line, as in YAML. */
const NAME_IN_LINE = /(?:^|\n)[ \t-]{0,20}["'[]?(?:\w{0,40}_\w|\w{0,40}[a-z][A-Z])$/;
/** How many characters that looks at. */
const LONGEST_NAME = 64;

/** The value after a label, unless it is a word of the sentence. */
function wordAfter(text: string, label: number, from: number): OpaqueWord | null {
  GAP.lastIndex = from;
  const [gap = '', sign = '', quote = ''] = GAP.exec(text) ?? [];
  if (gap === '') return null;
  VALUE.lastIndex = from + gap.length;
  const [written = ''] = VALUE.exec(text) ?? [];
  const value = written.replace(/[.:?!\]}]{1,9}$/, '');
  if (value.length < 4 || NO_VALUE.test(value) || NATURAL.test(value)) return null;
  const isAssigned = sign.startsWith('=') || (sign === ':' && (quote !== '' || startsLine(text, label)));
  const isWord = /^[a-z]+(?:['_-][a-z]+)*$/i.test(value) && !/[a-z][A-Z]/.test(value) && !HYPHENS.test(value);
  if (isWord && !isAssigned) return null;
  // `Bearer error="…"`: a name, whose value follows.
  if (sign === '' && value.endsWith('=') && /["']/.test(text.charAt(VALUE.lastIndex))) return null;
  const start = from + gap.length;
  return { start, end: start + value.length };
}

/** Three words and more that hyphens join are no word of a sentence. */
const HYPHENS = /^(?=.{16})\w+(?:-\w+){2}/;

function startsLine(text: string, label: number): boolean {
  const from = Math.max(0, label - LONGEST_NAME);
  // Where the text was cut no line starts.
  return NAME_IN_LINE.test(`${from === 0 ? '' : ' .'}${text.slice(from, label + 1)}`);
}

/** Literals, short numbers, and names that have a scheme: what is secret in those has its own form. */
const NO_VALUE = /^(?:null|true|false|undefined|none|\d{1,6}|(?:urn|https?):.*)$/i;

function merged(found: readonly OpaqueWord[]): OpaqueWord[] {
  const all: { start: number; end: number }[] = [];
  for (const word of found.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && word.start <= last.end) last.end = Math.max(last.end, word.end);
    else all.push({ ...word });
  }
  return all;
}
