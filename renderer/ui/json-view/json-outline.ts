import { useEffect, useState } from 'react';
import { type FindingSeverity, findingSeverities } from '#shared/trace/row.ts';
import { JsonLines } from '#ui/json-lines.ts';
import { FrameSignal, useSignal } from '../frame-signal.ts';
import { JsonLayout, type LineNote } from './json-layout.ts';
import { lineAtPointer } from './line-pointers.ts';

/** Milliseconds per frame that reading a text may take. */
const SLICE_MS = 8;
const LAY_OUT_EVERY_MS = 250;
const FIRST_COLUMNS = 80;

/** The state of one JSON view: which parts are folded, where the cursor is. */
export class JsonOutline {
  readonly signal = new FrameSignal();
  readonly lines: JsonLines;
  #folded: Set<number>;
  #unabridged: Set<number>;
  #notes: ReadonlyMap<number, readonly LineNote[]> = new Map();
  /** The first line of each dimmed value, and the first line after it; ascending. */
  #dimmed: readonly (readonly [number, number])[] = [];
  #columns = FIRST_COLUMNS;
  #layout: JsonLayout | null = null;
  #cursor: number;
  #laidOutAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param before the outline of a shorter part of the same text, whose folding is kept */
  constructor(raw: string, isCut: boolean, before: JsonOutline | null) {
    this.lines = new JsonLines(raw, isCut);
    const continues = before !== null && raw.startsWith(before.lines.raw);
    this.#folded = new Set(continues ? before.#folded : []);
    this.#unabridged = new Set(continues ? before.#unabridged : []);
    this.#cursor = continues ? before.#cursor : 0;
    this.lines.read(SLICE_MS);
  }

  /** Reads the rest of the text in slices. */
  readRest(): void {
    if (this.lines.isDone) return;
    this.#timer = setTimeout(() => {
      this.lines.read(SLICE_MS);
      const now = performance.now();
      // Laying out gets slower with the text, so it is not done for every slice.
      if (this.lines.isDone || now - this.#laidOutAt > LAY_OUT_EVERY_MS) {
        this.#laidOutAt = now;
        this.#layout = null;
        this.signal.notify();
      }
      this.readRest();
    });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  get layout(): JsonLayout {
    this.#layout ??= new JsonLayout(this.lines, {
      columns: this.#columns,
      folded: this.#folded,
      unabridged: this.#unabridged,
      notes: this.#notes,
    });
    return this.#layout;
  }

  /** The line of the cursor. */
  get cursor(): number {
    return this.#cursor;
  }

  notesOf = (line: number): readonly LineNote[] => this.#notes.get(line) ?? none;

  /** Whether a line belongs to a dimmed value. */
  isDimmed = (line: number): boolean => this.#dimmed.some(([from, end]) => line >= from && line < end);

  isFolded = (line: number): boolean => this.#folded.has(line);

  setColumns(columns: number): void {
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#changed();
  }

  setNotes(notes: ReadonlyMap<number, readonly LineNote[]>): void {
    this.#notes = notes;
    this.#changed();
  }

  /** Dims the values at these JSON pointers (RFC 6901). */
  setDimmed(pointers: readonly string[]): void {
    if (pointers.length === 0 && this.#dimmed.length === 0) return;
    this.#dimmed = pointers.map((pointer) => {
      const line = lineAtPointer(this.lines, pointer);
      return [line, this.lines.next(line)];
    });
    this.signal.notifyNow();
  }

  /** Moves the cursor to a line; from a closing bracket to its opening one. */
  moveCursor(line: number): void {
    this.#cursor = this.lines.isClose(line) ? this.lines.mate(line) : line;
    this.signal.notifyNow();
  }

  setFolded(line: number, isFolded: boolean): void {
    if (!this.lines.isOpen(line)) return;
    if (isFolded) this.#folded.add(line);
    else this.#folded.delete(line);
    this.#changed();
  }

  /** Folds everything except the outermost value. */
  foldAll(): void {
    this.#folded = new Set();
    for (let line = 1; line < this.lines.count; line++) if (this.lines.isOpen(line)) this.#folded.add(line);
    this.#cursor = this.layout.lineAt(this.layout.placeOf(this.#cursor));
    this.#changed();
  }

  unfoldAll(): void {
    this.#folded = new Set();
    this.#changed();
  }

  /** Shows a long value in full, or only its beginning. */
  setUnabridged(line: number, isUnabridged: boolean): void {
    if (isUnabridged) this.#unabridged.add(line);
    else this.#unabridged.delete(line);
    this.#changed();
  }

  /** Unfolds whatever hides an offset of the raw text; returns its row. */
  reveal(offset: number): number {
    const line = this.lines.lineAt(offset);
    for (let above = this.lines.parent(line); above !== null; above = this.lines.parent(above)) {
      this.#folded.delete(above);
    }
    this.#layout = null;
    if (!this.layout.shows(offset)) this.#unabridged.add(line);
    this.#cursor = this.lines.isClose(line) ? this.lines.mate(line) : line;
    this.#changed();
    return this.layout.rowOf(offset);
  }

  #changed(): void {
    this.#layout = null;
    this.signal.notifyNow();
  }
}

const none: readonly LineNote[] = [];

/** A note on a value. */
export interface PointerNote {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly severity: FindingSeverity;
  readonly text: string;
}

/** The outline of a text, read in slices, with notes at their lines and the values at some pointers dimmed. */
export function useOutline(
  raw: string,
  isCut: boolean,
  notes: readonly PointerNote[],
  dimmed: readonly string[],
): JsonOutline {
  const [kept, setKept] = useState(() => new JsonOutline(raw, isCut, null));
  let outline = kept;
  if (kept.lines.raw !== raw || kept.lines.isCut !== isCut) {
    outline = new JsonOutline(raw, isCut, kept);
    setKept(outline);
  }
  useSignal(outline.signal);
  useEffect(() => {
    outline.readRest();
    return () => outline.close();
  }, [outline]);
  const { isDone } = outline.lines;
  useEffect(() => {
    if (isDone) outline.setNotes(notesByLine(outline, notes));
  }, [outline, isDone, notes]);
  useEffect(() => {
    if (isDone) outline.setDimmed(dimmed);
  }, [outline, isDone, dimmed]);
  return outline;
}

function notesByLine({ lines }: JsonOutline, notes: readonly PointerNote[]): Map<number, LineNote[]> {
  const byLine = new Map<number, LineNote[]>();
  for (const { pointer, ...note } of notes) {
    const line = lineAtPointer(lines, pointer);
    byLine.set(line, [...(byLine.get(line) ?? []), note]);
  }
  for (const ofLine of byLine.values()) ofLine.sort(bySeverity);
  return byLine;
}

const bySeverity = (a: LineNote, b: LineNote): number =>
  findingSeverities.indexOf(a.severity) - findingSeverities.indexOf(b.severity);
