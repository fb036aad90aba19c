import { fold } from '#shared/trace/filter/fold.ts';
import { writtenText } from './texts.ts';

/** Part of the file in memory: its bytes, and a copy of them in which probes are looked for, made when it is asked for. */
interface Span {
  /** Where it begins in the file. */
  readonly base: number;
  readonly bytes: Buffer;
  readonly folded: () => Buffer;
}

/** A line of the file to be searched, from one byte to another. */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** It belongs to an HTTP exchange; that something is on it says only that it is worth reading. */
  readonly isHead: boolean;
}

/** Makes a lower case letter of an upper case one, and of other bytes something that is checked later. */
const FOLD_BIT = 0x20;
const FOLD_BITS = FOLD_BIT * 0x01010101;

/** Memory for folded copies, used again and again by one search. */
export class Folder {
  #words = new Uint32Array(0);

  /** The span holds until the copy of another one is asked for. */
  span(base: number, bytes: Buffer): Span {
    let folded: Buffer | undefined;
    return { base, bytes, folded: () => (folded ??= this.#fold(bytes)) };
  }

  #fold(bytes: Buffer): Buffer {
    const count = Math.ceil(bytes.length / 4);
    if (count > this.#words.length) this.#words = new Uint32Array(count);
    const words = this.#words;
    const folded = Buffer.from(words.buffer, 0, bytes.length);
    bytes.copy(folded);
    for (let place = 0; place < count; place++) words[place] = (words[place] ?? 0) | FOLD_BITS;
    return folded;
  }
}

/**
 * Tells which of the lines, that stand in their order, hold a text; of the lines of HTTP exchanges, which could.
 * Looks for the probe first, so that only what has it is looked at closely.
 */
export function searchLines(
  { base, bytes, folded }: Span,
  lines: readonly Line[],
  needle: Needle,
  found: (line: number) => void,
): void {
  const { probe, probeAt, escaped } = needle;
  if (probe === null) {
    for (const [order, line] of lines.entries()) if (couldHold(bytes, base, line, needle)) found(order);
    return;
  }
  const text = new TextCursor(bytes);
  let order = 0;
  let from = (lines[0]?.start ?? base) - base;
  /** Where the text was in the line before, from the beginning of that line; -1 when it was not there. */
  let usual = -1;
  for (let at = -1; ; ) {
    // Most lines are like the one before, so that is where to look first: without a search, and without a folded copy.
    if (usual !== -1 && escaped !== null) {
      while (text.holdsUsually(lines[order], base, usual, escaped)) found(order++);
      const next = lines[order];
      if (next === undefined) return;
      from = next.start - base;
      at = -1;
      usual = -1;
    }
    const place = folded().indexOf(probe, from);
    if (place === -1) return;
    while (order < lines.length && (lines[order]?.end ?? 0) - base <= place) order++;
    const line = lines[order];
    if (line === undefined) return;
    const start = line.start - base;
    const end = line.end - base;
    if (place < start) {
      from = start;
      continue;
    }
    if (at !== order) text.enter(start, end);
    at = order;
    if (line.isHead) {
      found(order);
      from = end;
    } else if (escaped === null || text.start === -1) {
      if (holds(bytes, base, line, needle)) found(order);
      from = end;
    } else if (place < text.start) {
      from = text.start;
    } else if (text.holdsAt(place - probeAt, escaped)) {
      found(order);
      from = end;
      usual = place - probeAt - start;
      order++;
    } else {
      from = place + 1;
    }
  }
}

/** Whether a line could hold a text of which nothing can be looked for in bytes, and if so, whether it does. */
function couldHold(bytes: Buffer, base: number, line: Line, needle: Needle): boolean {
  if (line.isHead) return true;
  // Half a character may be in what JSON writes whole.
  const isWhole = !/\p{Surrogate}/u.test(needle.text);
  const raw = isWhole ? fold(bytes.toString('utf8', line.start - base, line.end - base)) : '';
  return (!isWhole || raw.includes(escapedText(needle.text))) && holds(bytes, base, line, needle);
}

function holds(bytes: Buffer, base: number, line: Line, needle: Needle): boolean {
  const text = writtenText(bytes.toString('utf8', line.start - base, line.end - base));
  return text !== null && fold(text).includes(needle.text);
}

// Before a quote that is no part of a string the comma is none either, so this is a key wherever it stands.
const TEXT_KEY = Buffer.from(',"text":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** Goes through the texts of lines character by character, as JSON writes them, never back. */
class TextCursor {
  /** Where the text begins; -1 when the line has none, or is not written as we write it. */
  start = -1;
  readonly #bytes: Buffer;
  #end = 0;
  #at = 0;
  /** Where the next key is that was looked for. */
  #key = -1;
  /** Where the key was in the line before, from the beginning of that line. */
  #usual = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Goes to a line after those before. */
  enter(start: number, end: number): void {
    if (this.#key < start) {
      const usual = start + this.#usual;
      this.#key = this.#isKeyAt(usual) ? usual : this.#bytes.indexOf(TEXT_KEY, start);
      if (this.#key === -1) this.#key = this.#bytes.length;
      if (this.#key < end) this.#usual = this.#key - start;
    }
    this.start = this.#key < end ? this.#key + TEXT_KEY.length : -1;
    this.#at = this.start;
    this.#end = end;
  }

  /** Enters a line and tells whether these characters stand so far behind its beginning. */
  holdsUsually(line: Line | undefined, base: number, usual: number, escaped: Buffer): boolean {
    if (line === undefined || line.isHead) return false;
    this.enter(line.start - base, line.end - base);
    return this.start !== -1 && this.holdsAt(line.start - base + usual, escaped);
  }

  #isKeyAt(place: number): boolean {
    for (let offset = 0; offset < TEXT_KEY.length; offset++) {
      if (this.#bytes[place + offset] !== TEXT_KEY[offset]) return false;
    }
    return true;
  }

  /** Whether these characters stand at a place, which is not before those asked for earlier. */
  holdsAt(place: number, escaped: Buffer): boolean {
    if (place < this.start || place + escaped.length > this.#end) return false;
    const bytes = this.#bytes;
    for (let offset = 0; offset < escaped.length; offset++) {
      const byte = bytes[place + offset] ?? 0;
      const lower = byte >= CAPITAL_A && byte <= CAPITAL_Z ? byte | FOLD_BIT : byte;
      if (lower !== escaped[offset]) return false;
    }
    return this.#isCharacterAt(place);
  }

  /** Whether a character of the text begins here. */
  #isCharacterAt(place: number): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < place) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte !== BACKSLASH) at++;
      else at += bytes[at + 1] === LETTER_U ? 6 : 2;
    }
    this.#at = at;
    return at === place;
  }
}

/** A text to look for, prepared so that it can be looked for in lines of the file before they are read. */
export interface Needle {
  /** Folded, as `fold` folds what it is compared with. */
  readonly text: string;
  /** The bytes it has on record within a JSON string, folded; null when it is not ASCII. */
  readonly escaped: Buffer | null;
  /**
   * Its longest run of characters that JSON leaves as they are and that no join of ours is made of, with
   * `FOLD_BIT` set in each byte. Where it is missing the text is missing too. Null when there is none.
   */
  readonly probe: Buffer | null;
  /** Where the probe begins in `escaped`. */
  readonly probeAt: number;
  /** The same run as text. */
  readonly probeText: string;
}

// Neither of a header line nor of a status line is the colon or the space between its parts on record.
const RUNS = /[!#-9;-[\]-~]+/g;
const NOT_ASCII = /[^\0-\x7f]/;

export function needleOf(written: string): Needle {
  const text = fold(written);
  const isAscii = !NOT_ASCII.test(text);
  const escaped = isAscii ? Buffer.from(escapedText(text)) : null;
  const runs = [...text.matchAll(RUNS)];
  const [longest] = runs.sort((a, b) => b[0].length - a[0].length);
  if (longest === undefined) return { text, escaped, probe: null, probeAt: 0, probeText: '' };
  const [probeText] = longest;
  const probe = Buffer.from(probeText).map((byte) => byte | FOLD_BIT);
  const probeAt = escapedText(text.slice(0, longest.index)).length;
  return { text, escaped, probe: Buffer.from(probe), probeAt, probeText };
}

/** As it stands between the quotes of a JSON string. */
const escapedText = (text: string): string => JSON.stringify(text).slice(1, -1);
