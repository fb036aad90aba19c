import type { Call, Validation } from '#shared/contract/calls.ts';
import type { CallOutcome, ValueCheck } from '#shared/contract/saved-calls.ts';
import { formatDuration, truncate } from '#shared/format.ts';
import { memberText } from '#shared/json/members.ts';
import { parsePath, textAtPath } from '#shared/json/path.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import type { Validate } from '#testing/tested-session.ts';
import type { Place, ReadCall } from './read-test-file.ts';
import { inPattern, withVariables } from '#shared/json/variables.ts';

type Failure = CallOutcome['failures'][number];

/** Limit of characters of a value that a failure quotes. */
const MAX_QUOTE = 300;
/** Limit of characters that a regular expression is matched against. */
const MAX_MATCHED = 100_000;

/**
 * Compares a call that has ended with what is expected of it.
 *
 * @param result JSON text; null if the response was no result
 */
export function checkCall(
  expected: ReadCall,
  call: Call,
  result: string | null,
  variables: ReadonlyMap<string, string>,
  validate: Validate,
): Failure[] {
  const { expect, places } = expected;
  const failures: Failure[] = [];
  const fail = (place: Place, message: string) =>
    failures.push({ line: place.line, column: place.column, message });

  if (call.state !== expect.status) fail(places.status, `expected ${expect.status}, got ${stateText(call)}`);
  else if (expect.code !== null && call.error?.code !== expect.code)
    fail(places.status, `expected error ${expect.code}, got ${call.error?.code ?? 'none'}`);
  // Everything else follows from an unexpected status.
  if (failures.length > 0) return failures;

  for (const [index, value] of expect.values.entries()) {
    const message = valueError(value, result, variables);
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
  return failures;
}

function stateText({ state, error, fault }: Call): string {
  if (error !== null) return `${state}: error ${error.code}: ${truncate(error.message, MAX_QUOTE)}`;
  return fault === null ? state : `${state}: ${fault.what}`;
}

function valueError(
  { path, check }: ValueCheck,
  result: string | null,
  variables: ReadonlyMap<string, string>,
): string | null {
  const steps = parsePath(path);
  const found = result === null || steps === null ? null : textAtPath(result, steps);
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
      const isMatch = typeof value === 'string' && matches(pattern, value.slice(0, MAX_MATCHED));
      return isMatch ? null : `${path}: expected a string that matches /${pattern}/, got ${quote(found)}`;
    }
  }
}

/** A variable may have made the expression invalid. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

function isOfType(json: string, type: string): boolean {
  const value: unknown = JSON.parse(json);
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value));
  return typeof value === type;
}

function schemaError(schema: string, call: Call, result: string | null, validate: Validate): string | null {
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
