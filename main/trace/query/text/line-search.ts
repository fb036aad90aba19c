import { fold } from '#shared/trace/filter/fold.ts';
import { escapedText, FOLD_BIT, type Needle } from './needle.ts';
import { writtenText } from './texts.ts';

/** Part of the file in memory: its bytes, and a copy of them in which probes are looked for. */
export interface Span {
  readonly bytes: Buffer;
  readonly folded: Buffer;
}

/** Where a line begins and ends in a span. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

const FOLD_BITS = FOLD_BIT * 0x01010101;

/** Memory for folded copies, used again and again by one search. */
export class Folder {
  #words = new Uint32Array(0);

  fold(bytes: Buffer): Span {
    const count = Math.ceil(bytes.length / 4);
    if (count > this.#words.length) this.#words = new Uint32Array(count);
    const words = this.#words;
    const folded = Buffer.from(words.buffer, 0, bytes.length);
    bytes.copy(folded);
    for (let place = 0; place < count; place++) words[place] = (words[place] ?? 0) | FOLD_BITS;
    return { bytes, folded };
  }
}

/** Tells which of the lines, that stand in their order, hold a text. */
export function searchLines(
  span: Span,
  lines: readonly LineRange[],
  needle: Needle,
  found: (line: number) => void,
): void {
  if (needle.probe === null) {
    for (const [order, line] of lines.entries()) if (couldHold(span, line, needle)) found(order);
    return;
  }
  let order = 0;
  let from = lines[0]?.start ?? 0;
  let text: TextCursor | null = null;
  for (;;) {
    const place = span.folded.indexOf(needle.probe, from);
    if (place === -1) return;
    while (order < lines.length && (lines[order]?.end ?? 0) <= place) {
      order++;
      text = null;
    }
    const line = lines[order];
    if (line === undefined) return;
    if (place < line.start) {
      from = line.start;
      continue;
    }
    text ??= TextCursor.in(span.bytes, line);
    if (needle.escaped === null || text === null) {
      if (holds(span, line, needle)) found(order);
      from = line.end;
    } else if (place < text.start) {
      from = text.start;
    } else if (text.holdsAt(place - needle.probeAt, needle.escaped)) {
      found(order);
      from = line.end;
    } else {
      from = place + 1;
    }
  }
}

/** Whether a line could hold a text of which nothing can be looked for in bytes, and if so, whether it does. */
function couldHold(span: Span, line: LineRange, needle: Needle): boolean {
  // Half a character may be in what JSON writes whole.
  const isWhole = !/\p{Surrogate}/u.test(needle.text);
  const raw = isWhole ? fold(span.bytes.toString('utf8', line.start, line.end)) : '';
  return (!isWhole || raw.includes(escapedText(needle.text))) && holds(span, line, needle);
}

const holds = ({ bytes }: Span, { start, end }: LineRange, needle: Needle): boolean => {
  const text = writtenText(bytes.toString('utf8', start, end));
  return text !== null && fold(text).includes(needle.text);
};

// Before a quote that is no part of a string the comma is none either, so this is a key wherever it stands.
const TEXT_KEY = Buffer.from(',"text":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** Goes through the text on a line character by character, as JSON writes them, never back. */
class TextCursor {
  readonly start: number;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  private constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.start = start;
    this.#at = start;
    this.#end = end;
  }

  /** Null when the line has no text, or is not written as we write it. */
  static in(bytes: Buffer, { start, end }: LineRange): TextCursor | null {
    const key = bytes.subarray(start, end).indexOf(TEXT_KEY);
    return key === -1 ? null : new TextCursor(bytes, start + key + TEXT_KEY.length, end);
  }

  /** Whether these characters stand at a place, which is not before those asked for earlier. */
  holdsAt(place: number, escaped: Buffer): boolean {
    if (place < this.start || place + escaped.length > this.#end) return false;
    for (let offset = 0; offset < escaped.length; offset++) {
      if (lowerCase(this.#bytes[place + offset] ?? 0) !== escaped[offset]) return false;
    }
    return this.#isCharacterAt(place);
  }

  /** Whether a character of the text begins here. */
  #isCharacterAt(place: number): boolean {
    while (this.#at < place) {
      const byte = this.#bytes[this.#at];
      if (byte === QUOTE) return false;
      if (byte !== BACKSLASH) this.#at++;
      else this.#at += this.#bytes[this.#at + 1] === LETTER_U ? 6 : 2;
    }
    return this.#at === place;
  }
}

const lowerCase = (byte: number): number => (byte >= CAPITAL_A && byte <= CAPITAL_Z ? byte | FOLD_BIT : byte);
