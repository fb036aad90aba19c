import type { Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { everyType, isConstraint, isEmpty, typeOfKeyword } from './schema-keywords.ts';

/** Leaves out what one level of a schema says in vain, and writes the rest in one way. */

/** Keywords that {@link isWithin} checks. */
export const limitsOfValues: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
]);

/** Whether a value is valid, if a schema has only a type and limits that can be told at once. */
export const fitsLimits = (value: unknown, schema: Schema): boolean =>
  Object.keys(schema).every(
    (keyword) => keyword === 'type' || limitsOfValues.has(keyword) || !isConstraint(keyword),
  ) && isWithin(value, schema);

export function isWithin(value: unknown, schema: Schema): boolean {
  const isMet = (keyword: string, meets: (limit: number) => boolean): boolean => {
    const limit = schema[keyword];
    return typeof limit !== 'number' || meets(limit);
  };
  if (typeof value === 'number')
    return (
      isMet('minimum', (limit) => value >= limit) &&
      isMet('maximum', (limit) => value <= limit) &&
      isMet('exclusiveMinimum', (limit) => value > limit) &&
      isMet('exclusiveMaximum', (limit) => value < limit)
    );
  if (typeof value !== 'string') return true;
  const length = [...value].length;
  return isMet('minLength', (limit) => length >= limit) && isMet('maxLength', (limit) => length <= limit);
}

/** Keywords that allow every value, and values of keywords that do. */
export function isNothing(keyword: string, value: unknown, schema: Schema): boolean {
  switch (keyword) {
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return value === 0;
    case 'uniqueItems':
    case 'deprecated':
    case 'readOnly':
    case 'writeOnly':
    case 'not':
      return value === false;
    case 'pattern':
      return value === '' || value === '.*' || value === '^.*';
    case 'required':
    case 'prefixItems':
    case 'examples':
      return Array.isArray(value) && value.length === 0;
    case 'properties':
    case 'patternProperties':
    case 'dependentSchemas':
    case 'dependencies':
      return isObject(value) && Object.keys(value).length === 0;
    case 'dependentRequired':
      return (
        isObject(value) && Object.values(value).every((names) => Array.isArray(names) && names.length === 0)
      );
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return isEmpty(value);
    case 'items':
      return (
        isEmpty(value) || (Array.isArray(value) && value.length === 0 && schema.additionalItems === undefined)
      );
    case 'additionalItems':
      return isEmpty(value) || !Array.isArray(schema.items);
    case 'propertyNames':
      return (
        isEmpty(value) ||
        (isObject(value) &&
          value.type === 'string' &&
          !Object.keys(value).some((one) => one !== 'type' && isConstraint(one)))
      );
    case 'contains':
      return schema.minContains === 0 && schema.maxContains === undefined;
    case 'minContains':
      return (
        value === 1 || schema.contains === undefined || (value === 0 && schema.maxContains === undefined)
      );
    case 'maxContains':
      return schema.contains === undefined;
    case 'if':
      return schema.then === undefined && schema.else === undefined;
    case 'then':
    case 'else':
      return schema.if === undefined || isEmpty(value);
    case 'const':
    case 'nullable':
    case 'type':
    case 'enum':
      return true;
    default:
      return false;
  }
}

/** Leaves out what values of these types cannot break, and writes the types in one way. */
export function withTypes(schema: Record<string, unknown>, types: readonly string[]): void {
  const known = new Set(types);
  if (known.has('number')) known.delete('integer');
  delete schema.type;
  if (everyType.every((type) => known.has(type))) return;
  const list = [...known].sort();
  schema.type = list.length === 1 ? list[0] : list;
  for (const keyword of Object.keys(schema)) {
    const type = typeOfKeyword.get(keyword);
    if (type === undefined || known.has(type) || (type === 'number' && known.has('integer'))) continue;
    delete schema[keyword];
  }
}

/** Of integers, limits that exclude one are limits that include the next; those of every integer in JSON are none. */
export function withNumbers(schema: Record<string, unknown>, types: readonly string[]): void {
  const isInteger = types.includes('integer') && !types.includes('number');
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (isInteger) {
    if (typeof exclusiveMinimum === 'number') {
      schema.minimum = Math.max(
        Math.floor(exclusiveMinimum) + 1,
        numberOr(minimum, Number.NEGATIVE_INFINITY),
      );
      delete schema.exclusiveMinimum;
    } else if (typeof minimum === 'number') schema.minimum = Math.ceil(minimum);
    if (typeof exclusiveMaximum === 'number') {
      schema.maximum = Math.min(Math.ceil(exclusiveMaximum) - 1, numberOr(maximum, Number.POSITIVE_INFINITY));
      delete schema.exclusiveMaximum;
    } else if (typeof maximum === 'number') schema.maximum = Math.floor(maximum);
    if (typeof schema.minimum === 'number' && schema.minimum <= Number.MIN_SAFE_INTEGER)
      delete schema.minimum;
    if (typeof schema.maximum === 'number' && schema.maximum >= Number.MAX_SAFE_INTEGER)
      delete schema.maximum;
    if (schema.multipleOf === 1) delete schema.multipleOf;
    return;
  }
  // The stricter of the two is the limit.
  if (typeof minimum === 'number' && typeof exclusiveMinimum === 'number')
    delete schema[minimum > exclusiveMinimum ? 'exclusiveMinimum' : 'minimum'];
  if (typeof maximum === 'number' && typeof exclusiveMaximum === 'number')
    delete schema[maximum < exclusiveMaximum ? 'exclusiveMaximum' : 'maximum'];
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
