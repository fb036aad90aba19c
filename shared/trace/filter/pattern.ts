import type { Pattern } from './filter.ts';
import { fold } from './fold.ts';

/** Whether a text matches a pattern, ignoring case. */
export const matchesPattern = (pattern: Pattern, text: string): boolean => patternTest(pattern)(text);

/** A test for a pattern, ignoring case, in linear time for any pattern. */
export function patternTest(pattern: Pattern): (text: string) => boolean {
  const [first = '', ...others] = pattern.map(fold);
  const last = others.pop();
  if (last === undefined) return (text) => fold(text) === first;
  return (text) => {
    const folded = fold(text);
    const end = folded.length - last.length;
    if (!folded.startsWith(first) || !folded.endsWith(last)) return false;
    let from = first.length;
    for (const part of others) {
      const place = folded.indexOf(part, from);
      if (place === -1) return false;
      from = place + part.length;
    }
    return from <= end;
  };
}

/** The parts with wildcards in between; adjacent wildcards become one. */
export function patternOf(parts: readonly string[]): Pattern {
  const [first = '', ...others] = parts;
  const kept = others.filter((part, place) => part !== '' || place === others.length - 1);
  return [first, ...kept];
}
