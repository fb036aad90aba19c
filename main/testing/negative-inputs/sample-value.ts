import { isObject } from '#shared/protocol/jsonrpc.ts';
import { appliedSchemas } from '#shared/json-schema/members.ts';
import { targetOf } from '#shared/json-schema/references.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';

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
  if (typeOf(schema) === 'object') return sampleObject(schema, root, depth);
  const inner =
    targetOf(schema, root) ?? firstOf(schema.anyOf) ?? firstOf(schema.oneOf) ?? firstOf(schema.allOf);
  if (inner !== undefined) return sampleValue(inner, root, depth + 1);
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
    case null:
      return null;
    default:
      return 'text';
  }
}

/** The required members, by all parts of a schema and the first of several alternatives. */
function sampleObject(schema: Schema, root: Schema, depth: number): object {
  const applied = appliedSchemas(schema, root, (_, index) => index === 0);
  const required = new Set(applied.flatMap(requiredOf));
  const members = [...required].map((name): [string, unknown] => {
    const [own] = applied.flatMap(({ properties }) => {
      const value = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return value === undefined ? [] : [value];
    });
    return [name, sampleValue(own, root, depth + 1)];
  });
  return Object.fromEntries(members);
}

/** The names of required members. */
const requiredOf = ({ required }: Schema): string[] =>
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
  return isSchema(schema) ? (targetOf(schema, root) ?? schema) : schema;
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
