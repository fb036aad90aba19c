import type { Validation } from '#shared/contract/calls.ts';
import type { ComparisonRule, IgnoredPath, ValueDifference } from '#shared/contract/comparison.ts';
import type { CallOutcome, ValueCheck } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity, truncate } from '#shared/format.ts';
import { memberText } from '#shared/json/members.ts';
import { textInside } from '#shared/json/inner-json.ts';
import { parsePath } from '#shared/json/path.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import type { EndedStep, MatchesPattern, Validate } from '#testing/tested-session.ts';
import type { Place, ReadCall } from './read-test-file.ts';
import { inPattern, withVariables } from '#shared/json/variables.ts';

type Failure = CallOutcome['failures'][number];

/** Compares two results by structure; both are JSON text. */
export type CompareResults = (
  recorded: string,
  other: string,
  rules: readonly ComparisonRule[],
) => { readonly differences: readonly ValueDifference[]; readonly ignored: readonly IgnoredPath[] };

/** What a call has to be compared with. */
export interface CheckOptions {
  readonly variables: ReadonlyMap<string, string>;
  readonly validate: Validate;
  readonly matches: MatchesPattern;
  readonly compareResults: CompareResults;
  /** The expected result as JSON text, from the file or its snapshot; null if none is expected, or it is missing. */
  readonly expectedResult: string | null;
}

/** Limit of characters of a value that a failure quotes. */
const MAX_QUOTE = 300;
/** A longer string is matched against no regular expression. */
const MAX_MATCHED = 100_000;

/**
 * Compares a call that has ended with what is expected of it.
 *
 * @param result JSON text; null if the response was no result
 */
export function checkCall(
  expected: ReadCall,
  call: EndedStep,
  result: string | null,
  { variables, validate, matches, compareResults, expectedResult }: CheckOptions,
): { readonly failures: Failure[]; readonly ignored: readonly IgnoredPath[] } {
  const { expect, places } = expected;
  const failures: Failure[] = [];
  const fail = (place: Place, message: string) =>
    failures.push({ line: place.line, column: place.column, message });

  if (call.state !== expect.status) fail(places.status, `expected ${expect.status}, got ${stateText(call)}`);
  else if (expect.code !== null && call.error?.code !== expect.code)
    fail(places.status, `expected error ${expect.code}, got ${call.error?.code ?? 'none'}`);
  // Everything else follows from an unexpected status.
  if (failures.length > 0) return { failures, ignored: [] };

  // Each of them takes until its time limit.
  let isSlow = false;
  const matchesUntilSlow: MatchesPattern = (pattern, text) => {
    const isMatch = isSlow ? null : matches(pattern, text);
    isSlow ||= isMatch === null;
    return isMatch;
  };
  for (const [index, value] of expect.values.entries()) {
    const message = valueError(value, result, { variables, matches: matchesUntilSlow });
    if (message !== null) fail(places.values[index] ?? expected, message);
  }
  if (expect.schema !== null) {
    const message = schemaError(expect.schema, call, result, validate);
    if (message !== null) fail(places.schema, message);
  }
  if (expect.duration !== null && call.duration !== null && call.duration > expect.duration * 1000)
    fail(
      places.duration,
      `expected at most ${formatDuration(expect.duration * 1000)}, took ${formatDuration(call.duration)}`,
    );
  if (expect.snapshot !== null && expectedResult === null)
    fail(places.result, `there is no snapshot ${expect.snapshot}; --update writes it`);
  if (expectedResult === null || result === null) return { failures, ignored: [] };
  const wanted = withVariables(expectedResult, variables);
  const { differences, ignored } = compareResults(wanted, result, expect.compare);
  for (const difference of differences) fail(places.result, differenceText(difference));
  return { failures, ignored };
}

/** What differs, in words. */
function differenceText({ path, kind, recorded, other }: ValueDifference): string {
  switch (kind) {
    case 'added':
      return `${path}: not expected, got ${quote(other ?? '')}`;
    case 'removed':
      return `${path} does not exist, expected ${quote(recorded ?? '')}`;
    case 'order':
      return `${path}: expected ${quote(recorded ?? '')}, got the same elements in another order`;
    case 'not-compared':
      return `${path}: not compared, because it is too large or holds too many values; expect single values instead`;
    case 'changed':
    case 'type':
      return `${path}: expected ${quote(recorded ?? '')}, got ${quote(other ?? '')}`;
  }
}

function stateText({ state, error, fault }: EndedStep): string {
  if (error !== null) return `${state}: error ${error.code}: ${truncate(error.message, MAX_QUOTE)}`;
  return fault === null ? state : `${state}: ${fault.what}`;
}

function valueError(
  { path, check }: ValueCheck,
  result: string | null,
  { variables, matches }: Pick<CheckOptions, 'variables' | 'matches'>,
): string | null {
  const steps = parsePath(path);
  const found = result === null || steps === null ? null : textInside(result, steps);
  if (check.kind === 'exists') {
    if (check.exists === (found !== null)) return null;
    return check.exists ? `${path} does not exist` : `${path} exists: ${quote(found ?? '')}`;
  }
  if (found === null) return `${path} does not exist`;
  switch (check.kind) {
    case 'equals': {
      const wanted = withVariables(check.value, variables);
      return isSameJson(found, wanted) ? null : `${path}: expected ${quote(wanted)}, got ${quote(found)}`;
    }
    case 'type':
      return isOfType(found, check.type) ? null : `${path}: expected type ${check.type}, got ${quote(found)}`;
    case 'matches': {
      const value: unknown = JSON.parse(found);
      const pattern = inPattern(check.pattern, variables);
      if (typeof value === 'string') {
        if (value.length > MAX_MATCHED)
          return `${path}: not matched against /${pattern}/: the string has ${formatQuantity(value.length, 'character')}, and at most ${formatQuantity(MAX_MATCHED, 'character')} are matched`;
        const isMatch = matches(pattern, value);
        if (isMatch === null)
          return `${path}: matching /${pattern}/, or a pattern before it, takes too long; write it without a repetition in a repetition`;
        if (isMatch) return null;
      }
      return `${path}: expected a string that matches /${pattern}/, got ${quote(found)}`;
    }
  }
}

function isOfType(json: string, type: string): boolean {
  const value: unknown = JSON.parse(json);
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value));
  return typeof value === type;
}

function schemaError(
  schema: string,
  call: EndedStep,
  result: string | null,
  validate: Validate,
): string | null {
  if (schema === 'output') {
    return call.outputValidation === null
      ? 'the tool has no output schema'
      : validationError(call.outputValidation);
  }
  const value = call.tool === null ? result : memberText(result ?? '{}', ['structuredContent']);
  return value === null ? 'there is no structured content' : validationError(validate(schema, value));
}

function validationError(validation: Validation): string | null {
  if (validation.state === 'valid') return null;
  if (validation.state === 'unknown') return `not validated: ${validation.reason}`;
  return validation.errors
    .map(({ pointer, message }) => `${pointer || '(all of it)'}: ${message}`)
    .join('; ');
}

const quote = (json: string): string => truncate(json, MAX_QUOTE);
