import { parse } from 'smol-toml';

/** Where a value of a TOML text is. */
export interface PlacedToml {
  /** Of its key, or of the header of its table. */
  readonly keyOffset: number;
  readonly offset: number;
  /** Exclusive; of a table with a header, the end of its last line. */
  end: number;
  /** How it is written: a value, a table below a header, or only a part of the name of another table. */
  form: 'value' | 'table' | 'implied';
  /** Of a table that dotted keys make: its keys as the lines have them. */
  readonly dotted?: readonly string[];
  members?: Map<string, PlacedToml>;
  elements?: PlacedToml[];
}

/** Finds the places of all values of a valid TOML text (TOML 1.0); which values these are is for the parser. */
export const placeToml = (text: string): PlacedToml => new Placer(text).document();

class Placer {
  readonly #text: string;
  readonly #root: PlacedToml;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#root = { ...this.#begun(0, 0), form: 'table', end: text.length };
  }

  document(): PlacedToml {
    if (this.#text.startsWith('\ufeff')) this.#at++;
    let table = this.#root;
    for (this.#skip(); this.#at < this.#text.length; this.#skip()) {
      const offset = this.#at;
      if (this.#character === '[') table = this.#header(offset);
      else {
        const value = this.#member(table, offset);
        if (table !== this.#root) table.end = value.end;
      }
      // A text that is not valid after all is not read in circles.
      if (this.#at === offset) break;
    }
    return this.#root;
  }

  get #character(): string {
    return this.#text.charAt(this.#at);
  }

  #header(offset: number): PlacedToml {
    const isList = this.#text.startsWith('[[', offset);
    this.#at += isList ? 2 : 1;
    const path = this.#key(']');
    this.#at += isList ? 2 : 1;
    const last = path.pop() ?? '';
    const owner = this.#inside(this.#root, path, offset, false);
    const existing = owner.members?.get(last);
    const place: PlacedToml = { ...this.#begun(offset, offset), form: 'table' };
    if (isList) {
      const list = existing ?? this.#add(owner, last, { ...place, elements: [] });
      (list.elements ??= []).push(place);
      list.end = place.end;
      return place;
    }
    // A table may come after those that are in it.
    return this.#add(owner, last, { ...place, members: existing?.members ?? new Map() });
  }

  #member(table: PlacedToml, offset: number): PlacedToml {
    const path = this.#key('=');
    this.#at++;
    this.#skipSpaces();
    const last = path.pop() ?? '';
    return this.#add(this.#inside(table, path, offset, true), last, this.#value(offset));
  }

  /** The table at the end of a path; those that are not there yet are implied. */
  #inside(table: PlacedToml, path: readonly string[], offset: number, isDotted: boolean): PlacedToml {
    let owner = table;
    for (const [index, key] of path.entries()) {
      const begun = this.#begun(offset, offset);
      const implied = isDotted ? { ...begun, dotted: path.slice(0, index + 1) } : begun;
      const next: PlacedToml = owner.members?.get(key) ?? this.#add(owner, key, implied);
      owner = next.elements?.at(-1) ?? next;
    }
    return owner;
  }

  #add(owner: PlacedToml, key: string, place: PlacedToml): PlacedToml {
    (owner.members ??= new Map()).set(key, place);
    return place;
  }

  #begun(keyOffset: number, offset: number): PlacedToml {
    return { keyOffset, offset, end: this.#at, form: 'implied' };
  }

  /** The parts of a key up to a character, which is not read. */
  #key(end: string): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#skipSpaces();
      const from = this.#at;
      if (this.#character === '"' || this.#character === "'") {
        this.#string();
        parts.push(unquoted(this.#text.slice(from, this.#at)));
      } else {
        while (/[\w-]/.test(this.#character)) this.#at++;
        parts.push(this.#text.slice(from, this.#at));
      }
      this.#skipSpaces();
      if (this.#character === end || this.#character !== '.') return parts;
      this.#at++;
    }
  }

  #value(keyOffset: number): PlacedToml {
    const place: PlacedToml = { ...this.#begun(keyOffset, this.#at), form: 'value' };
    const character = this.#character;
    if (character === '"' || character === "'") this.#string();
    else if (character === '[') {
      place.elements = [];
      const { elements } = place;
      this.#items(']', () => elements.push(this.#value(this.#at)));
    } else if (character === '{') this.#items('}', () => this.#member(place, this.#at));
    else {
      while (this.#at < this.#text.length && !/[,\]}#\r\n]/.test(this.#character)) this.#at++;
      while (/[ \t]/.test(this.#text.charAt(this.#at - 1))) this.#at--;
    }
    place.end = this.#at;
    return place;
  }

  #items(close: string, item: () => void): void {
    this.#at++;
    for (;;) {
      this.#skip();
      const before = this.#at;
      if (this.#at >= this.#text.length) return;
      if (this.#character === close) break;
      if (this.#character === ',') this.#at++;
      else item();
      if (this.#at === before) return;
    }
    this.#at++;
  }

  #string(): void {
    const quote = this.#character;
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const close = isLong ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(close, this.#at))
      this.#at += quote === '"' && this.#character === '\\' ? 2 : 1;
    this.#at += close.length;
    // Up to two quotation marks may precede those that close it.
    const most = isLong ? 2 : 0;
    for (let count = 0; count < most && this.#character === quote; count++) this.#at++;
  }

  #skipSpaces(): void {
    while (this.#character === ' ' || this.#character === '\t') this.#at++;
  }

  /** Skips spaces, line ends and comments. */
  #skip(): void {
    for (;;) {
      while (/[ \t\r\n]/.test(this.#character)) this.#at++;
      if (this.#character !== '#') return;
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end === -1 ? this.#text.length : end;
    }
  }
}

function unquoted(written: string): string {
  if (!written.startsWith('"') || !written.includes('\\')) return written.slice(1, -1);
  return Object.keys(parse(`${written} = 0`))[0] ?? written;
}
