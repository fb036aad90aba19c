import type { FindingSeverity } from '#shared/trace/row.ts';
import type { JsonLine, JsonLines, LineKind } from '#ui/json-lines.ts';
import { colourOf, type JsonPiece, valueText } from '#ui/pretty-json.ts';
import { visibleLine } from '#ui/visible.ts';
import { encodedKindOf } from './encoded.ts';
import { breaksOf, plainBreaksOf } from './line-breaks.ts';

/** Characters of a value that are shown before "Show all". */
export const SHOWN_CHARS = 500;
/** Columns that the button takes up which decodes a value. */
const BUTTON_COLUMNS = 10;
/** Longer text breaks wherever the width ends. */
const LONGEST_OF_WORDS = 4000;
/** Columns that the rows after the first stand further in. */
export const HANGING = 2;

/** Something to say of a line. */
export interface LineNote {
  readonly severity: FindingSeverity;
  /** Untrusted text. */
  readonly text: string;
}

/** How the reader wants it. */
export interface LayoutOptions {
  /** Columns of a row. */
  readonly columns: number;
  readonly folded: ReadonlySet<number>;
  /** Lines whose long value is shown to its end. */
  readonly unabridged: ReadonlySet<number>;
  readonly notes: ReadonlyMap<number, readonly LineNote[]>;
}

/** A stretch of a row in one colour; `from` is its place in the raw text, -1 for what is not in it. */
export interface RowPiece extends JsonPiece {
  readonly from: number;
}

/** What a row of a line shows. */
export type LineRow =
  | {
      readonly what: 'text';
      readonly order: number;
      readonly pieces: readonly RowPiece[];
      readonly isLast: boolean;
    }
  /** The value goes on, or was shown to its end: so many characters are not shown. */
  | { readonly what: 'rest'; readonly hidden: number }
  | { readonly what: 'note'; readonly note: LineNote; readonly text: string; readonly isFirst: boolean };

/** A piece of a line before it is cut into rows. */
interface Part extends RowPiece {
  /** Where it begins in the line. */
  readonly start: number;
}

/**
 * Rows of one height for the lines that are not folded away. Long lines take several rows, broken where the width ends:
 * in a font of fixed width that can be counted, so nothing needs to be measured.
 */
export class JsonLayout {
  readonly #lines: JsonLines;
  readonly #options: LayoutOptions;
  /** The lines that are shown, and the row each begins at. */
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

  /** How many lines are shown. */
  get count(): number {
    return this.#count;
  }

  /** The line that is the `place`th of those shown. */
  lineAt = (place: number): number => this.#shown[place] ?? 0;

  /** The row at which the `place`th of the lines shown begins. */
  startOf = (place: number): number => (place < this.#count ? (this.#starts[place] ?? 0) : this.rows);

  /** Which of the lines shown a row belongs to. */
  placeOfRow = (row: number): number => lastAtMost(this.#starts, this.#count, row);

  /** Which of the lines shown is this one, or that it is folded into. */
  placeOf = (line: number): number => lastAtMost(this.#shown, this.#count, line);

  /** The row on which a place of the raw text stands. */
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

  /** Whether a place of the raw text is not in the part of a long value that is left out. */
  shows(offset: number): boolean {
    const line = this.#lines.lineAt(offset);
    const facts = this.#lines.line(line);
    const hidden = this.#options.unabridged.has(line) ? null : this.#hiddenChars(facts);
    return hidden === null || offset < facts.end - hidden;
  }

  /** How far a line stands in, in columns. Never so far that nothing fits behind it. */
  indentOf = (line: number): number =>
    Math.min(this.#lines.depth(line) * 2, Math.floor(this.#options.columns / 2));

  /** What the rows of a line show, from the `first`th up to the `end`th. */
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
    // Nearly every line, so this must be quick.
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
    const words = `${count} ${isArray ? (count === 1 ? 'item' : 'items') : count === 1 ? 'member' : 'members'}`;
    return isArray ? `[ ${words} ]` : `{ ${words} }`;
  }

  /** How much of a long value is not shown at first; null for all others. */
  #hiddenChars({ kind, from, end }: JsonLine): number | null {
    const isScalar = kind === 'string' || kind === 'number';
    if (!isScalar || end - from <= SHOWN_CHARS * 1.5) return null;
    // Not within a character.
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

  /** Columns of the first row of a line, and of the others. */
  #widths(line: number): [first: number, further: number] {
    const first = Math.max(1, this.#options.columns - this.indentOf(line));
    return [first, Math.max(1, first - HANGING)];
  }

  /** Where the rows of a line but the first begin; the last may hold but the button that decodes its value. */
  #breaks(line: number): Breaks {
    const facts = this.#lines.line(line);
    const [first, further] = this.#widths(line);
    const written = this.#written(line, facts);
    if (!facts.isPlain) {
      const known = this.#uneven.get(line);
      if (known !== undefined) return listed(known);
      const parts = this.#parts(line);
      const breaks = breaksOf(parts.map(({ text }) => text).join(''), first, further);
      this.#uneven.set(line, breaks);
      return listed(breaks);
    }
    const { length } = written;
    if (length > LONGEST_OF_WORDS) {
      return {
        length: length <= first ? 0 : Math.ceil((length - first) / further),
        at: (order) => Math.min(length, first + order * further),
      };
    }
    const breaks = plainBreaksOf((at) => this.#charAt(facts, written, at), length, first, further);
    const room = breaks.length === 0 ? first : further;
    // "Show all" has a row of its own, and the button stands beside it.
    const isFull = length - (breaks.at(-1) ?? 0) + BUTTON_COLUMNS > room;
    if (isFull && this.#hiddenChars(facts) === null && encodedKindOf(this.#lines, line) !== null) {
      breaks.push(length);
    }
    return listed(breaks);
  }

  /** How what is written on a line is put together, in characters. */
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

  /** A character of what is written on a line: of the value as it is in the text, whatever stands for it. */
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

/** Where the rows of a line break: so many times, and the place of each. */
interface Breaks {
  readonly length: number;
  readonly at: (order: number) => number;
}

const listed = (breaks: readonly number[]): Breaks => ({
  length: breaks.length,
  at: (order) => breaks[order] ?? 0,
});

/** Where the parts of what is written on a line end: its key, the colon behind that, its value, and all. */
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

/** A sentence in rows of a width, broken between words where there are some. */
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

/** The last of the first `count` numbers, which rise, that is no larger. */
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
