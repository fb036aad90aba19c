import { MAX_IN_BATCH, type NoiseReason } from '#shared/trace/row.ts';

/** Limit of values to keep in an object or array near the top: they show what the message is. */
const KEPT_LEVELS = 3;
const MAX_NEAR_TOP = 500_000;
/** After this many values, deeply nested ones are validated but not kept. */
const MAX_KEPT_SIZE = 100_000;
/** Members that show what a message is; they may follow millions of others. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
/** Characters of a text that are kept. */
const MAX_KEPT = 16_384;
/** Placeholder for the rest of a string, and for values nested too deep. */
const REST = '… too large to be kept; the trace has the whole text';
const DEEPEST = 500;

const LITERALS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** An incomplete number. */
const NUMBER_BEGUN = /^-?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?$/;
/** Characters after a complete number that belong to it only if another one follows, as in `1e+`. */
const MAX_NUMBER_END = 2;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const MAX_ESCAPE = 6;
/** Ends the plain part of a string: a quote, an escape, or a forbidden character. */
// oxlint-disable-next-line no-control-regex -- JSON forbids them, so they are looked for
const PLAIN_END = /["\\\u0000-\u001f]/g;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/** An object or array that is being read. */
interface Level {
  /** The value so far; null if it is skipped. */
  readonly kept: unknown[] | Record<string, unknown> | null;
  readonly isArray: boolean;
  key: string;
}

/** A string that is being read. */
interface Text {
  readonly isKey: boolean;
  readonly parts: string[];
  length: number;
}

export type StreamedJson =
  | { readonly type: 'value'; readonly value: unknown; readonly isWhole: boolean }
  | { readonly type: 'noise'; readonly reason: NoiseReason };

/**
 * Parses JSON (RFC 8259) piece by piece and keeps only the part of its value that shows what it is: a unit of a hundred
 * megabytes can be neither parsed nor kept as a whole. The whole text is validated, and what is missing in the value is
 * at its lower levels and in long texts. It has a scanner of its own, not `#shared/json/tokens.ts`, because a piece may
 * end inside a token.
 */
export class StreamingJson {
  /** Ids that a number cannot hold exactly, by the position of their message. */
  readonly exactIds = new Map<number, bigint>();
  readonly #levels: Level[] = [];
  #expected: Expected = 'value';
  #text: Text | null = null;
  /** The begin of a number, a word or an escape whose end is in the next piece. */
  #rest = '';
  #value: unknown;
  #first = '';
  #fault: NoiseReason | null = null;
  #isWhole = true;
  #values = 0;
  #elements = 0;

  /** Values so far: they determine the cost of parsing more than the length does. */
  get values(): number {
    return this.#values;
  }

  /** Values of its batch so far; 1 if it is not a batch. */
  get messages(): number {
    return this.#first === '[' ? this.#elements : 1;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    this.#rest = '';
    this.#read(text, false);
  }

  /** The result, once the text is complete. */
  end(): StreamedJson {
    const rest = this.#rest;
    this.#rest = '';
    this.#read(rest, true);
    if (this.#first === '') return { type: 'noise', reason: 'blank' };
    const isOpen = this.#expected !== 'nothing';
    const isNested = this.#first === '{' || this.#first === '[';
    if (this.#fault !== null) return { type: 'noise', reason: isNested ? this.#fault : 'not-json' };
    if (isOpen) return { type: 'noise', reason: isNested ? 'half-json' : 'not-json' };
    return { type: 'value', value: this.#value, isWhole: this.#isWhole };
  }

  #read(text: string, isLast: boolean): void {
    let offset: number | null = 0;
    while (offset !== null && offset < text.length && this.#fault === null) {
      offset =
        this.#text === null
          ? this.#token(text, offset, isLast)
          : this.#inText(this.#text, text, offset, isLast);
    }
  }

  /** Reads the token at a position; returns the position after it, or null if it is incomplete. */
  #token(text: string, offset: number, isLast: boolean): number | null {
    const char = text.charAt(offset);
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return offset + 1;
    if (this.#first === '') {
      // Some runtimes begin their output with a byte order mark; it hides no message.
      if (char === '\ufeff') return offset + 1;
      this.#first = char;
    }
    switch (this.#expected) {
      case 'nothing':
        return this.#fail(char === '{' || char === '[' ? 'several-values' : 'not-json');
      case 'colon':
        this.#expected = 'value';
        return char === ':' ? offset + 1 : this.#fail('not-json');
      case 'comma-or-end':
        if (char !== ',') return this.#end(char, offset);
        this.#expected = this.#levels.at(-1)?.isArray === true ? 'value' : 'key';
        return offset + 1;
      case 'key-or-end':
        if (char === '}') return this.#end(char, offset);
        return this.#begin({ isKey: true }, char, offset);
      case 'key':
        return this.#begin({ isKey: true }, char, offset);
      case 'value-or-end':
        if (char === ']') return this.#end(char, offset);
        return this.#valueAt(text, offset, char, isLast);
      case 'value':
        return this.#valueAt(text, offset, char, isLast);
    }
  }

  #valueAt(text: string, offset: number, char: string, isLast: boolean): number | null {
    switch (char) {
      case '"':
        return this.#begin({ isKey: false }, char, offset);
      case '{':
        this.#open({}, false);
        return offset + 1;
      case '[':
        this.#open([], true);
        return offset + 1;
      default:
        return this.#word(text, offset, isLast);
    }
  }

  #begin({ isKey }: { isKey: boolean }, char: string, offset: number): number | null {
    if (char !== '"') return this.#fail('not-json');
    this.#text = { isKey, parts: [], length: 0 };
    return offset + 1;
  }

  #inText(own: Text, text: string, offset: number, isLast: boolean): number | null {
    PLAIN_END.lastIndex = offset;
    const end = PLAIN_END.exec(text)?.index ?? text.length;
    this.#keepText(own, text, offset, end);
    if (end === text.length) return end;
    switch (text.charAt(end)) {
      case '"':
        this.#endText(own);
        return end + 1;
      case '\\': {
        ESCAPE.lastIndex = end;
        const escape = ESCAPE.exec(text)?.[0];
        if (escape === undefined) {
          return !isLast && text.length - end < MAX_ESCAPE ? this.#wait(text, end) : this.#fail('not-json');
        }
        const character = String(JSON.parse(`"${escape}"`));
        this.#keepText(own, character, 0, character.length);
        return end + escape.length;
      }
      default:
        return this.#fail('not-json');
    }
  }

  #keepText(own: Text, text: string, from: number, end: number): void {
    const left = Math.max(0, MAX_KEPT - own.length);
    if (left > 0 && end > from) own.parts.push(text.slice(from, Math.min(end, from + left)));
    own.length += end - from;
  }

  #endText(own: Text): void {
    const { isKey, parts, length } = own;
    const isCut = length > MAX_KEPT;
    if (isCut) this.#isWhole = false;
    const kept = isCut ? parts.join('') + REST : parts.join('');
    this.#text = null;
    const level = this.#levels.at(-1);
    if (!isKey) return this.#add(kept);
    if (level !== undefined) level.key = kept;
    this.#expected = 'colon';
  }

  /** A number, or `true`, `false` or `null`. */
  #word(text: string, offset: number, isLast: boolean): number | null {
    for (const [word, value] of LITERALS) {
      if (text.startsWith(word, offset)) {
        this.#add(value);
        return offset + word.length;
      }
      const isBegun = text.length - offset < word.length && word.startsWith(text.slice(offset));
      if (isBegun) return isLast ? null : this.#wait(text, offset);
    }
    NUMBER.lastIndex = offset;
    const number = NUMBER.exec(text)?.[0] ?? '';
    const left = text.length - offset - number.length;
    const mayGoOn = left <= MAX_NUMBER_END && NUMBER_BEGUN.test(text.slice(offset));
    if (mayGoOn && !isLast) return this.#wait(text, offset);
    if (number === '') return mayGoOn ? null : this.#fail('not-json');
    this.#noteId(number);
    this.#add(Number(number));
    return offset + number.length;
  }

  #noteId(number: string): void {
    const [top, message = top] = this.#levels;
    const isId = this.#levels.length <= 2 && message?.isArray === false && message.key === 'id';
    if (!isId || Number.isSafeInteger(Number(number)) || !/^-?\d+$/.test(number)) return;
    const position = this.#levels.length === 2 ? this.#elements - 1 : 0;
    if (position >= MAX_IN_BATCH) return;
    // Of duplicate keys the last counts.
    if (this.#levels.length === 1 || top?.isArray === true) this.exactIds.set(position, BigInt(number));
  }

  #open(empty: unknown[] | Record<string, unknown>, isArray: boolean): void {
    const isKept = this.#isKept && this.#levels.length < DEEPEST;
    const level = { kept: isKept ? empty : null, isArray, key: '' };
    this.#put(isKept ? empty : REST);
    this.#levels.push(level);
    this.#expected = isArray ? 'value-or-end' : 'key-or-end';
  }

  #end(char: string, offset: number): number | null {
    const level = this.#levels.pop();
    if (level === undefined || char !== (level.isArray ? ']' : '}')) return this.#fail('not-json');
    this.#expected = this.#levels.length === 0 ? 'nothing' : 'comma-or-end';
    return offset + 1;
  }

  #add(value: unknown): void {
    this.#put(value);
    this.#expected = this.#levels.length === 0 ? 'nothing' : 'comma-or-end';
  }

  get #isKept(): boolean {
    const depth = this.#levels.length;
    if (depth > KEPT_LEVELS) return this.#values < MAX_KEPT_SIZE;
    const level = this.#levels.at(-1);
    if (level === undefined || this.#values < MAX_NEAR_TOP) return true;
    if (level.isArray) return depth === 1 && this.#elements < MAX_IN_BATCH;
    return depth <= 2 && ENVELOPE.has(level.key);
  }

  /** Adds a value to its container, unless that is skipped. */
  #put(value: unknown): void {
    const isKept = this.#isKept;
    this.#values++;
    const level = this.#levels.at(-1);
    if (level === undefined) {
      this.#value = value;
      return;
    }
    const { kept, key } = level;
    if (this.#levels.length === 1) this.#elements++;
    if (kept === null || !isKept) this.#isWhole = false;
    else if (Array.isArray(kept)) kept.push(value);
    else if (key === '__proto__') {
      Object.defineProperty(kept, key, { value, enumerable: true, configurable: true, writable: true });
    } else kept[key] = value;
  }

  #wait(text: string, from: number): null {
    this.#rest = text.slice(from);
    return null;
  }

  #fail(reason: NoiseReason): null {
    this.#fault ??= reason;
    return null;
  }
}
