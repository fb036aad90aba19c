import { pointerPath } from '#shared/json/pointer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { UsageError } from './exit.ts';
import { quoted } from './option-values.ts';

interface Word {
  readonly key: string;
  /** Whether it was given as JSON: `key:=JSON`. */
  readonly isJson: boolean;
  readonly value: string;
}

/** Reads `key=value` and `key:=JSON`. @throws UsageError */
export function readWords(words: readonly string[]): Word[] {
  const read = words.map(readWord);
  const twice = read.find(({ key }, index) => read.findIndex((one) => one.key === key) < index);
  if (twice !== undefined) throw new UsageError(`the argument ${quoted(twice.key)} is given twice`);
  return read;
}

/**
 * The arguments as JSON text. A value is written as the type of its property in the input schema, the first
 * matching one of several; without a type as a string. Numbers stay as typed.
 *
 * @throws UsageError when a value fits no type of its property
 */
export function argumentsText(words: readonly Word[], inputSchema: Record<string, unknown>): string {
  return `{${words.map((word) => `${JSON.stringify(word.key)}:${valueText(word, inputSchema)}`).join(',')}}`;
}

function readWord(word: string): Word {
  const [, key, colon, value] = /^([^=]+?)(:)?=(.*)$/s.exec(word) ?? [];
  if (key === undefined || value === undefined) {
    throw new UsageError(`arguments are key=value or key:=JSON; ${quoted(word)} is neither`);
  }
  if (colon !== undefined && parsed(value) === undefined) {
    throw new UsageError(`the value after ${quoted(`${key}:=`)} must be JSON; it is ${quoted(value)}`);
  }
  return { key, isJson: colon !== undefined, value };
}

function valueText({ key, isJson, value }: Word, inputSchema: Record<string, unknown>): string {
  if (isJson) return value;
  const kinds = kindsOf(propertyOf(inputSchema, key), inputSchema);
  if (kinds.length === 0) return JSON.stringify(value);
  for (const kind of kinds) {
    const text = writers[kind](value);
    if (text !== null) return text;
  }
  const asJson = `${key}:='${JSON.stringify(value)}'`;
  throw new UsageError(
    `the tool wants ${quoted(key)} as ${kinds.join(' or ')}, which ${quoted(value)} is not; ` +
      `to send it as it is: ${asJson.length > 100 ? `${quoted(`${key}:=`)} and the value as JSON` : asJson}`,
  );
}

function propertyOf({ properties, additionalProperties }: Record<string, unknown>, key: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

/** The JSON text of a value for each type; null if it does not fit. */
const writers: Readonly<Record<Kind, (value: string) => string | null>> = {
  string: (value) => JSON.stringify(value),
  number: (value) => (typeof parsed(value) === 'number' ? value.trim() : null),
  integer: (value) => (Number.isInteger(parsed(value)) ? value.trim() : null),
  boolean: (value) => (value === 'true' || value === 'false' ? value : null),
  null: (value) => (value === 'null' ? value : null),
  object: (value) => (isObject(parsed(value)) ? value : null),
  array: (value) => (Array.isArray(parsed(value)) ? value : null),
};

/** The value of a JSON text; undefined if it is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const kinds = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;

/** A type of JSON Schema (2020-12 validation, section 6.1.1). */
type Kind = (typeof kinds)[number];

/** Limit of nested references; a schema may refer to itself. */
const DEEPEST = 16;

/** The types that a schema allows, in its order; empty if unspecified. The schema is untrusted. */
export function kindsOf(schema: unknown, root: Record<string, unknown>, depth = 0): Kind[] {
  if (!isObject(schema) || depth > DEEPEST) return [];
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined) return asList(type).filter(isKind);
  if (Object.hasOwn(schema, 'const')) return [kindOf(schema.const)];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(kindOf))];
  if (typeof $ref === 'string') return kindsOf(referred($ref, root), root, depth + 1);
  const parts = [anyOf, oneOf, allOf].find(Array.isArray) ?? [];
  return [...new Set(parts.flatMap((part) => kindsOf(part, root, depth + 1)))];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value);

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return isKind(type) ? type : 'string';
}

/** What a reference inside the same schema points to (RFC 6901 section 6). */
function referred(ref: string, root: Record<string, unknown>): unknown {
  if (!ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const key of pointerPath(decodeURIComponent(ref.slice(1)))) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = new Map(Object.entries(found)).get(key);
  }
  return found;
}
