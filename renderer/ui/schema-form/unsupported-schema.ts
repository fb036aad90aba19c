import type { ExactJson } from './exact-json.ts';
import { overFormLimits } from './form-limits.ts';
import { patternMember } from './form-schema.ts';
import { namesUsedTwice, targetOf } from '#shared/json-schema/references.ts';
import { isSchema, namedKeywords, type Schema, typesOf, valueKeywords } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * Why a form cannot show these arguments without losing data; null if it can. A form shows a wrong scalar as text,
 * but cannot show an object where the schema has a scalar, or the reverse.
 */
export function unsupportedReason(schema: Schema, read: ExactJson): string | null {
  if (!read.ok) return read.at === null ? 'it is not valid JSON.' : read.error;
  if (!isObject(read.value)) return 'it is not an object.';
  const limit = overFormLimits(schema);
  if (limit !== null) return limit;
  const unsafe = unsafeKey(schema) ?? unsafeKey(read.value);
  if (unsafe !== null) return `it has the key ${unsafe}, which a form cannot show.`;
  const reference = unusableReference(schema, schema);
  if (reference !== null) return `its schema refers to ${reference}.`;
  const undescribed = undescribedKey(schema);
  if (undescribed !== null) return `its schema requires ${undescribed}, but does not describe it.`;
  return misfit(read.value, schema, schema, '');
}

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];

/** Keywords that may describe arguments in place of `properties`. */
const describing = [
  '$ref',
  '$dynamicRef',
  'oneOf',
  'anyOf',
  'allOf',
  'if',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
];

/** The first required argument for which a form has no field; null if there is none. */
function undescribedKey(schema: Schema): string | null {
  const { properties, additionalProperties } = schema;
  const required = namesOf(schema.required);
  if (describing.some((keyword) => keyword in schema)) return null;
  // The form then has fields for names that the user enters.
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const described = new Set(isObject(properties) ? Object.keys(properties) : []);
  return required.find((key) => !described.has(key)) ?? null;
}

function misfit(value: unknown, schema: Schema, root: Schema, at: string): string | null {
  const target = targetOf(schema, root) ?? schema;
  const types = typesOf(target).filter((type) => type !== 'null');
  const [type] = types;
  if (value === null || type === undefined || types.length > 1) return null;
  const expected = type === 'object' || type === 'array' ? type : 'scalar';
  const found = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : 'scalar';
  if (expected !== found && !isJsonField(target, type)) {
    return `at ${at || 'the top'} there is ${words[found]} where the schema has ${words[expected]}.`;
  }
  if (isObject(value)) {
    const { properties, additionalProperties } = target;
    for (const [key, inner] of Object.entries(value)) {
      const part =
        isObject(properties) && Object.hasOwn(properties, key)
          ? properties[key]
          : (patternMember(target) ?? additionalProperties);
      const why = isSchema(part) ? misfit(inner, part, root, `${at}/${key}`) : null;
      if (why !== null) return why;
    }
  }
  if (Array.isArray(value) && isSchema(target.items)) {
    for (const [index, inner] of value.entries()) {
      const why = misfit(inner, target.items, root, `${at}/${index}`);
      if (why !== null) return why;
    }
  }
  return null;
}

/** Keys that form libraries skip because JavaScript objects treat them specially. */
const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The first key, at any depth, that a form cannot show; null if there is none. */
function unsafeKey(value: unknown): string | null {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (!Array.isArray(one)) {
      const unsafe = Object.keys(one).find((key) => unsafeKeys.has(key));
      if (unsafe !== undefined) return unsafe;
    }
    for (const inner of Object.values(one)) open.push(inner);
  }
  return null;
}

/** The first reference that a form cannot follow, and why. References are never fetched. */
function unusableReference(part: unknown, root: Schema, isMap = false): string | null {
  if (Array.isArray(part)) return firstUnusable(part, root);
  if (!isSchema(part)) return null;
  const { $ref, $dynamicRef } = part;
  if (!isMap && typeof $ref === 'string' && targetOf(part, root) === undefined) {
    const isTwice = [...namesUsedTwice(root)].some((name) => name.endsWith($ref));
    return `${$ref}, ${isTwice ? 'a name that two of its parts have' : 'which is not in it'}`;
  }
  // What it means depends on the schemas it is reached through.
  if (!isMap && typeof $dynamicRef === 'string')
    return `${$dynamicRef} dynamically, which a form cannot follow`;
  for (const [keyword, value] of Object.entries(part)) {
    if (!isMap && valueKeywords.has(keyword)) continue;
    const found = unusableReference(value, root, !isMap && namedKeywords.has(keyword));
    if (found !== null) return found;
  }
  return null;
}

function firstUnusable(parts: readonly unknown[], root: Schema): string | null {
  for (const part of parts) {
    const found = unusableReference(part, root);
    if (found !== null) return found;
  }
  return null;
}

const words = { object: 'an object', array: 'a list', scalar: 'a single value' } as const;

/** Whether the form edits this part as JSON, which can hold any value. */
const isJsonField = (schema: Schema, type: string): boolean =>
  type === 'array'
    ? !('items' in schema) && !('prefixItems' in schema)
    : type === 'object' && !('properties' in schema) && !isSchema(schema.additionalProperties);
