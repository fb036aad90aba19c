import type { Removal } from '#shared/contract/exports.ts';
import type { Span } from './spans.ts';

/** Characters of a sample before and after the placeholder. */
const AROUND = 40;

/** Counts what is left out, and keeps a sample of each kind. */
export class Removals {
  readonly #byKind = new Map<string, { count: number; row: number; sample: string }>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** In the order they came first. */
  get list(): Removal[] {
    return [...this.#byKind]
      .map(([kind, found]) => ({ kind, ...found }))
      .sort((a, b) => a.row - b.row || b.count - a.count);
  }

  /**
   * The text with placeholders for what is to be replaced, which is taken note of.
   *
   * @param spans in their order, none over another
   */
  replace(text: string, spans: readonly Span[], placeholder: (span: Span) => string, row: number): string {
    if (spans.length === 0) return text;
    const parts: string[] = [];
    const places: { kind: string; start: number; end: number }[] = [];
    let from = 0;
    let length = 0;
    const add = (part: string) => {
      parts.push(part);
      length += part.length;
    };
    for (const span of spans) {
      add(text.slice(from, span.start));
      const start = length;
      add(span.quoted ? `"${placeholder(span)}"` : placeholder(span));
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

/** From the text as it is without secrets, so that no sample can hold one. */
function sampleOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, end + AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
