import { type Filter, parseFilter, printFilter } from '#shared/trace/filter/index.ts';

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
