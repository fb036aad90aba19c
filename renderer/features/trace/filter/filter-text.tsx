import { filterSpans, type Span, type Filter, parseFilter, printFilter } from '#shared/trace/filter/index.ts';
import { cx } from '#ui/cx.ts';

/** The syntax error of a filter. */
export interface FilterError {
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Null for a valid filter. */
export function filterErrorOf(text: string): FilterError | null {
  const parsed = parseFilter(text);
  return parsed.ok ? null : parsed.error;
}

/** The coloured text of a filter, with its syntax error underlined. Rendered behind the input. */
export function FilterText({ text, error }: { readonly text: string; readonly error: FilterError | null }) {
  const parts: { readonly text: string; readonly className: string }[] = [];
  let end = 0;
  for (const { from, to, kind } of filterSpans(text)) {
    if (from > end) parts.push({ text: text.slice(end, from), className: '' });
    parts.push(...partsOf({ from, to, kind }, text, error));
    end = to;
  }
  parts.push({ text: text.slice(end), className: '' });
  return parts.map((part, index) => (
    <span key={index} className={part.className}>
      {part.text}
    </span>
  ));
}

const spanClasses: Readonly<Record<Span['kind'], string>> = {
  field: 'text-key',
  value: 'text-text',
  operator: 'text-accent',
  text: 'text-text',
};

/** A span, split where the error begins and ends. */
function partsOf({ from, to, kind }: Span, text: string, error: FilterError | null) {
  const [begin, end] = error === null ? [to, to] : [Math.max(from, error.from), Math.min(to, error.to)];
  const isMarked = begin < end;
  const cuts = isMarked ? [from, begin, end, to] : [from, to];
  return cuts.slice(1).flatMap((cut, index) => {
    const start = cuts[index] ?? from;
    if (start === cut) return [];
    const isBad = isMarked && start === begin;
    const className = cx(spanClasses[kind], isBad && 'underline decoration-err decoration-wavy');
    return [{ text: text.slice(start, cut), className }];
  });
}

/** The terms of a filter, all of which must match; empty for an invalid filter. */
export function termsOf(text: string): readonly Filter[] {
  const parsed = parseFilter(text);
  if (!parsed.ok || text.trim() === '') return [];
  return parsed.filter.type === 'and' ? parsed.filter.parts : [parsed.filter];
}

/** Whether a filter contains all parts of a term. */
export function hasTerm(text: string, term: string): boolean {
  const written = new Set(termsOf(text).map(printFilter));
  const wanted = termsOf(term).map(printFilter);
  return wanted.length > 0 && wanted.every((one) => written.has(one));
}

/** Adds the term to the filter, or removes it. An invalid filter is replaced by the term. */
export function toggleTerm(text: string, term: string): string {
  const removed = new Set(termsOf(term).map(printFilter));
  if (hasTerm(text, term)) {
    return withoutTerms(text, (part) => removed.has(printFilter(part)));
  }
  return addTerm(text, term);
}

/** Adds the term to the filter, unless it has it. An invalid filter is replaced by the term. */
export function addTerm(text: string, term: string): string {
  if (hasTerm(text, term)) return text;
  const parts = termsOf(text);
  if (parts.length === 0) return term;
  const [only] = parts;
  const before = parts.length === 1 && only?.type === 'or' ? grouped(only) : text.trim();
  return `${before} ${term}`;
}

/** The filter without the terms that the test names; as it is if there are none. */
export function withoutTerms(text: string, isGone: (term: Filter) => boolean): string {
  const parts = termsOf(text);
  if (!parts.some(isGone)) return text;
  return parts
    .filter((part) => !isGone(part))
    .map((part) => grouped(part))
    .join(' ');
}

/** Alternatives next to other terms need parentheses. */
const grouped = (part: Filter): string => (part.type === 'or' ? `(${printFilter(part)})` : printFilter(part));
