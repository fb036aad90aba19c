import { setImmediate as nextTurn } from 'node:timers/promises';
import { fold } from '#shared/trace/filter/fold.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { Folder, type LineRange, searchLines } from './line-search.ts';
import { type Needle, needleOf } from './needle.ts';
import { PieceSearch } from './piece-search.ts';
import { exchangeTexts, isWritten, textsOf } from './texts.ts';

/** Bytes read at a time, and bytes between two lines that are rather read than left out. */
const SPAN = 4 * 1024 * 1024;
const GAP = 64 * 1024;
/** HTTP exchanges read at a time: each has several lines. */
const EXCHANGES = 200;
/** Other rows read one after the other before others get their turn. */
const ROWS = 50;

/** Which of some rows hold which of some texts. */
export class Holdings {
  readonly #needles: number;
  readonly #held: Uint8Array;

  constructor(rows: number, needles: number) {
    this.#needles = needles;
    this.#held = new Uint8Array(rows * needles);
  }

  note(order: number, needle: number): void {
    this.#held[order * this.#needles + needle] = 1;
  }

  /** Whether the row that was asked for in this place holds a text. */
  has(order: number, needle: number): boolean {
    return this.#held[order * this.#needles + needle] === 1;
  }
}

/** Looks for texts in rows of one trace, whatever the case, without keeping others from their work. */
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
   * Which of these rows, in their order, hold which of the texts.
   *
   * @throws FaultError when the file cannot be read
   */
  async find(rows: readonly number[], isWanted: () => boolean): Promise<Holdings> {
    const held = new Holdings(rows.length, this.#needles.length);
    const lines: Line[] = [];
    const exchanges: Asked[] = [];
    const others: Asked[] = [];
    const { columns, chunksOf } = this.#trace.index;
    for (const [order, row] of rows.entries()) {
      const kind = columns.kind(row);
      if (kind === 'http') exchanges.push({ order, row });
      else if (!isWritten(kind) || columns.batch(row) > 1 || chunksOf(row).length > 0)
        others.push({ order, row });
      else lines.push({ order, offset: columns.offset(row), end: columns.offset(row) + columns.length(row) });
    }
    for (const span of spansOf(lines)) {
      if (!isWanted()) return held;
      await this.#inSpan(span, held);
      await nextTurn();
    }
    for (let from = 0; from < exchanges.length && isWanted(); from += EXCHANGES) {
      await this.#inExchanges(exchanges.slice(from, from + EXCHANGES), held);
      await nextTurn();
    }
    await this.#inOthers(others, held, isWanted);
    return held;
  }

  async #inSpan(lines: readonly Line[], held: Holdings): Promise<void> {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) return;
    const base = first.offset;
    const span = this.#folder.fold(await this.#trace.file.readSpan(base, last.end));
    const ranges: LineRange[] = lines.map(({ offset, end }) => ({ start: offset - base, end: end - base }));
    for (const [place, needle] of this.#needles.entries()) {
      searchLines(span, ranges, needle, (line) => held.note(lines[line]?.order ?? 0, place));
    }
  }

  async #inExchanges(asked: readonly Asked[], held: Holdings): Promise<void> {
    const rows = asked.map(({ row }) => row);
    const isWorthReading = (lines: readonly string[]) => {
      const folded = lines.map(fold);
      return this.#needles.some((needle) => folded.some((line) => line.includes(needle.probeText)));
    };
    const texts = await exchangeTexts(this.#trace, rows, isWorthReading);
    for (const [place, { order }] of asked.entries()) this.#noteTexts(order, texts[place] ?? [], held);
  }

  async #inOthers(asked: readonly Asked[], held: Holdings, isWanted: () => boolean): Promise<void> {
    const { columns } = this.#trace.index;
    for (const [count, { order, row }] of asked.entries()) {
      if (!isWanted()) return;
      if (columns.batch(row) === 1 && isWritten(columns.kind(row))) {
        const found = await this.#pieces.find(row, isWanted);
        for (const place of found) held.note(order, place);
      } else {
        this.#noteTexts(order, await textsOf(this.#trace, row), held);
      }
      if (count % ROWS === 0) await nextTurn();
    }
  }

  #noteTexts(order: number, texts: readonly string[], held: Holdings): void {
    const folded = texts.map(fold);
    for (const [place, needle] of this.#needles.entries()) {
      if (folded.some((text) => text.includes(needle.text))) held.note(order, place);
    }
  }
}

/** A row, and its place among those that were asked for. */
interface Asked {
  readonly order: number;
  readonly row: number;
}

/** The line of a row. */
interface Line {
  readonly order: number;
  readonly offset: number;
  readonly end: number;
}

/** Puts lines together that are read in one go. */
function* spansOf(lines: readonly Line[]): Generator<Line[]> {
  let span: Line[] = [];
  let start = 0;
  let end = 0;
  for (const line of lines) {
    const isApart = line.offset < end || line.offset - end > GAP || line.end - start > SPAN;
    if (span.length > 0 && isApart) {
      yield span;
      span = [];
    }
    if (span.length === 0) start = line.offset;
    span.push(line);
    end = line.end;
  }
  if (span.length > 0) yield span;
}
