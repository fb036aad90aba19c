import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { schemaFaults } from '#shared/json-schema/faults.ts';
import { SchemaValidator } from './validator.ts';

const validator = new SchemaValidator();
const validate = (schema: unknown, value: unknown = {}) => validator.validate(JSON.stringify(schema), value);

test.each([
  [
    'a pattern of Python',
    { properties: { x: { pattern: '(?P<id>[0-9]+)' } } },
    '/properties/x/pattern. The pattern',
  ],
  ['an unknown type', { properties: { x: { type: 'any' } } }, '/properties/x/type. "type" must be one of'],
  [
    'a reference to another document',
    { $ref: 'https://e.example/x' },
    '/$ref. It refers to https://e.example/x',
  ],
  ['a name that is not there', { items: { $ref: '#none' } }, '/items/$ref. It refers to #none'],
])('a schema with %s is not used, and where and why is said', (_, schema, why) => {
  expect(validate(schema)).toEqual({
    state: 'unknown',
    reason: expect.stringContaining(`cannot be used because of ${why}`),
  });
});

describe('what JSON Schema ignores is ignored', () => {
  test.each([
    ['an id of draft-04', { id: 'own', type: 'object' }],
    [
      'nullable of OpenAPI without a type',
      { properties: { x: { nullable: true, anyOf: [{ type: 'string' }] } } },
    ],
    [
      'nullable that says what is so anyway',
      { properties: { x: { type: ['string', 'null'], nullable: false } } },
    ],
    ['what only drafts before it knew', { additionalItems: 5 }],
  ])('%s', (_, schema) => {
    expect(validate(schema)).toEqual({ state: 'valid' });
  });

  test('but not where it is the name of a property, or a value', () => {
    const schema = {
      properties: { id: { type: 'integer' }, nullable: { type: 'boolean' }, kind: { const: { id: 'a' } } },
    };
    expect(validate(schema, { id: 'x' })).toMatchObject({ state: 'invalid', errors: [{ pointer: '/id' }] });
    expect(validate(schema, { nullable: 1 })).toMatchObject({ state: 'invalid' });
    expect(validate(schema, { kind: { id: 'a' } })).toEqual({ state: 'valid' });
    expect(validate(schema, { kind: {} })).toMatchObject({ state: 'invalid' });
  });
});

test('a dynamic reference is followed to its anchor, though validation did not pass it', () => {
  const schema = {
    $dynamicAnchor: 'root',
    type: 'object',
    properties: { n: { $dynamicRef: '#n' }, child: { $dynamicRef: '#root' } },
    $defs: { n: { $dynamicAnchor: 'n', type: 'integer' } },
  };
  expect(validate(schema, { n: 1, child: { n: 2 } })).toEqual({ state: 'valid' });
  expect(validate(schema, { child: { n: 'x' } })).toMatchObject({ errors: [{ pointer: '/child/n' }] });
});

test('the anchor of the root is a name of it', () => {
  const schema = { $anchor: 'node', properties: { n: { type: 'integer' }, child: { $ref: '#node' } } };
  expect(validate(schema, { child: { child: { n: 1 } } })).toEqual({ state: 'valid' });
  expect(validate(schema, { child: { child: { n: 'x' } } })).toMatchObject({
    errors: [{ pointer: '/child/child/n' }],
  });
});

/** Schemas with keywords whose values may be of any kind, most of them right. */
const schemas = fc.letrec<{ schema: object }>((tie) => {
  const inner = tie('schema');
  const odd = fc.constantFrom<unknown>(5, -1, 'x', true, null, [], {}, ['a', 'a']);
  const mostly = (good: fc.Arbitrary<unknown>) => fc.oneof({ weight: 30, arbitrary: good }, odd);
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  const named = fc.dictionary(fc.constantFrom('a', 'type', 'id'), inner, { maxKeys: 2 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({}, { type: 'string' }, { $anchor: 'n' }, { $ref: '#n' }, { type: 'any' }),
      fc.record(
        {
          type: mostly(fc.constantFrom('string', 'object', ['integer', 'null'])),
          properties: mostly(named),
          patternProperties: mostly(fc.dictionary(fc.constantFrom('^a', '('), inner, { maxKeys: 1 })),
          $defs: mostly(named),
          items: mostly(inner),
          anyOf: mostly(list),
          allOf: mostly(list),
          not: mostly(inner),
          required: mostly(fc.constantFrom(['a'], ['a', 'b'])),
          enum: mostly(fc.constant(['a', 1])),
          pattern: mostly(fc.constantFrom('^a', '(?P<a>b)', '[')),
          minimum: mostly(fc.integer()),
          maxLength: mostly(fc.nat()),
          uniqueItems: mostly(fc.boolean()),
          title: mostly(fc.string()),
          default: odd,
          $ref: fc.constantFrom('#/$defs/a', '#/properties/a', '#n', 'https://e.example/x'),
          $anchor: fc.constantFrom('n', 'm'),
        },
        { requiredKeys: [] },
      ),
    ),
  };
}).schema;

test('what is found without compiling is what compiling finds', () => {
  fc.assert(
    fc.property(schemas, (schema) => {
      const validation = validate(schema, 'x');
      const isUnusable = validation.state === 'unknown' && !validation.reason.includes('call stack');
      expect({ schema, isUnusable }).toEqual({ schema, isUnusable: schemaFaults(schema).length > 0 });
    }),
    { numRuns: 500 },
  );
});
