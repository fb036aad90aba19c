import type { Removal } from '#shared/contract/exports.ts';
import { secretPlaceholders } from '#shared/secret-placeholder.ts';
import { valuePlaceholder } from '#trace/recorder/redaction.ts';

/** A range of a text to replace. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The kind of secret, such as `header Authorization`. */
  readonly kind: string;
  /** The decoded secret. */
  readonly value: string;
  /** Values to find in the rest of the trace too. */
  readonly learned: readonly string[];
  /** Set if the value is JSON other than a string: a number is replaced by a number. */
  readonly quoted?: true;
  /** Writes what takes its place in the encoding of the text, such as UTF-16 whose bytes are its characters. */
  readonly write?: (text: string) => string;
}

/** What a recorder or an earlier export wrote in place of a number. */
const NUMBER_PLACEHOLDER = /^0e-\d{1,10}$/;
const BEGINS_PLACEHOLDER = '[secret ';
/** Text that may surround a placeholder in a value that would otherwise be secret as a whole. */
const NOT_WORTH_IT = /^(?:bearer|basic|digest|dpop|token|negotiate|oauth|apikey|api-key|ntlm|hawk)?$/i;
/** Longer than all of them. */
const MAX_SCHEME = 16;

/** Spans in order, without overlaps, and without placeholders. */
export function settled(text: string, all: readonly Span[]): Span[] {
  const spans = all.filter(
    (span) => !span.quoted || !NUMBER_PLACEHOLDER.test(text.slice(span.start, span.end)),
  );
  if (spans.length === 0) return [];
  const merged: Span[] = [];
  let group: Span[] = [];
  let end = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (group.length > 0 && span.start >= end) {
      merged.push(joined(text, group, end));
      group = [];
    }
    group.push(span);
    end = group.length === 1 ? span.end : Math.max(end, span.end);
  }
  if (group.length > 0) merged.push(joined(text, group, end));
  return text.includes(BEGINS_PLACEHOLDER) ? withoutPlaceholders(text, merged) : merged;
}

/** Merges overlapping spans into one. It gets the kind of the span that begins first or contains the others. */
function joined(text: string, [first, ...others]: readonly Span[], end: number): Span {
  if (first === undefined) throw new Error('a group of spans is empty');
  if (others.length === 0) return first;
  const learned = [...first.learned];
  for (const other of others) learned.push(...other.learned);
  if (end === first.end) return { ...first, learned };
  return { ...first, end, value: text.slice(first.start, end), learned };
}

function withoutPlaceholders(text: string, spans: readonly Span[]): Span[] {
  const placeholders = [...text.matchAll(secretPlaceholders)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
  }));
  if (placeholders.length === 0) return [...spans];
  const left: Span[] = [];
  let first = 0;
  for (const span of spans) {
    while ((placeholders[first]?.end ?? Number.POSITIVE_INFINITY) <= span.start) first++;
    let from = span.start;
    let isTouched = false;
    for (let place = first; place < placeholders.length; place++) {
      const hole = placeholders[place];
      if (hole === undefined || hole.start >= span.end) break;
      isTouched = true;
      if (hole.start > from) left.push(part(text, span, from, hole.start));
      from = hole.end;
    }
    if (!isTouched) left.push(span);
    else if (from < span.end) left.push(part(text, span, from, span.end));
  }
  return left.filter(({ start, end, quoted }) => quoted || isWorthIt(text, start, end));
}

/** Whether there is more than the name of a scheme. */
function isWorthIt(text: string, start: number, end: number): boolean {
  let from = start;
  let to = end;
  while (from < to && isBetween(text.charAt(from))) from++;
  while (to > from && isBetween(text.charAt(to - 1))) to--;
  return to - from > MAX_SCHEME || !NOT_WORTH_IT.test(text.slice(from, to));
}

const isBetween = (character: string): boolean => /[\s;,]/.test(character);

function part(text: string, { kind }: Span, start: number, end: number): Span {
  return { start, end, kind, value: text.slice(start, end), learned: [] };
}

/** Characters of a sample before and after the placeholder. */
const AROUND = 40;

/** Counts what is replaced, and keeps a sample of each kind. */
export class Removals {
  readonly #byKind = new Map<string, { count: number; row: number; sample: string }>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The removals, in the order of their first occurrence. */
  get list(): Removal[] {
    return [...this.#byKind]
      .map(([kind, found]) => ({ kind, ...found }))
      .sort((a, b) => a.row - b.row || b.count - a.count);
  }

  /**
   * Replaces spans of the text by placeholders, and counts them.
   *
   * @param spans in order, without overlaps
   */
  replace(text: string, spans: readonly Span[], placeholder: (span: Span) => string, row: number): string {
    if (spans.length === 0) return text;
    const parts: string[] = [];
    const places: { kind: string; start: number; end: number }[] = [];
    let from = 0;
    let length = 0;
    const add = (piece: string) => {
      parts.push(piece);
      length += piece.length;
    };
    for (const span of spans) {
      add(text.slice(from, span.start));
      const start = length;
      const own = span.write?.(placeholder(span)) ?? placeholder(span);
      add(span.quoted ? valuePlaceholder(text.slice(span.start, span.end), own) : own);
      places.push({ kind: span.kind, start, end: length });
      from = span.end;
    }
    add(text.slice(from));
    const replaced = parts.join('');
    for (const { kind, start, end } of places) this.#note(kind, row, replaced, start, end);
    return replaced;
  }

  #note(kind: string, row: number, text: string, start: number, end: number): void {
    this.#count++;
    const known = this.#byKind.get(kind);
    if (known !== undefined) {
      known.count++;
      if (known.row <= row) return;
    }
    const sample = sampleOf(text, start, end);
    if (known === undefined) this.#byKind.set(kind, { count: 1, row, sample });
    else Object.assign(known, { row, sample });
  }
}

/** Taken from the redacted text, so that no sample can contain a secret. */
function sampleOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, end + AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
