/**
 * The escapes of URLs (RFC 3986 section 2.1, and `%u0041` of old scripts), of JSON strings (RFC 8259 section 7) with those that
 * programs print besides, and of HTML, as far as they stand for one character.
 */
const ESCAPE =
  /%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3}|%[0-9a-f]{2}|%u[0-9a-f]{4}|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[^]|&#x[0-9a-f]{1,8};?|&#\d{1,8};?|&[a-z]{2,8};/iy;

/** An escape that the end of a text cuts off. */
const TORN =
  /(?:(?:%[c-f][0-9a-f])?(?:%[89ab][0-9a-f]){0,2}%u?[0-9a-f]{0,3}|(?:\\ud[89ab][0-9a-f]{2})?\\{1,8}(?:u\{?[0-9a-f]{0,5}|x[0-9a-f]?)?|\\ud[89ab][0-9a-f]{2}|&(?:#x?[0-9a-f]{0,8}|[a-z]{0,8}))$/i;
const LONGEST_ESCAPE = 24;

/** How many escapes may be inside each other, such as JSON in a JSON string. */
const DEEPEST = 4;

/** Characters that begin an escape, so that what is decoded to one of them may be one again. */
const STARTERS: ReadonlySet<string> = new Set('%\\&');

/** How texts are searched for escaped values. */
export interface EscapeReader {
  /** Whether each character of the text is a byte of UTF-8; otherwise it is text. */
  readonly isBytes: boolean;
  /** The characters that the searched values have. A text all of whose escapes mean others is not decoded. */
  readonly wanted: Pick<ReadonlySet<string>, 'has'>;
}

/** A text with its escapes decoded. */
export class DecodedText {
  readonly text: string;
  readonly #outer: DecodedText | null;
  // Of each escape, where it is in both texts, and where it ends in each.
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];
  readonly #writtenStarts: readonly number[];
  readonly #writtenEnds: readonly number[];

  private constructor(
    text: string,
    outer: DecodedText | null,
    { starts, ends, writtenStarts, writtenEnds }: Places,
  ) {
    this.text = text;
    this.#outer = outer;
    this.#starts = starts;
    this.#ends = ends;
    this.#writtenStarts = writtenStarts;
    this.#writtenEnds = writtenEnds;
  }

  /** A text as it is written. */
  static written(text: string): DecodedText {
    return new DecodedText(text, null, { starts: [], ends: [], writtenStarts: [], writtenEnds: [] });
  }

  /**
   * The text with its escapes decoded once more; null if that cannot make one of the wanted values appear.
   *
   * @param before decodes the text up to here
   */
  decoded({ isBytes, wanted }: EscapeReader, before = this.text.length): DecodedText | null {
    const written = this.text.slice(0, before);
    if (!mayMean(written, wanted)) return null;
    const places: Places = { starts: [], ends: [], writtenStarts: [], writtenEnds: [] };
    const parts: string[] = [];
    let isWanted = false;
    let from = 0;
    let length = 0;
    for (let at = nextStarter(written, 0); at < written.length; ) {
      const { meant, end } = escapeAt(written, at, isBytes);
      if (meant !== null) {
        isWanted ||= holdsAny(meant, wanted) || STARTERS.has(meant);
        parts.push(written.slice(from, at), meant);
        length += at - from;
        places.starts.push(length);
        length += meant.length;
        places.ends.push(length);
        from = end;
        places.writtenStarts.push(at);
        places.writtenEnds.push(from);
      }
      at = nextStarter(written, end);
    }
    if (!isWanted) return null;
    parts.push(written.slice(from));
    return new DecodedText(parts.join(''), this, places);
  }

  /** Where a range of this text is in the written one; null if this decoding changed nothing in it. */
  place(start: number, end: number): { readonly start: number; readonly end: number } | null {
    const next = this.#after(start);
    if ((this.#starts[next] ?? Number.POSITIVE_INFINITY) >= end) return null;
    return { start: this.#writtenAt(start, false), end: this.#writtenAt(end, true) };
  }

  /** Where the character at this offset begins in the written text. */
  startOf(offset: number): number {
    return this.#writtenAt(offset, false);
  }

  #writtenAt(offset: number, isEnd: boolean): number {
    if (this.#outer === null) return offset;
    // The escape that the character at the offset, or before it, is in or after.
    const at = this.#after(isEnd ? offset - 1 : offset);
    const start = this.#starts[at];
    const isInside = start !== undefined && start <= (isEnd ? offset - 1 : offset);
    const own = isInside
      ? ((isEnd ? this.#writtenEnds : this.#writtenStarts)[at] ?? 0)
      : offset - (this.#ends[at - 1] ?? 0) + (this.#writtenEnds[at - 1] ?? 0);
    return this.#outer.#writtenAt(own, isEnd);
  }

  /** The first escape that ends after this offset. */
  #after(offset: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

interface Places {
  readonly starts: number[];
  readonly ends: number[];
  readonly writtenStarts: number[];
  readonly writtenEnds: number[];
}

/** The text with its escapes decoded once, then those that this made appear, and so on, as far as it is of use. */
export function* decodings(written: string, reader: EscapeReader): Generator<DecodedText> {
  let text = DecodedText.written(written).decoded(reader);
  for (let depth = 1; text !== null; depth++) {
    yield text;
    text = depth === DEEPEST ? null : text.decoded(reader);
  }
}

/**
 * Where the undecided end of a text begins: an escape that is cut off, or what may be the beginning of one of these values, of which
 * some characters are escaped.
 *
 * @param longest characters of the longest value
 */
export function undecidedEscapes(
  written: string,
  reader: EscapeReader,
  { values, longest }: { readonly values: readonly string[]; readonly longest: number },
): number {
  const from = Math.max(0, written.length - LONGEST_ESCAPE * (longest + 1));
  const tail = written.slice(from);
  if (!/[%\\&]/.test(tail)) return written.length;
  let undecided = tail.length;
  let level: DecodedText | null = DecodedText.written(tail);
  for (let depth = 0; level !== null && depth <= DEEPEST; depth++) {
    const torn = TORN.exec(level.text.slice(-LONGEST_ESCAPE))?.[0].length ?? 0;
    const end = level.text.length - torn;
    if (torn > 0) undecided = Math.min(undecided, level.startOf(end));
    const start = beginningOf(level.text.slice(Math.max(0, end - longest), end), values);
    if (start !== null) undecided = Math.min(undecided, level.startOf(Math.max(0, end - longest) + start));
    level = level.decoded(reader, end);
  }
  return from + undecided;
}

/** Where a value begins that goes on after this text; null if none does. */
function beginningOf(text: string, values: readonly string[]): number | null {
  for (let start = 0; start < text.length; start++) {
    const last = text.slice(start);
    if (values.some((value) => value.length > last.length && value.startsWith(last))) return start;
  }
  return null;
}

/** A value with its own escapes decoded, as it is found in a text whose escapes are decoded. */
export const withoutEscapes = (value: string): string =>
  DecodedText.written(value).decoded({ isBytes: false, wanted: anything })?.text ?? value;

const anything: EscapeReader['wanted'] = { has: () => true };

/** Where the next escape may begin; the length of the text if there is none. */
function nextStarter(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === PERCENT || character === BACKSLASH || character === AMPERSAND) return at;
  }
  return text.length;
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

/** The escape at this offset, and where the text goes on after it. Reads the most frequent ones without a pattern. */
function escapeAt(text: string, at: number, isBytes: boolean): { meant: string | null; end: number } {
  if (text.charCodeAt(at) === BACKSLASH) {
    const meant = letters.get(text.charAt(at + 1));
    if (meant !== undefined) return { meant, end: at + 2 };
  }
  ESCAPE.lastIndex = at;
  const escape = ESCAPE.exec(text)?.[0];
  return escape === undefined
    ? { meant: null, end: at + 1 }
    : { meant: meaningOf(escape, isBytes), end: at + escape.length };
}

/** Whether an escape may mean one of these characters, or the beginning of another escape. Fast: most texts have others. */
function mayMean(text: string, wanted: EscapeReader['wanted']): boolean {
  if (SPELLED.test(text)) return true;
  if (!text.includes('\\')) return false;
  return [...letters].some(([letter, meant]) => wanted.has(meant) && text.includes(`\\${letter}`));
}

/** Escapes that name a character by its number or its name, and those that make another escape appear. */
const SPELLED = /%[0-9a-fu]|\\[ux\\]|&[#a-z]/i;

function holdsAny(text: string, wanted: EscapeReader['wanted']): boolean {
  for (const character of text) if (wanted.has(character)) return true;
  return false;
}

/** What an escape means; null if it is not an escape. */
function meaningOf(escape: string, isBytes: boolean): string | null {
  const isPercent = escape.charCodeAt(0) === PERCENT;
  if (isPercent && escape.length === 3) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  const second = escape.charAt(1).toLowerCase();
  if (isPercent && second !== 'u') {
    const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex');
    const text = isBytes ? null : bytes.toString();
    return text === null || text.includes('\ufffd') ? bytes.toString('latin1') : text;
  }
  const text = escape.startsWith('&') ? entity(escape) : codesOf(escape, second);
  return text === null || !isBytes || text < '\x80' ? text : Buffer.from(text).toString('latin1');
}

/** `\u0041`, `\u{41}`, `%u0041`, a pair of surrogates, `\x41`, and the short escapes. */
function codesOf(escape: string, second: string): string | null {
  if (second !== 'u' && second !== 'x') return letters.get(escape.charAt(1)) ?? null;
  if (/^\\u[0-9a-f]{4}$/i.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  const codes = escape.match(/[0-9a-f]{2,6}/gi)?.map((hex) => Number.parseInt(hex, 16));
  if (codes === undefined)
    return escape.startsWith('\\u{') ? textOfCode(Number.parseInt(escape.slice(3), 16)) : null;
  return codes.length === 1 ? textOfCode(codes[0] ?? 0) : String.fromCharCode(...codes);
}

function entity(escape: string): string | null {
  const name = escape.slice(1).replace(/;$/, '').toLowerCase();
  if (!name.startsWith('#')) return entities.get(name) ?? null;
  return textOfCode(name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
}

const textOfCode = (code: number): string | null => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : null);

const letters: ReadonlyMap<string, string> = new Map([
  ...['"', "'", '\\', '/'].map((character) => [character, character] as const),
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** The named character references (HTML section 13.5) of characters that are on a keyboard. */
const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['sol', '/'],
  ['bsol', '\\'],
  ['plus', '+'],
  ['equals', '='],
  ['percnt', '%'],
  ['num', '#'],
  ['dollar', '$'],
  ['excl', '!'],
  ['quest', '?'],
  ['commat', '@'],
  ['colon', ':'],
  ['semi', ';'],
  ['comma', ','],
  ['period', '.'],
  ['lowbar', '_'],
  ['ast', '*'],
  ['lpar', '('],
  ['rpar', ')'],
  ['lsqb', '['],
  ['rsqb', ']'],
  ['lcub', '{'],
  ['rcub', '}'],
  ['verbar', '|'],
  ['grave', '`'],
  ['hat', '^'],
  ['tab', '\t'],
  ['newline', '\n'],
  ['nbsp', '\u00a0'],
]);
