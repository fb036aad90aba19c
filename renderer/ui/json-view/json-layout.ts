import type { FindingSeverity } from '#shared/trace/row.ts';
import type { JsonLine, JsonLines, LineKind } from '#ui/json-lines.ts';
import { colourOf, type JsonPiece, valueText } from '#ui/pretty-json.ts';
import { visibleLine } from '#ui/visible.ts';
import { encodedKindOf } from './encoded.ts';
import { breaksOf, plainBreaksOf } from './line-breaks.ts';

/** Characters of a value that are shown before "Show all". */
export const SHOWN_CHARS = 500;
/** Width of the button that decodes a value; columns. */
const BUTTON_COLUMNS = 10;
/** Longer text is not broken at words. */
const MAX_WORD_WRAPPED = 4000;
/** Indent of the rows after the first; columns. */
export const HANGING = 2;

/** A note below a line. */
export interface LineNote {
  readonly severity: FindingSeverity;
  /** Untrusted text. */
  readonly text: string;
}

export interface LayoutOptions {
  /** Width of a row. */
  readonly columns: number;
  readonly folded: ReadonlySet<number>;
  /** Lines whose long value is shown in full. */
  readonly unabridged: ReadonlySet<number>;
  readonly notes: ReadonlyMap<number, readonly LineNote[]>;
}

/** A piece of a row in one colour. `from`: its offset in the raw text, -1 for text that is not in it. */
export interface RowPiece extends JsonPiece {
  readonly from: number;
}

/** One row of a line. */
export type LineRow =
  | {
      readonly what: 'text';
      readonly order: number;
      readonly pieces: readonly RowPiece[];
      readonly isLast: boolean;
    }
  /** "Show all" or "Show less", and how many characters are hidden. */
  | { readonly what: 'rest'; readonly hidden: number }
  | { readonly what: 'note'; readonly note: LineNote; readonly text: string; readonly isFirst: boolean };

/** A piece of a line before it is broken into rows. */
interface Part extends RowPiece {
  /** Its offset in the line. */
  readonly start: number;
}

/**
 * Lays the unfolded lines out in rows of the same height. Long lines wrap into several rows; in a monospaced font that
 * can be computed without measuring.
 */
export class JsonLayout {
  readonly #lines: JsonLines;
  readonly #options: LayoutOptions;
  /** The visible lines, and the first row of each. */
  readonly #shown: Int32Array;
  readonly #starts: Int32Array;
  readonly #count: number;
  readonly #uneven = new Map<number, readonly number[]>();
  /** All rows. */
  readonly rows: number;

  constructor(lines: JsonLines, options: LayoutOptions) {
    this.#lines = lines;
    this.#options = options;
    this.#shown = new Int32Array(lines.count);
    this.#starts = new Int32Array(lines.count);
    let count = 0;
    let rows = 0;
    for (let line = 0; line < lines.count; line = options.folded.has(line) ? lines.next(line) : line + 1) {
      this.#shown[count] = line;
      this.#starts[count] = rows;
      rows += this.#rowCount(line);
      count++;
    }
    this.#count = count;
    this.rows = rows;
  }

  /** Number of visible lines. */
  get count(): number {
    return this.#count;
  }

  /** The line at a place among the visible ones. */
  lineAt = (place: number): number => this.#shown[place] ?? 0;

  /** The first row of the line at a place. */
  startOf = (place: number): number => (place < this.#count ? (this.#starts[place] ?? 0) : this.rows);

  /** The place of the line that a row belongs to. */
  placeOfRow = (row: number): number => lastAtMost(this.#starts, this.#count, row);

  /** The place of a line, or of the folded line that contains it. */
  placeOf = (line: number): number => lastAtMost(this.#shown, this.#count, line);

  /** The row that shows an offset of the raw text. */
  rowOf(offset: number): number {
    const line = this.#lines.lineAt(offset);
    const place = this.placeOf(line);
    const start = this.startOf(place);
    if (this.lineAt(place) !== line) return start;
    const parts = this.#parts(line);
    const part = parts.findLast(({ from }) => from >= 0 && from <= offset);
    const inLine = part === undefined ? 0 : part.start + Math.min(offset - part.from, part.text.length - 1);
    let order = 0;
    const { length: breaks, at } = this.#breaks(line);
    while (order < breaks && at(order) <= inLine) order++;
    return start + order;
  }

  /** Whether an offset of the raw text is visible, and not in the hidden part of a long value. */
  shows(offset: number): boolean {
    const line = this.#lines.lineAt(offset);
    const facts = this.#lines.line(line);
    const hidden = this.#options.unabridged.has(line) ? null : this.#hiddenChars(facts);
    return hidden === null || offset < facts.end - hidden;
  }

  /** Indent of a line in columns, at most half the width. */
  indentOf = (line: number): number =>
    Math.min(this.#lines.depth(line) * 2, Math.floor(this.#options.columns / 2));

  /** The rows of a line from `first` to `end`, exclusive. */
  rowsOf(line: number, first = 0, end = Number.POSITIVE_INFINITY): LineRow[] {
    const parts = this.#parts(line);
    const { length: breaks, at } = this.#breaks(line);
    const rows: LineRow[] = [];
    for (let order = first; order <= breaks && order < end; order++) {
      const from = order === 0 ? 0 : at(order - 1);
      const pieces = piecesWithin(parts, from, order === breaks ? lengthOf(parts) : at(order));
      rows.push({ what: 'text', order, pieces, isLast: order === breaks });
    }
    let order = breaks + 1;
    const add = (row: LineRow) => {
      if (order >= first && order < end) rows.push(row);
      order++;
    };
    const hidden = this.#isFolded(line) ? null : this.#hiddenChars(this.#lines.line(line));
    if (hidden !== null) add({ what: 'rest', hidden: this.#options.unabridged.has(line) ? 0 : hidden });
    for (const note of this.#options.notes.get(line) ?? []) {
      for (const [place, text] of this.#noteRows(line, note).entries()) {
        add({ what: 'note', note, text, isFirst: place === 0 });
      }
    }
    return rows;
  }

  #rowCount(line: number): number {
    const { notes } = this.#options;
    const [room] = this.#widths(line);
    const isFolded = this.#isFolded(line);
    // Fast path for nearly every line.
    if (!isFolded && !notes.has(line) && this.#lines.plainLength(line) <= room - BUTTON_COLUMNS) return 1;
    let rows = this.#breaks(line).length + 1;
    if (!isFolded && this.#hiddenChars(this.#lines.line(line)) !== null) rows++;
    for (const note of notes.get(line) ?? []) rows += this.#noteRows(line, note).length;
    return rows;
  }

  #isFolded = (line: number): boolean => this.#options.folded.has(line) && this.#lines.isOpen(line);

  #hasCommaAtEnd(line: number): boolean {
    const mate = this.#lines.mate(line);
    return mate !== line && this.#lines.line(mate).hasComma;
  }

  #foldedText(line: number): string {
    const isArray = this.#lines.kind(line) === 'open-array';
    const count = this.#lines.childCount(line);
    const size = `${count} ${isArray ? (count === 1 ? 'item' : 'items') : count === 1 ? 'member' : 'members'}`;
    return isArray ? `[ ${size} ]` : `{ ${size} }`;
  }

  /** Characters of a long value that are hidden at first; null for short values. */
  #hiddenChars({ kind, from, end }: JsonLine): number | null {
    const isScalar = kind === 'string' || kind === 'number';
    if (!isScalar || end - from <= SHOWN_CHARS * 1.5) return null;
    // Never split a character.
    const isTorn = /[\udc00-\udfff]/.test(this.#lines.raw.charAt(from + SHOWN_CHARS));
    return end - from - SHOWN_CHARS + (isTorn ? 1 : 0);
  }

  #parts(line: number): Part[] {
    const { raw } = this.#lines;
    const facts = this.#lines.line(line);
    const parts: Part[] = [];
    let start = 0;
    const add = (kind: JsonPiece['kind'], text: string, from: number) => {
      if (text === '') return;
      parts.push({ kind, text, from, start });
      start += text.length;
    };
    if (facts.keyFrom >= 0) add('key', raw.slice(facts.keyFrom, facts.keyEnd), facts.keyFrom);
    if (facts.hasColon) add('plain', ': ', -1);
    if (this.#isFolded(line)) {
      add('plain', this.#foldedText(line), -1);
      if (this.#hasCommaAtEnd(line)) add('plain', ',', -1);
      return parts;
    }
    const hidden = this.#options.unabridged.has(line) ? null : this.#hiddenChars(facts);
    if (hidden === null) add(colourOf(facts.kind), valueText(raw, facts), facts.from);
    else {
      add(colourOf(facts.kind), raw.slice(facts.from, facts.end - hidden), facts.from);
      add('plain', '…', -1);
    }
    if (facts.hasComma) add('plain', ',', -1);
    return parts;
  }

  /** Width of the first row of a line and of the others, in columns. */
  #widths(line: number): [first: number, further: number] {
    const first = Math.max(1, this.#options.columns - this.indentOf(line));
    return [first, Math.max(1, first - HANGING)];
  }

  /** Where the rows after the first begin. The last row may hold only the button that decodes the value. */
  #breaks(line: number): Breaks {
    const facts = this.#lines.line(line);
    const [first, further] = this.#widths(line);
    const written = this.#written(line, facts);
    if (!facts.isPlain) {
      const known = this.#uneven.get(line);
      if (known !== undefined) return listed(known);
      const parts = this.#parts(line);
      const breaks = breaksOf(parts.map(({ text }) => text).join(''), first, further, written.key);
      this.#uneven.set(line, breaks);
      return listed(breaks);
    }
    const { length } = written;
    if (length > MAX_WORD_WRAPPED) {
      return {
        length: length <= first ? 0 : Math.ceil((length - first) / further),
        at: (order) => Math.min(length, first + order * further),
      };
    }
    const breaks = plainBreaksOf(
      (at) => this.#charAt(facts, written, at),
      length,
      first,
      further,
      written.key,
    );
    const room = breaks.length === 0 ? first : further;
    // "Show all" has its own row, with the button beside it.
    const isFull = length - (breaks.at(-1) ?? 0) + BUTTON_COLUMNS > room;
    if (isFull && this.#hiddenChars(facts) === null && encodedKindOf(this.#lines, line) !== null) {
      breaks.push(length);
    }
    return listed(breaks);
  }

  /** The lengths of the parts of a line, in characters. */
  #written(line: number, facts: JsonLine): Written {
    const key = facts.keyFrom < 0 ? 0 : facts.keyEnd - facts.keyFrom;
    const value = key + (facts.hasColon ? 2 : 0);
    if (this.#isFolded(line)) {
      const end = value + this.#foldedText(line).length;
      return { key, value, end, length: end + (this.#hasCommaAtEnd(line) ? 1 : 0) };
    }
    const hidden = this.#options.unabridged.has(line) ? null : this.#hiddenChars(facts);
    const shown = emptyKinds.has(facts.kind) ? 2 : facts.end - facts.from - (hidden ?? 0);
    const end = value + shown;
    return { key, value, end, length: end + (hidden === null ? 0 : 1) + (facts.hasComma ? 1 : 0) };
  }

  /** A character of a line, with the value as in the raw text. */
  #charAt({ keyFrom, from }: JsonLine, { key, value, end }: Written, at: number): number {
    if (at < key) return this.#lines.raw.charCodeAt(keyFrom + at);
    if (at < value) return at === key ? COLON : SPACE;
    return at < end ? this.#lines.raw.charCodeAt(from + at - value) : COLON;
  }

  #noteRows(line: number, { text }: LineNote): string[] {
    const shown = visibleLine(text);
    const [first] = this.#widths(line);
    const width = Math.max(1, first - HANGING);
    return cutAtWords(shown, width);
  }
}

/** The line breaks of a line. */
interface Breaks {
  readonly length: number;
  readonly at: (order: number) => number;
}

const listed = (breaks: readonly number[]): Breaks => ({
  length: breaks.length,
  at: (order) => breaks[order] ?? 0,
});

/** Where the parts of a line end: key, colon, value, and the line itself. */
interface Written {
  readonly key: number;
  readonly value: number;
  readonly end: number;
  readonly length: number;
}

const emptyKinds: ReadonlySet<LineKind> = new Set<LineKind>(['empty-object', 'empty-array']);
const COLON = 0x3a;
const SPACE = 0x20;

const lengthOf = (parts: readonly Part[]): number => {
  const last = parts.at(-1);
  return last === undefined ? 0 : last.start + last.text.length;
};

function piecesWithin(parts: readonly Part[], from: number, end: number): RowPiece[] {
  const pieces: RowPiece[] = [];
  for (const part of parts) {
    const first = Math.max(0, from - part.start);
    const text = part.text.slice(first, Math.max(first, end - part.start));
    if (text !== '' && part.start < end) {
      pieces.push({ kind: part.kind, text, from: part.from < 0 ? -1 : part.from + first });
    }
  }
  return pieces;
}

/** Wraps a sentence to a width, between words where possible. */
function cutAtWords(text: string, width: number): string[] {
  const rows: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 3 ? space : width;
    rows.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...rows, rest];
}

/** Index of the last of the first `count` ascending numbers that is at most `most`. */
function lastAtMost(numbers: Int32Array, count: number, most: number): number {
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle;
  }
  return low;
}
