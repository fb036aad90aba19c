import type { ComparisonRule } from '#shared/contract/comparison.ts';
import { formatQuantity, truncate } from '#shared/format.ts';
import { onOneLine } from '#shared/json/tokens.ts';
import type { CompareResults } from './check-call.ts';

/** A path that varied between the runs of one call, and what shows it. */
export interface LearnedPath {
  readonly path: string;
  readonly compare: 'ignore' | 'unordered';
  readonly evidence: string;
}

/** Limit of characters of a value in the evidence. */
const MAX_VALUE = 60;
const absent = 'absent';

/**
 * Finds which values of a result vary. What the default rules ignore, and the rules given, is not found again.
 *
 * @param results of the same call in several runs, as JSON texts
 */
export function learnNoise(
  results: readonly string[],
  rules: readonly ComparisonRule[],
  compareResults: CompareResults,
): LearnedPath[] {
  const [first, ...others] = results;
  if (first === undefined) return [];
  const found = new Map<string, { readonly values: Set<string>; isOrder: boolean }>();
  for (const other of others) {
    for (const { path, kind, ...values } of compareResults(first, other, rules).differences) {
      // What was not compared may not vary.
      if (kind === 'not-compared') continue;
      const one = found.get(path) ?? { values: new Set<string>(), isOrder: true };
      one.isOrder &&= kind === 'order';
      one.values.add(values.recorded ?? absent).add(values.other ?? absent);
      found.set(path, one);
    }
  }
  return [...found].map(([path, { values, isOrder }]) => ({
    path,
    compare: isOrder ? 'unordered' : 'ignore',
    evidence: `${formatQuantity(values.size, 'value')} in ${results.length} runs: ${quoted([...values])}`,
  }));
}

const quoted = (values: readonly string[]): string =>
  `${values
    .slice(0, 2)
    .map((value) => truncate(onOneLine(value), MAX_VALUE))
    .join(', ')}${values.length > 2 ? ', …' : ''}`;
