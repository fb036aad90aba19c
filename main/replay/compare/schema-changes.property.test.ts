import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SchemaValidator } from '#session/validator.ts';
import { Budget } from '#shared/budget.ts';
import { type SchemaChange, schemaChanges } from './schema-changes.ts';

type Schema = Readonly<Record<string, unknown>>;

const small = fc.integer({ min: 0, max: 4 });
const constants = fc.constantFrom<unknown>('a', 'ab', 'abc', 0, 1, 3, null, true, false);

/** Schemas of a few types, with limits, alternatives and references to two definitions. */
const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Schema>({}, { type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }),
    fc.record<Schema>(
      { type: fc.constant('string'), minLength: small, maxLength: small },
      { requiredKeys: ['type'] },
    ),
    fc.record<Schema>(
      { type: fc.constantFrom('integer', 'number'), minimum: small, exclusiveMaximum: small },
      { requiredKeys: ['type'] },
    ),
    fc.record<Schema>({ minimum: small, maxLength: small }, { requiredKeys: [] }),
    fc.record<Schema>({ enum: fc.uniqueArray(constants, { minLength: 1, maxLength: 4 }) }),
    fc.record<Schema>({ const: constants }),
    fc.constantFrom<Schema>({ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }),
    tie('object'),
    fc.record<Schema>(
      { type: fc.constant('array'), items: tie('schema'), minItems: small },
      { requiredKeys: ['type'] },
    ),
    fc.record<Schema>({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record<Schema>({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record<Schema>({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record<Schema>({ not: tie('schema') }),
  ),
  object: fc.record<Schema>(
    {
      type: fc.constant('object'),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }),
      required: fc.subarray(['a', 'b']),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    },
    { requiredKeys: ['type', 'properties'] },
  ),
}));

/** A schema with the definitions that it may refer to. Neither refers to itself without an object between. */
const document = fc.tuple(schema, schema, fc.boolean()).map(([root, a, isRecursive]): Schema => {
  const B = isRecursive
    ? { type: 'object', properties: { a: { $ref: '#/$defs/B' }, b: { type: 'string' } } }
    : { type: 'integer', minimum: 1 };
  return { ...root, $defs: { A: withoutReferences(a), B } };
});

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return { type: 'string', minLength: 1 };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutReferences(inner)]));
}

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    constants,
    fc.constantFrom<unknown>(2, 4, 5, 0.5, '', 'abcd'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}));

const changesOf = (before: unknown, after: unknown): readonly SchemaChange[] => {
  const { changes, unfinished } = schemaChanges(
    before,
    after,
    new Budget({ steps: 2_000_000, characters: 500_000_000 }),
  );
  expect(unfinished).toBeNull();
  return changes;
};

/** The places of schemas inside of a schema. */
function placesIn(part: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof part !== 'object' || part === null) return [];
  const found = [path];
  for (const [keyword, inner] of Object.entries(part)) {
    if (keyword === 'properties')
      for (const [name, one] of Object.entries(inner as Schema))
        found.push(...placesIn(one, [...path, keyword, name]));
    else if (['anyOf', 'oneOf', 'allOf'].includes(keyword))
      for (const [index, one] of (inner as unknown[]).entries())
        found.push(...placesIn(one, [...path, keyword, index]));
    else if (['items', 'additionalProperties', 'not'].includes(keyword))
      found.push(...placesIn(inner, [...path, keyword]));
  }
  return found;
}

function changedAt(
  root: unknown,
  path: readonly (string | number)[],
  change: (part: Schema) => unknown,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(root as Schema);
  const copy: unknown = structuredClone(root);
  const inner: unknown = Reflect.get(copy as object, step);
  Reflect.set(copy as object, step, changedAt(inner, rest, change));
  return copy;
}

/** Other writings of a schema by which the same values are valid. */
const rewritings: readonly ((part: Schema) => unknown)[] = [
  (part) => ({ allOf: [part] }),
  (part) => ({ anyOf: [part] }),
  (part) => ({ oneOf: [part] }),
  (part) => ({ anyOf: [part, part] }),
  (part) => ({ anyOf: [false, part] }),
  (part) => ({ allOf: [{}, part] }),
  (part) => ({ allOf: [part, part] }),
  (part) => ({ ...part, $comment: 'the same' }),
  (part) => ({ minLength: 0, minItems: 0, minProperties: 0, uniqueItems: false, ...part }),
  (part) =>
    part.type === 'object'
      ? { required: [], additionalProperties: true, patternProperties: {}, ...part }
      : part,
  (part) => (typeof part.type === 'string' ? { ...part, type: [part.type] } : part),
  (part) =>
    part.type === 'integer' && typeof part.minimum === 'number' && part.exclusiveMinimum === undefined
      ? without({ ...part, exclusiveMinimum: part.minimum - 1 }, 'minimum')
      : part,
  (part) => (part.type === 'boolean' ? { enum: [false, true] } : part),
  (part) =>
    Array.isArray(part.type) && Object.keys(part).length === 1
      ? { anyOf: part.type.map((type: unknown) => ({ type })) }
      : part,
  (part) => (part.const === undefined ? part : without({ ...part, enum: [part.const] }, 'const')),
  (part) => (Array.isArray(part.enum) ? { ...part, enum: part.enum.toReversed() } : part),
  (part) =>
    Array.isArray(part.enum) && Object.keys(part).length === 1
      ? { oneOf: part.enum.map((value: unknown) => ({ const: value })) }
      : part,
  (part) => (Array.isArray(part.anyOf) ? { ...part, anyOf: part.anyOf.toReversed() } : part),
  (part) => (Array.isArray(part.oneOf) ? { ...part, oneOf: part.oneOf.toReversed() } : part),
  (part) => (Array.isArray(part.allOf) ? { ...part, allOf: part.allOf.toReversed() } : part),
  (part) => (Array.isArray(part.required) ? { ...part, required: part.required.toReversed() } : part),
  (part) => (part.$ref === '#/$defs/A' ? { $ref: '#/definitions/A' } : part),
];

function without(part: Record<string, unknown>, keyword: string): Schema {
  const { [keyword]: _, ...others } = part;
  return others;
}

test('a schema in another writing has no change', () => {
  fc.assert(
    fc.property(
      document,
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 4 }),
      (before, steps) => {
        let after: unknown = { ...before, definitions: before.$defs };
        for (const [where, which] of steps) {
          const places = placesIn(after).filter(([first]) => first !== '$defs');
          const place = places[where % places.length] ?? [];
          const rewrite = rewritings[which % rewritings.length] ?? ((part: Schema) => part);
          const definitions = after as Schema;
          after = changedAt(after, place, rewrite);
          // References lead from the root.
          after = { ...(after as Schema), $defs: definitions.$defs, definitions: definitions.definitions };
        }
        expect(changesOf(before, after)).toEqual([]);
        expect(changesOf(after, before)).toEqual([]);
      },
    ),
    { numRuns: 1500 },
  );
}, 60_000);

test('a value that is valid by one schema and not by the other is a change that says so', () => {
  const validator = new SchemaValidator();
  const isValid = (one: unknown, value: unknown): boolean | null => {
    const { state } = validator.validateText(JSON.stringify(one), JSON.stringify(value));
    return state === 'unknown' ? null : state === 'valid';
  };
  const pair = fc.oneof(
    fc.tuple(document, document),
    fc.tuple(document, fc.nat(), schema).map(([before, where, part]): [Schema, Schema] => {
      const places = placesIn(before);
      const after = changedAt(before, places[where % places.length] ?? [], () => part) as Schema;
      return [before, { ...after, $defs: before.$defs }];
    }),
  );
  fc.assert(
    fc.property(pair, fc.array(values, { minLength: 10, maxLength: 30 }), ([before, after], samples) => {
      const changes = changesOf(before, after);
      // A member that came or went is a change of its own, whatever it allows.
      if (changes.some(({ keyword }) => keyword.startsWith('property-'))) return;
      const has = (...kinds: SchemaChange['kind'][]) => changes.some(({ kind }) => kinds.includes(kind));
      for (const value of samples) {
        const [was, is] = [isValid(before, value), isValid(after, value)];
        if (was === true && is === false)
          expect(has('narrowed', 'undecided'), JSON.stringify(value)).toBe(true);
        if (was === false && is === true)
          expect(has('widened', 'undecided'), JSON.stringify(value)).toBe(true);
      }
    }),
    { numRuns: 150 },
  );
}, 60_000);
