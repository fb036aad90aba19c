import { filterSpans, type Span, type Filter, parseFilter, printFilter } from '#shared/trace/filter/index.ts';
import { cx } from '#ui/cx.ts';

const spanClasses: Readonly<Record<Span['kind'], string>> = {
  field: 'text-key',
  value: 'text-text',
  operator: 'text-accent',
  text: 'text-text',
};

/** The text of a filter in colours, with a wavy line under what cannot be read. Stands behind the input. */
export function FilterText({ text, problem }: { readonly text: string; readonly problem: Problem | null }) {
  const parts: { readonly text: string; readonly className: string }[] = [];
  let end = 0;
  for (const { from, to, kind } of filterSpans(text)) {
    if (from > end) parts.push({ text: text.slice(end, from), className: '' });
    parts.push(...partsOf({ from, to, kind }, text, problem));
    end = to;
  }
  parts.push({ text: text.slice(end), className: '' });
  return parts.map((part, place) => (
    <span key={place} className={part.className}>
      {part.text}
    </span>
  ));
}

/** A part, cut where the problem begins and ends. */
function partsOf({ from, to, kind }: Span, text: string, problem: Problem | null) {
  const [begin, end] = problem === null ? [to, to] : [Math.max(from, problem.from), Math.min(to, problem.to)];
  const isMarked = begin < end;
  const cuts = isMarked ? [from, begin, end, to] : [from, to];
  return cuts.slice(1).flatMap((cut, place) => {
    const start = cuts[place] ?? from;
    if (start === cut) return [];
    const isBad = isMarked && start === begin;
    const className = cx(spanClasses[kind], isBad && 'underline decoration-err decoration-wavy');
    return [{ text: text.slice(start, cut), className }];
  });
}

/** What a filter is made of, all of which must hold; empty when the text cannot be read. */
function termsOf(text: string): readonly Filter[] {
  const parsed = parseFilter(text);
  if (!parsed.ok || text.trim() === '') return [];
  return parsed.filter.type === 'and' ? parsed.filter.parts : [parsed.filter];
}

/** Whether a filter asks for everything that this term asks for. */
export function hasTerm(text: string, term: string): boolean {
  const written = new Set(termsOf(text).map(printFilter));
  const wanted = termsOf(term).map(printFilter);
  return wanted.length > 0 && wanted.every((one) => written.has(one));
}

/** The filter with the term, or without it when it has it. One that cannot be read is replaced by the term. */
export function toggleTerm(text: string, term: string): string {
  const parts = termsOf(text);
  const removed = new Set(termsOf(term).map(printFilter));
  if (hasTerm(text, term)) {
    return parts
      .map((part) => grouped(part))
      .filter((part) => !removed.has(part))
      .join(' ');
  }
  if (parts.length === 0) return term;
  const [only] = parts;
  const before = parts.length === 1 && only?.type === 'or' ? grouped(only) : text.trim();
  return `${before} ${term}`;
}

/** An alternative beside other terms stands in parentheses. */
const grouped = (part: Filter): string => (part.type === 'or' ? `(${printFilter(part)})` : printFilter(part));

/** Why a filter cannot be read, and where. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Null when the filter can be read. */
export function problemOf(text: string): Problem | null {
  const parsed = parseFilter(text);
  return parsed.ok ? null : parsed.problem;
}
