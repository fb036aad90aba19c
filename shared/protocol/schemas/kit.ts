import { z } from 'zod';
import { pointerOf } from '#shared/json/pointer.ts';
import { isObject } from '../jsonrpc.ts';

export const text = z.string();
export const flag = z.boolean();
export const number = z.number();
/** Whole, and however large: `z.int()` would stop at 2^53. */
export const integer = z.number().multipleOf(1);
/** From 0 to 1, both included. */
export const fraction = z.number().min(0).max(1);
/** A request id or a progress token. */
export const textOrInteger = z.union([text, integer]);
/** An object of which nothing is known; also the value of most capabilities. */
export const anyObject = z.looseObject({});
/** Whatever JSON has, as long as it is there. */
export const anything = z.unknown();

/** A fault as zod finds it, before it is put into words. */
type RawFault = z.core.$ZodRawIssue;

/** Checking stops after this many faults, which show well enough what is wrong. */
const enoughFaults = 20;

/**
 * What is wrong with a value. Not `safeParse`: that words every fault and makes an error of them, at 10 times the cost.
 */
function faultsOf(type: z.ZodType, value: unknown): RawFault[] {
  const outcome = type._zod.run({ value, issues: [] }, { async: false });
  if (outcome instanceof Promise) throw new Error('A type of the protocol never waits.');
  return outcome.issues;
}

const members = new WeakMap<z.ZodType, z.ZodType>();

/** The type of the items of a {@link list} or the values of a {@link byKey}; null for any other type. */
export function memberOf(type: z.ZodType): z.ZodType | null {
  return members.get(type) ?? null;
}

/** An array. Unlike `z.array` it stops at enough faults: a server may send a million items that are all wrong. */
export function list(item: z.ZodType): z.ZodArray<z.ZodUnknown> {
  const type = z.array(anything).check(({ value, issues }) => addFaults(item, value.entries(), issues));
  members.set(type, item);
  return type;
}

/** An object with any keys, whose values are all of one type; it stops at enough faults too. */
export function byKey(item: z.ZodType): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  const type = z
    .record(text, anything)
    .check(({ value, issues }) => addFaults(item, Object.entries(value), issues));
  members.set(type, item);
  return type;
}

function addFaults(type: z.ZodType, entries: Iterable<[PropertyKey, unknown]>, faults: RawFault[]): void {
  for (const [key, value] of entries) {
    for (const fault of faultsOf(type, value)) faults.push({ ...fault, path: [key, ...(fault.path ?? [])] });
    if (faults.length >= enoughFaults) return;
  }
}

export const texts = list(text);
export const objectsByKey = byKey(anyObject);
export const textsByKey = byKey(text);

/** Why a value is none of the alternatives: a key without one of the values that tell them apart, or none at all. */
type NoChoice = { readonly key: string; readonly expected: string[] } | { readonly message: string };

const alternatives = new WeakMap<z.ZodType, readonly z.ZodType[]>();

/** The alternatives of a type that {@link chosen} made; null for any other type. */
export function alternativesOf(type: z.ZodType): readonly z.ZodType[] | null {
  return alternatives.get(type) ?? null;
}

/**
 * One of several types, told apart by looking at the value, so that a fault is named where it is and not as
 * "fits none of them". For what one key can tell apart, `z.discriminatedUnion` does the same.
 */
export function chosen(
  options: readonly z.ZodType[],
  choose: (value: unknown) => z.ZodType | NoChoice,
): z.ZodType {
  const type = z.unknown().check((context) => {
    const { value, issues } = context;
    const choice = choose(value);
    if ('key' in choice) {
      issues.push({ code: 'invalid_value', values: choice.expected, path: [choice.key], input: value });
      return;
    }
    if ('message' in choice) {
      issues.push({ code: 'custom', message: choice.message, input: value });
      return;
    }
    issues.push(...faultsOf(choice, value));
  });
  alternatives.set(type, options);
  return type;
}

/** One of several objects; `choose` sees only objects. */
export function chosenObject(
  options: readonly z.ZodType[],
  choose: (value: Readonly<Record<string, unknown>>) => z.ZodType | NoChoice,
): z.ZodType {
  return chosen(options, (value) => (isObject(value) ? choose(value) : anyObject));
}

/** One or a list of them. */
export function oneOrMore(type: z.ZodType): z.ZodType {
  const several = list(type);
  return chosen([type, several], (value) => (Array.isArray(value) ? several : type));
}

/** One thing that is wrong with a message by the schema. */
export interface SchemaError {
  /** JSON pointer (RFC 6901) into the whole message. */
  readonly pointer: string;
  /** A few plain words, such as `expected string, got number`. */
  readonly message: string;
}

/** A message is told no more problems than this. */
export const maxErrors = enoughFaults;

/** What is wrong with a value, by its type; `under` is the pointer of the value in its message. */
export function errorsOf(type: z.ZodType, value: unknown, under = ''): SchemaError[] {
  const faults = faultsOf(type, value);
  if (faults.length === 0) return [];
  return faults.slice(0, maxErrors).map((fault) => ({
    pointer: under + pointerOf(fault.path ?? []),
    message: inWords(fault, valueAt(value, fault.path ?? [])),
  }));
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
