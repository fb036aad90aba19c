import { isObject } from '#shared/protocol/jsonrpc.ts';
import { pointerPath } from '#shared/json/pointer.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Limit of levels to fill in; a schema may refer to itself. */
const MAX_DEPTH = 8;

/**
 * A simple value that fits a JSON Schema, as far as its usual keywords go: defaults and examples first, required members
 * only, the first of several alternatives.
 *
 * @param root the schema that local references are resolved in
 */
export function sampleValue(schema: unknown, root: Schema, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const given = [schema.const, schema.default, firstOf(schema.enum), firstOf(schema.examples)];
  const preset = given.find((value) => value !== undefined);
  if (preset !== undefined) return preset;
  const inner =
    resolved(schema, root) ?? firstOf(schema.anyOf) ?? firstOf(schema.oneOf) ?? firstOf(schema.allOf);
  if (inner !== undefined && schema.properties === undefined) return sampleValue(inner, root, depth + 1);
  switch (typeOf(schema)) {
    case 'string':
      return sampleString(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return false;
    case 'array': {
      const count = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 10) : 0;
      return Array.from({ length: count }, () => sampleValue(schema.items, root, depth + 1));
    }
    case 'object': {
      const { properties } = schema;
      const members = requiredOf(schema).map((name): [string, unknown] => [
        name,
        sampleValue(isObject(properties) ? properties[name] : undefined, root, depth + 1),
      ]);
      return Object.fromEntries(members);
    }
    case null:
      return null;
    default:
      return 'text';
  }
}

/** The names of required members. */
export const requiredOf = ({ required }: Schema): string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];

/** The type of the values of a schema, the first of several; undefined if it does not say. */
export function typeOf(schema: Schema): string | null | undefined {
  const { type } = schema;
  const first: unknown = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (first === 'null') return null;
  if (typeof first === 'string') return first;
  return isObject(schema.properties) ? 'object' : undefined;
}

/** The schema itself, or the one that it refers to within the root. */
export function withoutReference(schema: unknown, root: Schema): unknown {
  return isObject(schema) ? (resolved(schema, root) ?? schema) : schema;
}

function resolved({ $ref }: Schema, root: Schema): unknown {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of pointerPath(decodeURIComponent($ref.slice(1)))) {
    found = isObject(found) || Array.isArray(found) ? Reflect.get(found, step) : undefined;
  }
  return found;
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

const formats: Readonly<Record<string, string>> = {
  uri: 'https://example.com/',
  'uri-reference': 'https://example.com/',
  email: 'user@example.com',
  date: '2026-01-01',
  time: '12:00:00Z',
  'date-time': '2026-01-01T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

function sampleString({ format, minLength, maxLength }: Schema): string {
  if (typeof format === 'string' && formats[format] !== undefined) return formats[format];
  const least = typeof minLength === 'number' ? Math.min(minLength, 1000) : 0;
  const most = typeof maxLength === 'number' ? maxLength : Math.max(least, 4);
  return 'text'.padEnd(least, 't').slice(0, most);
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: Schema): number {
  if (typeof multipleOf === 'number') return multipleOf;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === 'number' ? Math.min(maximum, 1) : 1;
}
