import { filterSpans, type Span } from '#shared/trace/filter/index.ts';
import { cx } from '#ui/cx.ts';
import type { Problem } from './problem.ts';

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
    parts.push(...split({ from, to, kind }, text, problem));
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
function split({ from, to, kind }: Span, text: string, problem: Problem | null) {
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
