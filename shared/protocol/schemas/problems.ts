import type { z } from 'zod';
import { isObject } from '../jsonrpc.ts';
import { enoughFaults, faultsOf, type RawFault } from './kit.ts';

/** One thing that is wrong with a message by the schema. */
export interface SchemaProblem {
  /** JSON pointer (RFC 6901) into the whole message. */
  readonly pointer: string;
  /** A few plain words, such as `expected string, got number`. */
  readonly message: string;
}

/** A message is told no more problems than this. */
export const mostProblems = enoughFaults;

/** What is wrong with a value, by its type; `under` is the pointer of the value in its message. */
export function problemsOf(type: z.ZodType, value: unknown, under = ''): SchemaProblem[] {
  const faults = faultsOf(type, value);
  if (faults.length === 0) return [];
  return faults.slice(0, mostProblems).map((fault) => ({
    pointer: under + pointerOf(fault.path ?? []),
    message: inWords(fault, valueAt(value, fault.path ?? [])),
  }));
}

/** The JSON pointer of a path of keys and indexes. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

function inWords(issue: RawFault, value: unknown): string {
  // JSON has no undefined, so what is undefined is not there.
  if (value === undefined) return 'missing';
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}, got ${kindOf(value)}`;
    case 'invalid_value':
      return `${expectedOf(issue.values)}, got ${shown(value)}`;
    case 'invalid_union':
      return unionInWords(issue, value);
    case 'not_multiple_of':
      return `expected a whole number, got ${shown(value)}`;
    case 'too_small':
      return `expected at least ${issue.minimum}, got ${shown(value)}`;
    case 'too_big':
      return `expected at most ${issue.maximum}, got ${shown(value)}`;
    default:
      return issue.message ?? 'not valid';
  }
}

const expectedOf = (values: readonly unknown[]): string =>
  `expected ${values.length > 1 ? 'one of ' : ''}${values.map(shown).join(', ')}`;

function unionInWords(issue: Extract<RawFault, { code: 'invalid_union' }>, value: unknown): string {
  if (issue.discriminator !== undefined && 'options' in issue && Array.isArray(issue.options)) {
    return `${expectedOf(issue.options)}, got ${shown(value)}`;
  }
  const expected = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [first.expected] : [],
  );
  return `expected ${expected.join(' or ')}, got ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  // Number('1e999'): JSON may hold it, a number cannot.
  if (value === Infinity || value === -Infinity) return 'a number too large';
  return typeof value;
}

const longest = 40;

/** A value as JSON when it is short, else what kind it is: a part of a secret could not be told from other text. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > longest ? `a text of ${value.length} characters` : JSON.stringify(value);
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}
