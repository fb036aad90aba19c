import { grown } from '#shared/typed-arrays.ts';
import { isCutWord, MAX_CUT_WORD_LENGTH, scanString } from '#shared/json/tokens.ts';

const lineKinds = [
  /** A key whose value is truncated. */
  'none',
  'open-object',
  'open-array',
  'close-object',
  'close-array',
  'empty-object',
  'empty-array',
  'string',
  'number',
  'literal',
] as const;
export type LineKind = (typeof lineKinds)[number];

/** One line of pretty-printed JSON. Positions are offsets in the raw text. */
export interface JsonLine {
  readonly kind: LineKind;
  /** Nesting depth. */
  readonly depth: number;
  /** The key with its quotes, from `keyFrom` up to `keyEnd`; both are -1 without a key. */
  readonly keyFrom: number;
  readonly keyEnd: number;
  readonly hasColon: boolean;
  /** The value, or the bracket. */
  readonly from: number;
  readonly end: number;
  readonly hasComma: boolean;
  /** Whether key and value are printable ASCII. */
  readonly isPlain: boolean;
}

type Expected = 'value' | 'first' | 'next' | 'colon' | 'comma' | 'end';

const NONE = -1;
const FIRST_CAPACITY = 256;
/** Characters read between checks of the clock. */
const SLICE = 16 * 1024;

const HAS_COLON = 1;
const HAS_COMMA = 2;
const NOT_PLAIN = 4;

const kindOf = new Map(lineKinds.map((kind, place) => [kind, place]));
const code = (kind: LineKind): number => kindOf.get(kind) ?? 0;

/**
 * Splits JSON into pretty-printed lines without parsing it into values, so that numbers, escapes, duplicate keys and
 * key order stay exactly as sent. Lines are offsets into the raw text, in typed arrays: a text of many megabytes takes
 * little memory, and can be read in time slices.
 */
export class JsonLines {
  readonly raw: string;
  readonly isCut: boolean;
  #at = 0;
  #expected: Expected = 'value';
  #isJson = true;
  #isDone = false;
  #count = 0;
  /** Lines of the objects and arrays that are still open. */
  readonly #open: number[] = [];
  #kind = new Uint8Array(FIRST_CAPACITY);
  #flags = new Uint8Array(FIRST_CAPACITY);
  #depth = new Int32Array(FIRST_CAPACITY);
  #keyFrom = new Int32Array(FIRST_CAPACITY);
  #keyEnd = new Int32Array(FIRST_CAPACITY);
  #from = new Int32Array(FIRST_CAPACITY);
  #end = new Int32Array(FIRST_CAPACITY);
  #mate = new Int32Array(FIRST_CAPACITY);
  #parent = new Int32Array(FIRST_CAPACITY);
  #place = new Int32Array(FIRST_CAPACITY);
  /** Number of children read so far, by opening line. */
  #children = new Int32Array(FIRST_CAPACITY);
  /** @param isCut the text is truncated */
  constructor(raw: string, isCut = false) {
    this.raw = raw;
    this.isCut = isCut;
    if (raw.startsWith('\ufeff')) this.#at = 1;
  }

  /** Continues reading. @param milliseconds stops after this time, to be called again; by default reads everything */
  read(milliseconds = Number.POSITIVE_INFINITY): void {
    const end = performance.now() + milliseconds;
    while (!this.#isDone) {
      const slice = this.#at + SLICE;
      while (!this.#isDone && this.#at < slice) this.#readToken();
      if (performance.now() >= end) return;
    }
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the text is JSON as far as it was read. */
  get isJson(): boolean {
    return this.#isJson;
  }

  get count(): number {
    return this.#count;
  }

  line(line: number): JsonLine {
    const flags = this.#flags[line] ?? 0;
    return {
      kind: this.kind(line),
      depth: this.depth(line),
      keyFrom: this.keyFrom(line),
      keyEnd: this.#keyEnd[line] ?? NONE,
      hasColon: (flags & HAS_COLON) !== 0,
      from: this.#from[line] ?? 0,
      end: this.#end[line] ?? 0,
      hasComma: (flags & HAS_COMMA) !== 0,
      isPlain: (flags & NOT_PLAIN) === 0,
    };
  }

  kind = (line: number): LineKind => lineKinds[this.#kind[line] ?? 0] ?? 'none';
  depth = (line: number): number => this.#depth[line] ?? 0;
  keyFrom = (line: number): number => this.#keyFrom[line] ?? NONE;
  /** Characters on a line of printable ASCII; infinite for other lines. */
  plainLength(line: number): number {
    const flags = this.#flags[line] ?? 0;
    if ((flags & NOT_PLAIN) !== 0) return Number.POSITIVE_INFINITY;
    const key = (this.#keyEnd[line] ?? 0) - (this.#keyFrom[line] ?? 0);
    const value = (this.#end[line] ?? 0) - (this.#from[line] ?? 0);
    return key + value + ((flags & HAS_COLON) === 0 ? 0 : 2) + ((flags & HAS_COMMA) === 0 ? 0 : 1);
  }
  /** The matching bracket's line; the line itself if there is none. */
  mate = (line: number): number => this.#mate[line] ?? line;
  /** The line of the containing object or array; null for the outermost. */
  parent(line: number): number | null {
    const parent = this.#parent[line] ?? NONE;
    return parent === NONE ? null : parent;
  }
  /** Index among the children of its parent. */
  place = (line: number): number => this.#place[line] ?? 0;
  childCount = (line: number): number => this.#children[line] ?? 0;
  /** The line after a line and its descendants. */
  next(line: number): number {
    const mate = this.mate(line);
    if (mate !== line) return mate + 1;
    // An unclosed bracket ends with the text.
    return this.isOpen(line) ? this.#count : line + 1;
  }

  isOpen = (line: number): boolean => {
    const kind = this.#kind[line];
    return kind === OPEN_OBJECT || kind === OPEN_ARRAY;
  };

  isClose = (line: number): boolean => {
    const kind = this.#kind[line];
    return kind === CLOSE_OBJECT || kind === CLOSE_ARRAY;
  };
  /** The line that contains an offset of the raw text. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const keyFrom = this.keyFrom(middle);
      const start = keyFrom === NONE ? (this.#from[middle] ?? 0) : keyFrom;
      if (start <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  #readToken(): void {
    const { raw } = this;
    let at = this.#at;
    let char = raw.charCodeAt(at);
    while (char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09) char = raw.charCodeAt(++at);
    this.#at = at;
    if (at >= raw.length) {
      this.#finish(this.isCut || this.#expected === 'end');
      return;
    }
    switch (char) {
      case 0x22:
        this.#readString();
        return;
      case 0x7b:
        this.#openBracket('open-object');
        return;
      case 0x5b:
        this.#openBracket('open-array');
        return;
      case 0x7d:
        this.#closeBracket('close-object');
        return;
      case 0x5d:
        this.#closeBracket('close-array');
        return;
      case 0x2c:
        this.#readComma();
        return;
      case 0x3a:
        this.#readColon();
        return;
      default:
        this.#readWord();
    }
  }

  #readComma(): void {
    if (this.#expected !== 'comma') {
      this.#finish(false);
      return;
    }
    const last = this.#count - 1;
    this.#flags[last] = (this.#flags[last] ?? 0) | HAS_COMMA;
    this.#expected = 'next';
    this.#at++;
  }

  #readColon(): void {
    if (this.#expected !== 'colon') {
      this.#finish(false);
      return;
    }
    const last = this.#count - 1;
    this.#flags[last] = (this.#flags[last] ?? 0) | HAS_COLON;
    this.#expected = 'value';
    this.#at++;
  }

  #readString(): void {
    const from = this.#at;
    const { end, isWhole, isPlain } = scanString(this.raw, from);
    const isAtCut = this.isCut && end >= this.raw.length;
    if (!isWhole && !isAtCut) {
      this.#finish(false);
      return;
    }
    const isKey = this.#isInObject && (this.#expected === 'first' || this.#expected === 'next');
    if (isKey) {
      this.#at = end;
      const line = this.#add('none', from, from);
      this.#keyFrom[line] = from;
      this.#keyEnd[line] = end;
      this.#from[line] = end;
      this.#end[line] = end;
      if (!isPlain) this.#flags[line] = NOT_PLAIN;
      this.#expected = 'colon';
    } else this.#addValue('string', from, end, isPlain);
  }

  #readWord(): void {
    const { raw } = this;
    const from = this.#at;
    const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
    word.lastIndex = from;
    const kind: LineKind = /[tfn]/.test(raw.charAt(from)) ? 'literal' : 'number';
    if (word.test(raw) && !this.#isCutWithin(word.lastIndex))
      this.#addValue(kind, from, word.lastIndex, true);
    else if (this.isCut && isCutWord(raw.slice(from, from + MAX_CUT_WORD_LENGTH))) {
      this.#addValue(kind, from, raw.length, true);
    } else this.#finish(false);
  }

  /** Whether a number is cut off by the end of a truncated text, such as `1.`. */
  #isCutWithin(end: number): boolean {
    return this.isCut && end < this.raw.length && isCutWord(this.raw.slice(end, end + 3));
  }

  #openBracket(kind: 'open-object' | 'open-array'): void {
    const line = this.#addValue(kind, this.#at, this.#at + 1, true);
    if (line === null) return;
    this.#open.push(line);
    this.#expected = 'first';
  }

  #closeBracket(kind: 'close-object' | 'close-array'): void {
    const open = this.#open.at(-1);
    const opener = kind === 'close-object' ? OPEN_OBJECT : OPEN_ARRAY;
    const mayClose = this.#expected === 'first' || this.#expected === 'comma';
    if (open === undefined || this.#kind[open] !== opener || !mayClose) {
      this.#finish(false);
      return;
    }
    this.#open.pop();
    const end = ++this.#at;
    if (this.#expected === 'first') {
      this.#kind[open] = code(kind === 'close-object' ? 'empty-object' : 'empty-array');
      this.#end[open] = end;
    } else {
      const line = this.#add(kind, end - 1, end);
      this.#place[line] = this.#place[open] ?? 0;
      this.#mate[line] = open;
      this.#mate[open] = line;
    }
    this.#endValue();
  }

  #addValue(kind: LineKind, from: number, end: number, isPlain: boolean): number | null {
    const { expected, isElement } = this.#standing;
    if (!expected) {
      this.#finish(false);
      return null;
    }
    const line = isElement ? this.#add(kind, from, end) : this.#count - 1;
    this.#kind[line] = code(kind);
    this.#from[line] = from;
    this.#end[line] = end;
    if (!isPlain) this.#flags[line] = (this.#flags[line] ?? 0) | NOT_PLAIN;
    this.#at = end;
    this.#endValue();
    return line;
  }

  /** Whether a value may follow, and whether it starts a line. */
  get #standing(): { expected: boolean; isElement: boolean } {
    const expected = this.#expected;
    if (expected === 'value') return { expected: true, isElement: !this.#isInObject };
    const isElement = !this.#isInObject && this.#open.length > 0;
    return { expected: isElement && (expected === 'first' || expected === 'next'), isElement };
  }

  #endValue(): void {
    this.#expected = this.#open.length > 0 ? 'comma' : 'end';
  }

  get #isInObject(): boolean {
    const open = this.#open.at(-1);
    return open !== undefined && this.#kind[open] === OPEN_OBJECT;
  }

  /** Adds a line to the innermost open bracket. */
  #add(kind: LineKind, from: number, end: number): number {
    if (this.#count === this.#kind.length) this.#grow();
    const line = this.#count++;
    const parent = this.#open.at(-1) ?? NONE;
    this.#kind[line] = code(kind);
    this.#depth[line] = this.#open.length;
    this.#keyFrom[line] = NONE;
    this.#keyEnd[line] = NONE;
    this.#from[line] = from;
    this.#end[line] = end;
    this.#mate[line] = line;
    this.#parent[line] = parent;
    const isClose = kind === 'close-object' || kind === 'close-array';
    if (parent !== NONE && !isClose) {
      const place = this.#children[parent] ?? 0;
      this.#place[line] = place;
      this.#children[parent] = place + 1;
    }
    return line;
  }

  #finish(isJson: boolean): void {
    this.#isDone = true;
    this.#isJson = isJson;
  }

  #grow(): void {
    const capacity = this.#kind.length * 2;
    this.#kind = grown(this.#kind, new Uint8Array(capacity));
    this.#flags = grown(this.#flags, new Uint8Array(capacity));
    this.#depth = grown(this.#depth, new Int32Array(capacity));
    this.#keyFrom = grown(this.#keyFrom, new Int32Array(capacity));
    this.#keyEnd = grown(this.#keyEnd, new Int32Array(capacity));
    this.#from = grown(this.#from, new Int32Array(capacity));
    this.#end = grown(this.#end, new Int32Array(capacity));
    this.#mate = grown(this.#mate, new Int32Array(capacity));
    this.#parent = grown(this.#parent, new Int32Array(capacity));
    this.#place = grown(this.#place, new Int32Array(capacity));
    this.#children = grown(this.#children, new Int32Array(capacity));
  }
}

const OPEN_OBJECT = code('open-object');
const OPEN_ARRAY = code('open-array');
const CLOSE_OBJECT = code('close-object');
const CLOSE_ARRAY = code('close-array');
