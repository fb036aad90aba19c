import { fold } from '#shared/trace/filter/fold.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { Folder, type Line, searchLines, type Needle, needleOf } from './line-search.ts';
import { exchangeTexts, isWritten, RowTexts, piecesOf, writtenText } from './texts.ts';
import { nextTurn } from '#transports/async.ts';

/** Bytes to read at once, and the gap between two lines up to which they are read together. */
const SPAN = 2 * 1024 * 1024;
const GAP = 64 * 1024;
/** HTTP exchanges to read at once; each has several lines. */
const EXCHANGES = 200;
/** Other rows to read per turn of the event loop. */
const ROWS = 50;

/** Which of the rows contain which of the texts. */
export class Matches {
  readonly #needles: number;
  readonly #matches: Uint8Array;

  constructor(rows: number, needles: number) {
    this.#needles = needles;
    this.#matches = new Uint8Array(rows * needles);
  }

  note(order: number, needle: number): void {
    this.#matches[order * this.#needles + needle] = 1;
  }

  /** Whether the row at this index contains a text. */
  has(order: number, needle: number): boolean {
    return this.#matches[order * this.#needles + needle] === 1;
  }
}

/** Searches the rows of a trace for texts, ignoring case, without blocking the event loop. */
export class TextSearch {
  readonly #trace: ReadableTrace;
  readonly #needles: readonly Needle[];
  readonly #folder = new Folder();
  readonly #pieces: PieceSearch;

  constructor(trace: ReadableTrace, texts: readonly string[]) {
    this.#trace = trace;
    this.#needles = texts.map(needleOf);
    this.#pieces = new PieceSearch(trace, this.#needles);
  }

  /**
   * Returns which of these rows, in order, contain which of the texts.
   *
   * @throws FaultError when the file cannot be read
   */
  async find(rows: ArrayLike<number>, isWanted: () => boolean): Promise<Matches> {
    const matches = new Matches(rows.length, this.#needles.length);
    const lines: RowLine[] = [];
    const exchanges = new Set<number>();
    const others: number[] = [];
    const { columns, chunksOf } = this.#trace.index;
    for (let order = 0; order < rows.length; order++) {
      const row = rows[order] ?? 0;
      const kind = columns.kind(row);
      const isLine = isWritten(kind) && columns.batch(row) === 1 && chunksOf(row).length === 0;
      if (isLine) {
        const start = columns.offset(row);
        lines.push({ order, start, end: start + columns.length(row), isHead: false });
      } else if (kind !== 'http') {
        others.push(order);
      } else if (!this.#addHead(row, order, lines)) {
        exchanges.add(order);
      }
    }
    const spans = [...spansOf(lines.sort((a, b) => a.start - b.start))];
    let next = this.#readSpan(spans[0]);
    for (const [place, span] of spans.entries()) {
      if (!isWanted()) return matches;
      const bytes = await next;
      // Reads the next span while this one is searched.
      next = this.#readSpan(spans[place + 1]);
      this.#inSpan(span, bytes, matches, exchanges);
      await nextTurn();
    }
    const worthReading = [...exchanges];
    for (let from = 0; from < worthReading.length && isWanted(); from += EXCHANGES) {
      await this.#inExchanges(rows, worthReading.slice(from, from + EXCHANGES), matches);
      await nextTurn();
    }
    await this.#inOthers(rows, others, matches, isWanted);
    return matches;
  }

  /** Adds the lines with the texts of an exchange. Returns whether all of them are known. */
  #addHead(row: number, order: number, lines: RowLine[]): boolean {
    const { columns, exchanges } = this.#trace.index;
    const exchange = exchanges.idOf(row);
    if (exchange === null) return false;
    const request = { offset: columns.offset(row), length: columns.length(row) };
    for (const { offset, length } of [request, ...exchanges.responses(exchange)]) {
      lines.push({ order, start: offset, end: offset + length, isHead: true });
    }
    return true;
  }

  /** Reads lines at once. */
  #readSpan(lines: readonly RowLine[] = []): Promise<Buffer> {
    if (lines.length === 0) return Promise.resolve(Buffer.alloc(0));
    const reading = this.#trace.file.readSpan(lines[0]?.start ?? 0, lines.at(-1)?.end ?? 0);
    // The caller gets the error; an abandoned search has no caller.
    reading.catch(() => undefined);
    return reading;
  }

  /** Searches lines that were read at once. */
  #inSpan(lines: readonly RowLine[], bytes: Buffer, matches: Matches, exchanges: Set<number>): void {
    const span = this.#folder.span(lines[0]?.start ?? 0, bytes);
    for (const [place, needle] of this.#needles.entries()) {
      searchLines(span, lines, needle, (found) => {
        const line = lines[found];
        if (line?.isHead) exchanges.add(line.order);
        else if (line !== undefined) matches.note(line.order, place);
      });
    }
  }

  async #inExchanges(rows: ArrayLike<number>, orders: readonly number[], matches: Matches): Promise<void> {
    const texts = await exchangeTexts(
      this.#trace,
      orders.map((order) => rows[order] ?? 0),
    );
    for (const [place, order] of orders.entries()) this.#noteTexts(order, texts[place] ?? [], matches);
  }

  /** Searches rows that must be read one by one: several pieces, a batch, or a text of our own. */
  async #inOthers(
    rows: ArrayLike<number>,
    orders: readonly number[],
    matches: Matches,
    isWanted: () => boolean,
  ): Promise<void> {
    const { columns } = this.#trace.index;
    const texts = new RowTexts(this.#trace);
    for (const [count, order] of orders.entries()) {
      if (!isWanted()) return;
      const row = rows[order] ?? 0;
      if (columns.batch(row) === 1 && isWritten(columns.kind(row))) {
        for (const place of await this.#pieces.find(row, isWanted)) matches.note(order, place);
      } else {
        this.#noteTexts(order, await texts.of(row), matches);
      }
      if (count % ROWS === 0) await nextTurn();
    }
  }

  #noteTexts(order: number, texts: readonly string[], matches: Matches): void {
    const folded = texts.map(fold);
    for (const [place, needle] of this.#needles.entries()) {
      if (folded.some((text) => text.includes(needle.text))) matches.note(order, place);
    }
  }
}

/** A line of a row. */
interface RowLine extends Line {
  /** The index of the row among the requested ones. */
  readonly order: number;
}

/** Groups lines to read at once. */
function* spansOf(lines: readonly RowLine[]): Generator<RowLine[]> {
  let span: RowLine[] = [];
  let start = 0;
  let end = 0;
  for (const line of lines) {
    const isApart = line.start < end || line.start - end > GAP || line.end - start > SPAN;
    if (span.length > 0 && isApart) {
      yield span;
      span = [];
    }
    if (span.length === 0) start = line.start;
    span.push(line);
    end = line.end;
  }
  if (span.length > 0) yield span;
}

/** How far a unit has been searched. Pieces are only added, never changed. */
interface Searched {
  pieces: number;
  /** The end of the searched text, where a match may begin that continues in the next piece. */
  tail: string;
  readonly found: Set<number>;
}

/** Searches units of several pieces. Reads each piece once. */
class PieceSearch {
  readonly #trace: ReadableTrace;
  readonly #needles: readonly Needle[];
  readonly #searched = new Map<number, Searched>();

  constructor(trace: ReadableTrace, needles: readonly Needle[]) {
    this.#trace = trace;
    this.#needles = needles;
  }

  /** Indexes of the texts that a row contains. */
  async find(row: number, isWanted: () => boolean): Promise<ReadonlySet<number>> {
    const searched = this.#searched.get(row) ?? { pieces: 0, tail: '', found: new Set<number>() };
    this.#searched.set(row, searched);
    for (const place of piecesOf(this.#trace, row).slice(searched.pieces)) {
      if (!isWanted()) break;
      const [line] = await this.#trace.file.read([place]);
      this.#search(searched, writtenText(line ?? ''));
      searched.pieces++;
      await nextTurn();
    }
    return searched.found;
  }

  #search(searched: Searched, text: string | null): void {
    if (text === null) {
      searched.tail = '';
      return;
    }
    const all = searched.tail + fold(text);
    let longest = 1;
    for (const [place, needle] of this.#needles.entries()) {
      longest = Math.max(longest, needle.text.length);
      if (all.includes(needle.text)) searched.found.add(place);
    }
    // Copied, because a slice would keep the whole piece in memory.
    searched.tail = Buffer.from(all.slice(Math.max(0, all.length - longest + 1)), 'utf16le').toString(
      'utf16le',
    );
  }
}
