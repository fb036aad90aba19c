import { fold } from '#shared/trace/filter/fold.ts';
import { writtenText } from './texts.ts';

/** Part of the file in memory: its bytes, and a case-folded copy to search for probes, made on demand. */
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
  /** Whether the line belongs to an HTTP exchange, so that a match only means that the exchange has to be read. */
  readonly isHead: boolean;
}

/** Turns an upper case letter into a lower case one. It also changes other bytes, so matches are checked again. */
const FOLD_BIT = 0x20;
const FOLD_BITS = FOLD_BIT * 0x01010101;

/** Memory for folded copies, reused by one search. */
export class Folder {
  #words = new Uint32Array(0);

  /** A copy is valid until the copy of another span is requested. */
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
 * Returns which of the lines, in file order, contain a text; for lines of HTTP exchanges, which may contain it.
 * Searches for the probe first, and examines only lines with it.
 */
export function searchLines(
  { base, bytes, folded }: Span,
  lines: readonly Line[],
  needle: Needle,
  found: (line: number) => void,
): void {
  const { probe, probeAt, escaped } = needle;
  if (probe === null) {
    for (const [order, line] of lines.entries()) if (mayContain(bytes, base, line, needle)) found(order);
    return;
  }
  const text = new TextCursor(bytes);
  let order = 0;
  let from = (lines[0]?.start ?? base) - base;
  /** The position of the text in the previous line, from the start of that line; -1 if it was not there. */
  let usual = -1;
  for (let at = -1; ; ) {
    // Most lines resemble the previous one, so try the same position first, without a search or a folded copy.
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

/** Whether a line contains a text that has no probe. For a line of an HTTP exchange, whether it may. */
function mayContain(bytes: Buffer, base: number, line: Line, needle: Needle): boolean {
  if (line.isHead) return true;
  // The text may begin inside a surrogate pair, which JSON writes as one character.
  const isWhole = !/\p{Surrogate}/u.test(needle.text);
  const raw = isWhole ? fold(bytes.toString('utf8', line.start - base, line.end - base)) : '';
  return (!isWhole || raw.includes(escapedText(needle.text))) && holds(bytes, base, line, needle);
}

function holds(bytes: Buffer, base: number, line: Line, needle: Needle): boolean {
  const text = writtenText(bytes.toString('utf8', line.start - base, line.end - base));
  return text !== null && fold(text).includes(needle.text);
}

// A comma before an unescaped quote is outside of strings, so this is a key wherever it occurs.
const TEXT_KEY = Buffer.from(',"text":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** Walks over the text of a line, as JSON writes it, from left to right. */
class TextCursor {
  /** Where the text begins; -1 if the line has none, or was not written by us. */
  start = -1;
  readonly #bytes: Buffer;
  #end = 0;
  #at = 0;
  /** The position of the next key. */
  #key = -1;
  /** The position of the key in the previous line, from the start of that line. */
  #usual = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Moves on to a later line. */
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

  /** Moves on to a line; returns whether it has these characters at this offset. */
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

  /** Whether these characters are at a position, which must not be before an earlier one. */
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

/** A text to search for, prepared for searching lines of the file before parsing them. */
export interface Needle {
  /** The text as `fold` returns it. */
  readonly text: string;
  /** Its bytes within a JSON string, folded; null if it is not ASCII. */
  readonly escaped: Buffer | null;
  /**
   * Its longest run of characters that JSON does not escape and that we do not insert ourselves, with
   * `FOLD_BIT` set in each byte. A line without it does not contain the text. Null if there is none.
   */
  readonly probe: Buffer | null;
  /** Where the probe begins in `escaped`. */
  readonly probeAt: number;
  /** The run as text. */
  readonly probeText: string;
}

// The colon of a header line and the spaces of a status line are not recorded.
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

/** A text as it is written between the quotes of a JSON string. */
const escapedText = (text: string): string => JSON.stringify(text).slice(1, -1);
