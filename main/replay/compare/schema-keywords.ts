import type { Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** What is known of each keyword of JSON Schema (draft-07 and 2020-12), and what it says in a schema as it is written or in its normal form. */

/** Lower limits, which narrow as they grow, and upper ones. */
export const lowerLimits = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
];
export const upperLimits = [
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
];

/** Every type, of which `number` includes integers. */
export const everyType = ['null', 'boolean', 'object', 'array', 'number', 'string'];

/** Keywords that only values of one type can break. */
const typedKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'prefixItems',
    'additionalItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};
export const typeOfKeyword = new Map(
  Object.entries(typedKeywords).flatMap(([type, keywords]) =>
    keywords.map((keyword) => [keyword, type] as const),
  ),
);

/** Keywords with one schema, with schemas by name, and with lists of them. */
export const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
]);
export const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** Lists of other values, in any order. */
export const unorderedLists: ReadonlySet<string> = new Set(['enum', 'required', 'type']);

/** Keywords that narrow by themselves, whatever the type. */
const untypedKeywords = ['not', 'if', 'then', 'else', '$ref', '$dynamicRef', '$recursiveRef', 'format'];

const constraintSet: ReadonlySet<string> = new Set([
  ...typeOfKeyword.keys(),
  ...untypedKeywords,
  'type',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
]);

/** Whether a keyword of a normal form limits values. */
export const isConstraint = (keyword: string): boolean => constraintSet.has(keyword);

/** The values of types that have few. */
export const finiteTypes = new Map<string, readonly unknown[]>([
  ['null', [null]],
  ['boolean', [true, false]],
  ['boolean,null', [true, false, null]],
]);

/** The values that the types of a schema have, if they are few; null otherwise. */
export const finiteValues = (types: readonly string[]): readonly unknown[] | null =>
  finiteTypes.get(types.toSorted().join()) ?? null;

/** The types that are valid, with what `nullable` of OpenAPI adds. */
export function typesOf(schema: Schema): readonly string[] {
  const given = Array.isArray(schema.type) ? schema.type.map(String) : [schema.type];
  const types = given.filter((type) => typeof type === 'string');
  if (types.length === 0) return everyType;
  return schema.nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

/** Whether every value of the other type is of this one. */
export const covers = (type: string, other: string): boolean =>
  type === other || (type === 'number' && other === 'integer');

export const commonTypes = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([
    ...one.filter((type) => other.some((another) => covers(another, type))),
    ...other.filter((type) => one.some((another) => covers(another, type))),
  ]),
];

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The values of `enum` or `const`; null if any value of the types is valid. */
export function valuesOf(schema: Schema): readonly unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

export const namesOf = (names: unknown): readonly string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];

/** Whether a schema as it is written allows every value, apart from what describes it. */
export const isEmpty = (schema: unknown): boolean =>
  schema === true ||
  (isObject(schema) &&
    !Object.keys(schema).some(
      (keyword) => isConstraint(keyword) || keyword === 'const' || keyword === 'nullable',
    ));

export const hasConstraint = (schema: Schema): boolean => Object.keys(schema).some(isConstraint);

export const hasOnly = (schema: Schema, keywords: readonly string[]): boolean =>
  keywords.every((keyword) => schema[keyword] !== undefined) &&
  Object.keys(schema).every((keyword) => keywords.includes(keyword) || !isConstraint(keyword));

/** Whether a schema has keywords that are not only about one type. */
export const hasUntyped = (schema: Schema): boolean =>
  Object.keys(schema).some(
    (keyword) =>
      isConstraint(keyword) &&
      keyword !== 'type' &&
      !typeOfKeyword.has(keyword) &&
      !(keyword === 'format' && schema.type === 'string'),
  );

export const withoutAnnotations = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => isConstraint(keyword)));

export const withoutConstraints = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isConstraint(keyword)));
