import { Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import type { ComparisonRule, IgnoredPath, ValueDifference } from '#shared/contract/comparison.ts';
import { truncate } from '#shared/format.ts';
import type { MatchesPattern } from '#testing/tested-session.ts';
import { elementTexts, memberTexts } from '#shared/json/members.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import { DEEPEST, innerJson } from '#shared/json/inner-json.ts';
import { isOfModernEra, noiseOf } from './noise.ts';
import { type Moments, unknownMoments } from './stamps.ts';
import {
  matchesPath,
  parsePattern,
  type PathPattern,
  type PathStep,
  pathText,
} from '#shared/json/path-pattern.ts';

/** What differs between two JSON texts, and what was ignored. */
export interface ValueComparison {
  readonly differences: readonly ValueDifference[];
  readonly ignored: readonly IgnoredPath[];
}

interface ComparerOptions {
  /** What stands for what on the other side, as JSON texts. */
  readonly values?: ReadonlyMap<string, string>;
  /** Whether one side speaks the legacy era and the other the modern one. */
  readonly isAcrossEras?: boolean;
  /** Without it, no value meets the rule of a regular expression. */
  readonly matches?: MatchesPattern;
  /** What the values of all comparisons may take together; without it, each has its own limit only. */
  readonly budget?: Budget;
  /** Whether a pattern that takes long ends the comparison. */
  readonly isBrief?: boolean;
}

interface CompareOptions {
  /** Where both are, such as `['result']`. */
  readonly at?: readonly PathStep[];
  /** When both were received; without them, no time is noise. */
  readonly moments?: Moments;
}

/** What two values may take. A response of 2 MB takes a tenth of it. */
export const VALUE_LIMIT = { steps: 2_000_000, characters: 100_000_000 };

/** A rule whose path was parsed. */
interface ReadyRule {
  readonly pattern: PathPattern;
  readonly rule: ComparisonRule;
}

/** Limit of differences and of ignored paths that are listed. */
const MAX_LISTED = 200;
/** Characters of a value that are shown. */
const MAX_SHOWN = 300;

/**
 * Compares JSON values by structure. Numbers are compared digit by digit, members in any order. A string that holds a JSON
 * object or array is compared as JSON, its path going on inside it.
 */
export class ValueComparer {
  readonly #rules: readonly ReadyRule[];

  readonly #values: ReadonlyMap<string, string>;
  readonly #isAcrossEras: boolean;
  readonly #matches: MatchesPattern;
  readonly #budget: Budget | null;

  /** @param rules of two rules for one path the last decides; those whose path cannot be parsed are ignored */
  constructor(
    rules: readonly ComparisonRule[],
    {
      values = new Map(),
      isAcrossEras = false,
      matches = () => false,
      budget,
      isBrief = false,
    }: ComparerOptions = {},
  ) {
    this.#values = values;
    this.#isAcrossEras = isAcrossEras;
    this.#budget = budget ?? null;
    this.#matches = withoutSlowPatterns(matches, isBrief ? budget : undefined);
    this.#rules = rules.flatMap((rule) => {
      const pattern = parsePattern(rule.path);
      return pattern === null ? [] : [{ pattern, rule }];
    });
  }

  /** @param recorded JSON text of the expected value */
  compare(
    recorded: string,
    other: string,
    { at = [], moments = unknownMoments }: CompareOptions = {},
  ): ValueComparison {
    const budget = this.#budget?.part(VALUE_LIMIT) ?? new Budget(VALUE_LIMIT);
    const walk = new Walk({
      rules: this.#rules,
      values: this.#values,
      isAcrossEras: this.#isAcrossEras,
      matches: this.#matches,
      budget,
      moments,
    });
    const outcome = withinBudget(() => {
      if (isNestedDeeper(recorded, DEEPEST) || isNestedDeeper(other, DEEPEST)) {
        budget.take(1, recorded.length + other.length);
        if (!isSameJson(recorded, other)) walk.differ(at, 'changed', recorded, other);
      } else walk.compare([...at], recorded.trim(), other.trim());
    });
    if (outcome instanceof OverBudget) walk.notCompared(at, recorded, other);
    return { differences: walk.differences, ignored: walk.ignored };
  }
}

interface WalkOptions {
  readonly rules: readonly ReadyRule[];
  readonly values: ReadonlyMap<string, string>;
  readonly isAcrossEras: boolean;
  readonly matches: MatchesPattern;
  readonly budget: Budget;
  readonly moments: Moments;
}

/** One walk through two values. */
class Walk {
  readonly differences: ValueDifference[] = [];
  readonly ignored: IgnoredPath[] = [];
  readonly #options: WalkOptions;
  readonly #budget: Budget;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#budget = options.budget;
  }

  compare(path: PathStep[], recorded: string, other: string): void {
    if (recorded === other) return;
    // Members and elements are cut out of the texts at each level, and each value is looked up in the rules.
    this.#budget.take(1, recorded.length + other.length);
    const rule = this.#ruleOf(path);
    if (rule !== null && rule.compare !== 'unordered' && rule.compare !== 'exact') {
      this.#byRule(path, rule, recorded, other);
      return;
    }
    const [kind, otherKind] = [kindOf(recorded), kindOf(other)];
    if (kind !== otherKind) this.differ(path, 'type', recorded, other);
    else if (kind === 'object') this.#members(path, recorded, other);
    else if (kind === 'array') this.#elements(path, recorded, other, rule?.compare === 'unordered');
    else this.#leaf(path, recorded, other, rule?.compare === 'exact');
  }

  differ(
    path: readonly PathStep[],
    kind: ValueDifference['kind'],
    recorded: string | null,
    other: string | null,
  ): void {
    if (this.differences.length >= MAX_LISTED) return;
    this.differences.push({
      path: pathText(path),
      kind,
      recorded: shown(recorded),
      other: shown(other),
    });
  }

  /** The texts differ, and what of them does is not known. Never left out, however many differences were found before. */
  notCompared(path: readonly PathStep[], recorded: string, other: string): void {
    this.differences.length = Math.min(this.differences.length, MAX_LISTED - 1);
    this.differ(path, 'not-compared', recorded, other);
  }

  #ignore(
    path: readonly PathStep[],
    why: IgnoredPath['why'],
    recorded: string | null,
    other: string | null,
  ): void {
    if (this.ignored.length >= MAX_LISTED) return;
    this.ignored.push({ path: pathText(path), why, recorded: shown(recorded), other: shown(other) });
  }

  #byRule(path: PathStep[], rule: ComparisonRule, recorded: string, other: string): void {
    const isMet = meets(rule, recorded, other, this.#options.matches);
    if (isMet) this.#ignore(path, 'rule', recorded, other);
    else this.differ(path, kindOf(recorded) === kindOf(other) ? 'changed' : 'type', recorded, other);
  }

  #members(path: PathStep[], recorded: string, other: string): void {
    const [left, right] = [memberTexts(recorded), memberTexts(other)];
    for (const [key, text] of left) {
      const counterpart = right.get(key);
      const inner = [...path, key];
      if (counterpart !== undefined) this.compare(inner, text, counterpart);
      else if (this.#isIgnored(inner)) this.#ignore(inner, 'rule', text, null);
      else if (this.#isOfOneEra(inner, text)) this.#ignore(inner, 'era', text, null);
      else this.differ(inner, 'removed', text, null);
    }
    for (const [key, text] of right) {
      const inner = [...path, key];
      if (left.has(key)) continue;
      if (this.#isIgnored(inner) || this.#ruleOf(path)?.subset === true)
        this.#ignore(inner, 'rule', null, text);
      else if (this.#isOfOneEra(inner, text)) this.#ignore(inner, 'era', null, text);
      else this.differ(inner, 'added', null, text);
    }
  }

  #elements(path: PathStep[], recorded: string, other: string, isUnordered: boolean): void {
    const [left, right] = [elementTexts(recorded), elementTexts(other)];
    const moved = movedElements(left, right);
    if (moved > 0) {
      if (isUnordered) this.#ignore(path, 'rule', recorded, other);
      else this.differ(path, 'order', recorded, other);
      return;
    }
    for (const [index, text] of left.entries()) {
      const counterpart = right[index];
      if (counterpart === undefined) this.differ([...path, index], 'removed', text, null);
      else this.compare([...path, index], text, counterpart);
    }
    for (const [index, text] of right.entries()) {
      if (index >= left.length) this.differ([...path, index], 'added', null, text);
    }
  }

  #leaf(path: PathStep[], recorded: string, other: string, isExact: boolean): void {
    if (isSameJson(recorded, other)) return;
    const [inner, otherInner] = [innerJson(recorded), innerJson(other)];
    if (inner !== null && otherInner !== null) {
      this.compare(path, inner, otherInner);
      return;
    }
    const noise =
      this.#options.values.get(recorded) === other
        ? 'replaced'
        : isExact
          ? null
          : noiseOf(path, recorded, other, this.#options.moments);
    if (noise === null) this.differ(path, 'changed', recorded, other);
    else this.#ignore(path, noise, recorded, other);
  }

  #isOfOneEra(path: readonly PathStep[], text: string): boolean {
    return this.#options.isAcrossEras && path.length === 1 && isOfModernEra(path[0], text);
  }

  #isIgnored(path: readonly PathStep[]): boolean {
    return this.#ruleOf(path)?.compare === 'ignore';
  }

  #ruleOf(path: readonly PathStep[]): ComparisonRule | null {
    this.#budget.take(this.#options.rules.length);
    return this.#options.rules.findLast(({ pattern }) => matchesPath(pattern, path))?.rule ?? null;
  }
}

const shown = (value: string | null): string | null => (value === null ? null : truncate(value, MAX_SHOWN));

/** Slow patterns after which no others are asked about. */
const MAX_SLOW = 10;

/** Asks no more about a pattern that took too long once: there may be thousands of values. @param brief ends with the first */
function withoutSlowPatterns(matches: MatchesPattern, brief: Budget | undefined): MatchesPattern {
  const slow = new Set<string>();
  return (pattern, text) => {
    if (slow.has(pattern) || slow.size >= MAX_SLOW) return null;
    const isMatch = matches(pattern, text);
    if (isMatch === null) {
      slow.add(pattern);
      brief?.exhaust();
    }
    return isMatch;
  };
}

function meets(rule: ComparisonRule, recorded: string, other: string, matches: MatchesPattern): boolean {
  switch (rule.compare) {
    case 'ignore':
      return true;
    case 'type':
      return kindOf(recorded) === kindOf(other);
    case 'regex': {
      const value: unknown = JSON.parse(other);
      return matches(rule.pattern ?? '', typeof value === 'string' ? value : other) === true;
    }
    case 'tolerance': {
      const [left, right] = [Number(recorded), Number(other)];
      return Math.abs(left - right) <= (rule.tolerance ?? 0);
    }
    case 'exact':
    case 'unordered':
      return isSameJson(recorded, other);
  }
}

type Kind = 'object' | 'array' | 'string' | 'boolean' | 'null' | 'number';

function kindOf(text: string): Kind {
  switch (text.charAt(0)) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** How many elements stand elsewhere, if both arrays hold the same ones; otherwise 0. */
function movedElements(left: readonly string[], right: readonly string[]): number {
  if (left.length !== right.length) return 0;
  const counts = new Map<string, number>();
  for (const text of left) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of right) {
    const count = counts.get(text) ?? 0;
    if (count === 0) return 0;
    counts.set(text, count - 1);
  }
  return left.filter((text, index) => text !== right[index]).length;
}
