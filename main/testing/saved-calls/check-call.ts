import type { Validation } from '#shared/contract/calls.ts';
import { faultLine, faultQuote } from '#shared/contract/fault.ts';
import type { ComparisonRule, IgnoredPath, ValueDifference } from '#shared/contract/comparison.ts';
import type { CallFailure, ValueCheck } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity, truncate } from '#shared/format.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { textInside } from '#shared/json/inner-json.ts';
import { parsePath } from '#shared/json/path.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import type { EndedStep, MatchesPattern, Validate } from '#testing/tested-session.ts';
import type { Place, ReadCall } from './read-test-file.ts';
import { inPattern, withVariables } from '#shared/json/variables.ts';

interface ResultEra {
  /**
   * Whether the other result is of a session of the modern era; left out if both are of one session. The recorded one is if it has
   * a `resultType`, as every result of that era (MCP 2026-07-28).
   */
  readonly isModern?: boolean;
}

/** Compares two results by structure; both are JSON text. */
export type CompareResults = (
  recorded: string,
  other: string,
  rules: readonly ComparisonRule[],
  era?: ResultEra,
) => { readonly differences: readonly ValueDifference[]; readonly ignored: readonly IgnoredPath[] };

/** What a call has to be compared with. */
export interface CheckOptions {
  readonly variables: ReadonlyMap<string, string>;
  readonly validate: Validate;
  readonly matches: MatchesPattern;
  readonly compareResults: CompareResults;
  /** The expected result as JSON text, from the file or its snapshot; null if none is expected, or it is missing. */
  readonly expectedResult: string | null;
  /** Whether the session is of the modern era. */
  readonly isModern: boolean;
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
  { variables, validate, matches, compareResults, expectedResult, isModern }: CheckOptions,
): { readonly failures: CallFailure[]; readonly ignored: readonly IgnoredPath[] } {
  const { expect, places } = expected;
  const failures: CallFailure[] = [];
  const fail = (place: Place, message: string, more: Partial<CallFailure> = {}) =>
    failures.push({ line: place.line, column: place.column, message, ...more });

  if (call.state !== expect.status) {
    const received = receivedState(call, result);
    fail(places.status, `expected ${expect.status}, got ${received.text}`, {
      expected: expect.status,
      received: call.state,
      ...(received.quote !== null && { quote: received.quote }),
    });
  } else if (expect.code !== null && call.error?.code !== expect.code) {
    const quote = call.error === null ? null : errorQuote(call.error);
    fail(
      places.status,
      `expected error ${expect.code}, got ${call.error === null ? 'none' : errorText(call.error)}`,
      {
        expected: `error ${expect.code}`,
        received: call.error === null ? 'none' : `error ${call.error.code}`,
        ...(quote !== null && { quote }),
      },
    );
  }
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
    const failure = valueFailure(value, result, { variables, matches: matchesUntilSlow });
    if (failure !== null) fail(places.values[index] ?? expected, failure.message, failure);
  }
  if (expect.schema !== null) {
    const message = schemaError(expect.schema, call, result, validate);
    if (message !== null) fail(places.schema, message);
  }
  if (expect.duration !== null && call.duration !== null && call.duration > expect.duration * 1000)
    fail(
      places.duration,
      `expected at most ${formatDuration(expect.duration * 1000)}, took ${formatDuration(call.duration)}`,
      {
        expected: `at most ${formatDuration(expect.duration * 1000)}`,
        received: formatDuration(call.duration),
      },
    );
  if (expect.snapshot !== null && expectedResult === null)
    fail(places.result, `there is no snapshot ${expect.snapshot}; --update writes it`);
  if (expectedResult === null || result === null) return { failures, ignored: [] };
  const wanted = withVariables(expectedResult, variables);
  // The params of a notification are no result.
  const era = expected.kind === 'wait' ? {} : { isModern };
  const { differences, ignored } = compareResults(wanted, result, expect.compare, era);
  for (const difference of differences) {
    const { recorded, other } = difference;
    fail(places.result, differenceText(difference), {
      ...(recorded !== null && { expected: quote(recorded) }),
      ...(other !== null && { received: quote(other) }),
    });
  }
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

/** Limit of characters that a failure has of what the server said. */
const MAX_SAID = 4000;

/** How a call ended, with the words of the server: on one line, and all of them; null if it said nothing. */
function receivedState(
  { state, error, fault }: EndedStep,
  result: string | null,
): { readonly text: string; readonly quote: string | null } {
  if (error !== null) return { text: `${state}: ${errorText(error)}`, quote: errorQuote(error) };
  if (fault !== null) return { text: `${state}: ${faultLine(fault)}`, quote: faultQuote(fault) };
  const said = result === null ? null : textOfResult(result);
  return said === null ? { text: state, quote: null } : { text: `${state}: ${onOneLine(said)}`, quote: said };
}

const errorText = ({ code, message }: NonNullable<EndedStep['error']>): string =>
  `error ${code}: ${onOneLine(message)}`;

/** The message of an error with its data; null if the line that names it has all of it. */
function errorQuote({ message, data }: NonNullable<EndedStep['error']>): string | null {
  const lines = [message, ...(data === null || data === undefined ? [] : [JSON.stringify(data)])];
  const whole = lines.join('\n');
  return whole === onOneLine(message) ? null : truncate(whole, MAX_SAID);
}

/** The texts of a result; its structured content, or all of it, without one. */
function textOfResult(result: string): string | null {
  const content = memberText(result, ['content']);
  const texts = content?.trimStart().startsWith('[') ? elementTexts(content, MAX_TEXTS) : [];
  const said = texts.flatMap((block) => {
    const text: unknown = JSON.parse(memberText(block, ['text']) ?? 'null');
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
  if (said.length > 0) return truncate(said.join('\n'), MAX_SAID);
  const other = memberText(result, ['structuredContent']) ?? result;
  return other.trim() === '' ? null : truncate(other, MAX_SAID);
}

const MAX_TEXTS = 20;

const onOneLine = (text: string): string => truncate(text.trim().replaceAll(/\s+/g, ' '), MAX_QUOTE);

type ValueFailure = Pick<CallFailure, 'message' | 'expected' | 'received'>;

/** What is not as expected of one value; null if it is. */
function valueFailure(
  { path, check }: ValueCheck,
  result: string | null,
  { variables, matches }: Pick<CheckOptions, 'variables' | 'matches'>,
): ValueFailure | null {
  const steps = parsePath(path);
  const found = result === null || steps === null ? null : textInside(result, steps);
  if (check.kind === 'exists') {
    if (check.exists === (found !== null)) return null;
    return check.exists
      ? { message: `${path} does not exist`, expected: 'a value', received: 'none' }
      : { message: `${path} exists: ${quote(found ?? '')}`, expected: 'none', received: quote(found ?? '') };
  }
  if (found === null) return { message: `${path} does not exist`, received: 'none' };
  const differs = (expected: string): ValueFailure => ({
    message: `${path}: expected ${expected}, got ${quote(found)}`,
    expected,
    received: quote(found),
  });
  switch (check.kind) {
    case 'equals': {
      const wanted = withVariables(check.value, variables);
      return isSameJson(found, wanted) ? null : differs(quote(wanted));
    }
    case 'type':
      return isOfType(found, check.type) ? null : differs(`type ${check.type}`);
    case 'matches': {
      const value: unknown = JSON.parse(found);
      const pattern = inPattern(check.pattern, variables);
      if (typeof value === 'string') {
        if (value.length > MAX_MATCHED)
          return {
            message: `${path}: not matched against /${pattern}/: the string has ${formatQuantity(value.length, 'character')}, and at most ${formatQuantity(MAX_MATCHED, 'character')} are matched`,
          };
        const isMatch = matches(pattern, value);
        if (isMatch === null)
          return {
            message: `${path}: matching /${pattern}/, or a pattern before it, takes too long; write it without a repetition in a repetition`,
          };
        if (isMatch) return null;
      }
      return differs(`a string that matches /${pattern}/`);
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
