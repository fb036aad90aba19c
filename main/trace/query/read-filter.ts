import { FaultError } from '#shared/contract/fault.ts';
import type { Filter } from '#shared/trace/filter/filter.ts';
import { parseFilter } from '#shared/trace/filter/parse.ts';

/** Reads the text of a filter. @throws FaultError that shows where it cannot be read */
export function readFilter(text: string): Filter {
  const parsed = parseFilter(text);
  if (parsed.ok) return parsed.filter;
  const { from, to, message } = parsed.problem;
  const sign = '^'.repeat(Math.max(1, to - from));
  throw new FaultError({
    code: 'bad-filter',
    what: 'The filter cannot be read.',
    why: message,
    next: `Change it at character ${from + 1}.`,
    evidence: `${text.replaceAll(/\s/g, ' ')}\n${' '.repeat(from)}${sign}`,
  });
}
