import { endOfWord, scanString } from '#shared/json/tokens.ts';

/**
 * Reads JSON with comments and trailing commas, and says where each value is, so that a text can be edited in place. For
 * the configuration files of editors; messages of servers are strict JSON.
 */
export type JsonNode = JsonScalar | JsonObject | JsonArray;

interface JsonScalar extends Span {
  readonly type: 'string' | 'number' | 'boolean' | 'null';
  readonly value: string | number | boolean | null;
}

interface JsonObject extends Span {
  readonly type: 'object';
  readonly members: readonly JsonMember[];
}

interface JsonArray extends Span {
  readonly type: 'array';
  readonly elements: readonly JsonNode[];
}

/** `offset`: of the key. `end`: of the value. */
export interface JsonMember extends Span {
  readonly key: string;
  readonly node: JsonNode;
}

interface Span {
  readonly offset: number;
  /** Exclusive. */
  readonly end: number;
}

interface JsonText {
  /** As far as it could be read; null if there is no value. */
  readonly root: JsonNode | null;
  /** The first syntax error; what follows it is not read. */
  readonly error: { readonly offset: number; readonly what: string } | null;
  /** What only a lenient reading takes, in the order of the text. */
  readonly departures: readonly Departure[];
}

/** A place where a text is no JSON, and is read nevertheless. */
export interface Departure {
  readonly offset: number;
  readonly kind: 'placeholder' | 'quotation-mark' | 'bare-key' | 'backslash';
}

/** No configuration is deeper; a hostile text would exhaust the stack. */
const MAX_DEPTH = 100;

/**
 * Reads a text; never throws. A lenient reading is for what people paste: members without the braces around them, comments
 * after `#`, keys without quotation marks, single and typographic quotation marks, and `...` for what is left out.
 */
export function readJsonc(text: string, { isLenient = false } = {}): JsonText {
  const reader = new Reader(text, isLenient);
  const root = reader.document();
  return { root, error: reader.error, departures: reader.departures };
}

/** The first position from here on that is neither whitespace nor in a comment; null if a comment is not closed. */
export function skipTrivia(text: string, from: number, { takesHash = false } = {}): number | null {
  let place = from;
  for (;;) {
    // Editors write byte order marks, and people paste spaces of all kinds.
    while (place < text.length && isSpace.test(text.charAt(place))) place++;
    if (text.startsWith('//', place) || (takesHash && text.charAt(place) === '#')) {
      const end = text.slice(place).search(/[\r\n]/);
      place = end === -1 ? text.length : place + end;
    } else if (text.startsWith('/*', place)) {
      const end = text.indexOf('*/', place + 2);
      if (end === -1) return null;
      place = end + 2;
    } else return place;
  }
}

/** Spaces, and characters without a width that come along when text is copied from a page. */
const isSpace = /[\s\u200b-\u200d\u2060]/;

const doubleQuotes = '"\u201c\u201d\u201e';
const singleQuotes = "'\u2018\u2019\u201a";

/** Departures that are worth saying; a text can have millions. */
const MAX_DEPARTURES = 100;

class Reader {
  error: JsonText['error'] = null;
  readonly departures: Departure[] = [];
  readonly #text: string;
  readonly #isLenient: boolean;
  #at = 0;

  constructor(text: string, isLenient: boolean) {
    this.#text = text;
    this.#isLenient = isLenient;
  }

  document(): JsonNode | null {
    this.#skip();
    const root = this.#isFragment()
      ? this.#members('', 0, 0)
      : this.#at < this.#text.length
        ? this.#value(0)
        : null;
    this.#skip();
    // A member is copied with the comma after it, and an object of a program with a semicolon.
    if (this.#isLenient && root !== null && /[,;]/.test(this.#text.charAt(this.#at))) {
      this.#at++;
      this.#skip();
    }
    if (this.#at < this.#text.length) this.#fail('There is more text after the end of the JSON value.');
    return root;
  }

  /** Whether members come without a brace before them. */
  #isFragment(): boolean {
    if (!this.#isLenient || this.error !== null) return false;
    const start = this.#at;
    const key = this.#isQuote(doubleQuotes + singleQuotes) || this.#bareKey() !== null ? this.#key() : null;
    this.#skip();
    const isKey = key !== null && this.#text.charAt(this.#at) === ':';
    this.#at = start;
    this.error = null;
    this.departures.length = 0;
    return isKey;
  }

  #value(depth: number): JsonNode | null {
    const character = this.#text.charAt(this.#at);
    if (depth > MAX_DEPTH) return this.#fail('The values are nested too deeply.');
    if (character === '{') return this.#members('}', this.#at++, depth);
    if (character === '[') return this.#array(depth);
    if (this.#isQuote(this.#isLenient ? doubleQuotes + singleQuotes : '"')) {
      const offset = this.#at;
      const value = this.#string();
      return value === null ? null : { type: 'string', value, offset, end: this.#at };
    }
    return this.#word();
  }

  #members(close: string, offset: number, depth: number): JsonNode {
    const members: JsonMember[] = [];
    this.#list(close, 'an object', () => {
      const start = this.#at;
      const key = this.#key();
      if (key === null) return null;
      this.#skip();
      if (this.#text.charAt(this.#at) !== ':') return this.#fail('A ":" is missing after the key.');
      this.#at++;
      this.#skip();
      if (this.#placeholder()) return true;
      const node = this.#value(depth + 1);
      if (node !== null) members.push({ key, node, offset: start, end: node.end });
      return node;
    });
    return { type: 'object', members, offset, end: this.#at };
  }

  #key(): string | null {
    if (this.#isQuote(this.#isLenient ? doubleQuotes + singleQuotes : '"')) return this.#string();
    const bare = this.#isLenient ? this.#bareKey() : null;
    if (bare === null) return this.#fail('A key in quotation marks is missing here.');
    this.#depart('bare-key');
    this.#at += bare.length;
    return bare;
  }

  #bareKey(): string | null {
    const pattern = /[A-Za-z_$][\w$-]*/y;
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }

  /** Whether `...` is here, which stands for what the author left out; skips it with the words after it. */
  #placeholder(): boolean {
    if (!this.#isLenient || !/^(?:\.{3}|\u2026)/.test(this.#text.slice(this.#at, this.#at + 3))) return false;
    this.#depart('placeholder');
    while (this.#at < this.#text.length && !/[,}\]\r\n]/.test(this.#text.charAt(this.#at))) this.#at++;
    return true;
  }

  #isQuote(quotes: string): boolean {
    return this.#at < this.#text.length && quotes.includes(this.#text.charAt(this.#at));
  }

  #depart(kind: Departure['kind']): void {
    if (this.departures.length < MAX_DEPARTURES) this.departures.push({ offset: this.#at, kind });
  }

  #array(depth: number): JsonNode {
    const offset = this.#at++;
    const elements: JsonNode[] = [];
    this.#list(']', 'a list', () => {
      const node = this.#value(depth + 1);
      if (node !== null) elements.push(node);
      return node;
    });
    return { type: 'array', elements, offset, end: this.#at };
  }

  /** Reads items up to the closing bracket, with a comma after each but, as one likes, the last. */
  #list(close: string, what: string, item: () => unknown): void {
    for (;;) {
      this.#skip();
      if (this.#text.charAt(this.#at) === close) break;
      if (this.#at >= this.#text.length) {
        this.#fail(`A "${close}" is missing here: ${what} is not closed.`);
        return;
      }
      // The braces around members without them are often copied at one end only.
      if (close === '' && this.#text.charAt(this.#at) === '}') {
        this.#closings();
        return;
      }
      if (this.#placeholder()) {
        this.#skip();
        if (this.#text.charAt(this.#at) === ',') this.#at++;
        continue;
      }
      if (item() === null) return;
      this.#skip();
      const next = this.#text.charAt(this.#at);
      if (next === ',') this.#at++;
      else if (
        next !== close &&
        next !== '' &&
        !(close === '' && /[};]/.test(next)) &&
        !this.#isPlaceholderNext()
      ) {
        this.#fail('A "," is missing before this.');
        return;
      }
      if (close === '' && next === ';') return;
    }
    this.#at += close.length;
  }

  #closings(): void {
    while (this.#text.charAt(this.#at) === '}') {
      this.#at++;
      this.#skip();
    }
  }

  #isPlaceholderNext(): boolean {
    return this.#isLenient && /[.\u2026]/.test(this.#text.charAt(this.#at));
  }

  #string(): string | null {
    if (this.#text.charAt(this.#at) !== '"') return this.#typographic();
    if (this.#isLenient && /^"[A-Za-z]:\\[^\\"]/.test(this.#text.slice(this.#at, this.#at + 5)))
      return this.#windowsPath();
    const { end, isWhole } = scanString(this.#text, this.#at);
    if (!isWhole) {
      const isEscape = this.#text.charAt(end - 1) === '\\' || this.#text.charAt(end - 1) === 'u';
      this.#at = Math.min(end, this.#text.length);
      return this.#fail(
        isEscape
          ? 'A "\\" in a text begins no known escape; write "\\\\" in paths of Windows.'
          : 'A text is not closed: its quotation mark is missing.',
      );
    }
    const value = String(JSON.parse(this.#text.slice(this.#at, end)));
    this.#at = end;
    return value;
  }

  /** A path whose backslashes are not doubled, so that `C:\temp` has no tab in it. */
  #windowsPath(): string | null {
    const pattern = /"([^"\r\n]*)"/y;
    pattern.lastIndex = this.#at;
    const [written, path] = pattern.exec(this.#text) ?? [];
    if (written === undefined || path === undefined)
      return this.#fail('A text is not closed: its quotation mark is missing.');
    this.#depart('backslash');
    this.#at += written.length;
    return path.replaceAll('\\\\', '\\');
  }

  /** A text in single quotation marks, or in those that word processors make of straight ones. */
  #typographic(): string | null {
    const quotes = doubleQuotes.includes(this.#text.charAt(this.#at)) ? doubleQuotes : singleQuotes;
    let content = '';
    let end = this.#at + 1;
    for (; end < this.#text.length && !quotes.includes(this.#text.charAt(end)); end++) {
      const character = this.#text.charAt(end);
      if (/[\r\n]/.test(character)) break;
      if (character === '\\') {
        const escaped = this.#text.charAt(++end);
        content += escaped === "'" ? escaped : character + escaped;
      } else content += character === '"' ? '\\"' : character;
    }
    const value = quotes.includes(this.#text.charAt(end) || '\n') ? parsedString(content) : null;
    if (value === null) return this.#fail('A text is not closed, or has a "\\" that begins no known escape.');
    this.#depart('quotation-mark');
    this.#at = end + 1;
    return value;
  }

  #word(): JsonNode | null {
    const offset = this.#at;
    const end = endOfWord(this.#text, offset);
    const [word = ''] = this.#text.slice(offset, end).split(/\/[/*]/, 1);
    if (word === '') return this.#fail('A value is missing here.');
    this.#at = offset + word.length;
    const place = { offset, end: this.#at };
    if (word === 'true' || word === 'false') return { type: 'boolean', value: word === 'true', ...place };
    if (word === 'null') return { type: 'null', value: null, ...place };
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word))
      return { type: 'number', value: Number(word), ...place };
    this.#at = offset;
    return this.#fail('This word is not a JSON value: texts need quotation marks.');
  }

  #skip(): void {
    const place = skipTrivia(this.#text, this.#at, { takesHash: this.#isLenient });
    if (place !== null) this.#at = place;
    else this.#fail('A comment is not closed.');
  }

  /** Keeps the first error, and ends the reading. */
  #fail(what: string): null {
    this.error ??= { offset: this.#at, what };
    this.#at = this.#text.length;
    return null;
  }
}

/** The text between two quotation marks; null if its escapes are not those of JSON. */
function parsedString(content: string): string | null {
  try {
    return String(JSON.parse(`"${content}"`));
  } catch {
    return null;
  }
}
