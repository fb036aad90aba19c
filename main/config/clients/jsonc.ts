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
}

/** No configuration is deeper; a hostile text would exhaust the stack. */
const MAX_DEPTH = 100;

/** Reads a text; never throws. */
export function readJsonc(text: string): JsonText {
  const reader = new Reader(text);
  const root = reader.document();
  return { root, error: reader.error };
}

/** The first position from here on that is neither whitespace nor in a comment; null if a comment is not closed. */
export function skipTrivia(text: string, from: number): number | null {
  let place = from;
  for (;;) {
    // Editors write byte order marks, and people paste spaces of all kinds.
    while (place < text.length && /\s/.test(text.charAt(place))) place++;
    if (text.startsWith('//', place)) {
      const end = text.slice(place).search(/[\r\n]/);
      place = end === -1 ? text.length : place + end;
    } else if (text.startsWith('/*', place)) {
      const end = text.indexOf('*/', place + 2);
      if (end === -1) return null;
      place = end + 2;
    } else return place;
  }
}

class Reader {
  error: JsonText['error'] = null;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode | null {
    this.#skip();
    const root = this.#at < this.#text.length ? this.#value(0) : null;
    this.#skip();
    if (this.#at < this.#text.length) this.#fail('There is more text after the end of the JSON value.');
    return root;
  }

  #value(depth: number): JsonNode | null {
    const character = this.#text.charAt(this.#at);
    if (depth > MAX_DEPTH) return this.#fail('The values are nested too deeply.');
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (character === '"') {
      const offset = this.#at;
      const value = this.#string();
      return value === null ? null : { type: 'string', value, offset, end: this.#at };
    }
    return this.#word();
  }

  #object(depth: number): JsonNode {
    const offset = this.#at++;
    const members: JsonMember[] = [];
    this.#list('}', 'an object', () => {
      const start = this.#at;
      if (this.#text.charAt(start) !== '"') return this.#fail('A key in quotation marks is missing here.');
      const key = this.#string();
      if (key === null) return null;
      this.#skip();
      if (this.#text.charAt(this.#at) !== ':') return this.#fail('A ":" is missing after the key.');
      this.#at++;
      this.#skip();
      const node = this.#value(depth + 1);
      if (node !== null) members.push({ key, node, offset: start, end: node.end });
      return node;
    });
    return { type: 'object', members, offset, end: this.#at };
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
  #list(close: string, what: string, item: () => JsonNode | null): void {
    for (;;) {
      this.#skip();
      if (this.#text.charAt(this.#at) === close) break;
      if (this.#at >= this.#text.length) {
        this.#fail(`A "${close}" is missing here: ${what} is not closed.`);
        return;
      }
      if (item() === null) return;
      this.#skip();
      const next = this.#text.charAt(this.#at);
      if (next === ',') this.#at++;
      else if (next !== close && next !== '') {
        this.#fail('A "," is missing before this.');
        return;
      }
    }
    this.#at++;
  }

  #string(): string | null {
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
    return this.#fail('This word is no value of JSON: texts need quotation marks.');
  }

  #skip(): void {
    const place = skipTrivia(this.#text, this.#at);
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
