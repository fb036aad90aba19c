import type { Effort } from '#shared/budget.ts';
import type { Validation } from '#shared/contract/calls.ts';
import type { Comparison, ComparisonRule, OpenComparison } from '#shared/contract/comparison.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { textsByName } from '#shared/list-changes.ts';
import type { MatchesPattern } from '#testing/tested-session.ts';
import type { Catalog } from './catalog-changes.ts';
import { type ComparedSession, compareSessions } from './compare-sessions.ts';

/** Two sessions and what says how to compare them: plain values, because another thread may compare them. */
export interface SidesToCompare {
  readonly recorded: ComparedSession;
  readonly other: ComparedSession;
  readonly rules: readonly ComparisonRule[];
  readonly replay: ReplayRun | null;
  /** Rows of recorded calls whose response is one that was accepted since. */
  readonly acceptedRows?: ReadonlySet<number>;
}

export interface ComparedSides {
  readonly comparison: Comparison;
  /** How many entries of each list are equal on both sides. */
  readonly unchanged: OpenComparison['unchanged'];
}

/** Compares two sessions where it holds up nothing else. @throws FaultError if that takes too long */
export type CompareSides = (sides: SidesToCompare) => Promise<ComparedSides>;

/** What checks single values, and how much may be done. */
export interface ComparingEffort extends Effort {
  readonly validate: (schema: string, value: string) => Validation;
  readonly matches: MatchesPattern;
}

export async function compareSides(
  { recorded, other, ...options }: SidesToCompare,
  { validate, ...effort }: ComparingEffort,
): Promise<ComparedSides> {
  const comparison = await compareSessions(recorded, other, { ...options, ...effort }, validate);
  return { comparison, unchanged: unchangedEntries(recorded.catalog, other.catalog) };
}

function unchangedEntries(before: Catalog, after: Catalog): OpenComparison['unchanged'] {
  const countOf = (kind: keyof Catalog['lists']): number => {
    const [left, right] = [textsByName(before.lists[kind] ?? []), textsByName(after.lists[kind] ?? [])];
    return [...left].filter(([name, text]) => {
      const now = right.get(name);
      return now !== undefined && isSameJson(text, now);
    }).length;
  };
  return {
    tool: countOf('tool'),
    resource: countOf('resource'),
    template: countOf('template'),
    prompt: countOf('prompt'),
  };
}
