import { isJson } from '#shared/json/tokens.ts';

/** The state of a walk over a JSON text. */
export interface JsonState {
  readonly isInString: boolean;
  /** How many digits of a `\uXXXX` escape are still to come; -1 right after a backslash; 0 outside of escapes. */
  readonly escape: number;
  /** The character before; empty at the beginning. */
  readonly last: string;
}

/** A range of a text; `isValue` if it is a whole unquoted value, such as a number. */
export interface ReplaceableRange {
  readonly start: number;
  readonly end: number;
  readonly isValue: boolean;
}

export const JSON_START: JsonState = { isInString: false, escape: 0, last: '' };

/**
 * Finds the ranges of a JSON text that can be replaced without breaking the JSON: ranges inside a string that split no
 * escape sequence, and whole values. Walks forward only; the text may come in pieces. It has a scanner of its own, not
 * `#shared/json/tokens.ts`, because a piece may end anywhere, even inside an escape, and the next begins there.
 */
export class JsonRanges {
  readonly #text: string;
  #at = 0;
  #isInString: boolean;
  #escape: number;
  readonly #before: string;

  /** @param state where the text before this one ended */
  constructor(text: string, { isInString, escape, last }: JsonState = JSON_START) {
    this.#text = text;
    this.#isInString = isInString;
    this.#escape = escape;
    this.#before = last;
  }

  /** Walks up to an offset, which must not be before that of the last call. */
  stateAt(offset: number): JsonState {
    while (this.#at < offset) this.#step();
    return { isInString: this.#isInString, escape: this.#escape, last: this.#characterBefore(offset) };
  }

  /** The replaceable ranges within a match; empty if the match is only syntax. Call it in the order of the starts. */
  replaceableIn(start: number, end: number): readonly ReplaceableRange[] {
    const { isInString, escape } = this.stateAt(start);
    const rest = this.#from(start);
    if (isInString && rest.#staysInString(end)) {
      const isWhole = escape === 0 && rest.#escape === 0;
      return isWhole ? [{ start, end, isValue: false }] : [];
    }
    return [...rest.#valuesUpTo(end)];
  }

  /** Whether the text outside of strings in this range can occur in JSON at all. */
  isPlausible(start: number, end: number): boolean {
    const rest = this.#from(start);
    let outside = '';
    for (;;) {
      const wasInString = rest.#isInString;
      const from = rest.#at;
      if (from >= end) return PLAUSIBLE.test(outside);
      rest.#step();
      if (!wasInString && !rest.#isInString) outside += this.#text.slice(from, rest.#at);
      else outside += ',';
    }
  }

  #from(start: number): JsonRanges {
    const rest = new JsonRanges(this.#text, { ...this.stateAt(start), last: this.#before });
    rest.#at = start;
    return rest;
  }

  #characterBefore(offset: number): string {
    return offset === 0 ? this.#before : this.#text.charAt(offset - 1);
  }

  #step(): void {
    const character = this.#text.charCodeAt(this.#at++);
    if (this.#escape > 0) this.#escape--;
    else if (this.#escape < 0) this.#escape = character === LETTER_U ? 4 : 0;
    else if (character === QUOTE) this.#isInString = !this.#isInString;
    else if (character === BACKSLASH && this.#isInString) this.#escape = -1;
  }

  #staysInString(end: number): boolean {
    while (this.#at < end && this.#isInString) this.#step();
    return this.#isInString;
  }

  *#valuesUpTo(end: number): Generator<ReplaceableRange> {
    // A string that began earlier is not complete here.
    while (this.#isInString && this.#at < end) this.#step();
    while (this.#at < end) {
      const from = this.#at;
      NUMBER.lastIndex = from;
      const number = NUMBER.exec(this.#text)?.[0].length ?? 0;
      if (number > 0) {
        this.#at = from + number;
        const isWhole = this.#at <= end && !NUMBER_CHARACTER.test(this.#characterBefore(from));
        if (isWhole) yield { start: from, end: this.#at, isValue: true };
        continue;
      }
      this.#step();
      if (!this.#isInString) continue;
      const content = this.#at;
      while (this.#isInString && this.#at < this.#text.length) this.#step();
      const isWhole = !this.#isInString && this.#at <= end;
      if (isWhole && this.#at - 1 > content && !this.#isKey())
        yield { start: content, end: this.#at - 1, isValue: false };
    }
  }

  /** Whether the string that just ended is a key: values may be replaced, keys may not. */
  #isKey(): boolean {
    COLON.lastIndex = this.#at;
    return COLON.test(this.#text);
  }
}

/** Whether bytes, one per character, are JSON; a byte order mark before it does not matter. */
export const isLatin1Json = (text: string): boolean =>
  isJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text);

/** Whether a unit that begins with this text may turn out to be JSON. */
export const mayBeJson = (text: string): boolean => /^(?:\u00ef\u00bb\u00bf)?\s*(?:[[{]|$)/.test(text);

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const NUMBER = /-?\d[\d.eE+-]*/y;
const NUMBER_CHARACTER = /[\d.eE+-]/;
const COLON = /\s*:/y;
/** Punctuation, numbers and literals of JSON, of which the first and the last literal may be incomplete. */
const PLAUSIBLE =
  /^(?:rue|ue|e|alse|lse|se|ull|ll|l)?(?:[\s{}[\],:]|[\d.eE+-]|true|false|null)*(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)?$/;
