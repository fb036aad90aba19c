import { describe, expect, test } from 'vitest';
import { schemaFaults, schemaTextFaults } from './faults.ts';

const draft7 = 'http://json-schema.org/draft-07/schema#';

/** Faults as lines: kind, place and text. */
const faults = (schema: unknown) =>
  schemaFaults(schema).map(({ kind, pointer, text }) => `${kind} ${pointer}: ${text}`);

describe('a schema that cannot be used', () => {
  test.each<[unknown, string]>([
    [[], 'form : The schema is neither'],
    [
      { properties: { x: { type: 'any' } } },
      'keyword /properties/x/type: "type" must be one of string, number',
    ],
    [{ type: ['string', 'string'] }, 'keyword /type: '],
    [
      { properties: { x: { required: true } } },
      'keyword /properties/x/required: "required" must be a list of the names',
    ],
    [
      { properties: ['x'] },
      'keyword /properties: "properties" must be an object with a schema for each name, and is ["x"]',
    ],
    [{ properties: { x: 'string' } }, 'keyword /properties: '],
    [{ enum: 'a' }, 'keyword /enum: "enum" must be a list of values, and is "a"'],
    [{ minimum: '1' }, 'keyword /minimum: "minimum" must be a number, and is "1"'],
    [{ maxLength: -1 }, 'keyword /maxLength: '],
    [{ anyOf: [] }, 'keyword /anyOf: "anyOf" must be a list of schemas, at least one'],
    [{ items: [{}] }, 'keyword /items: "items" must be a schema; the list of a tuple is "prefixItems"'],
    [{ title: 5 }, 'keyword /title: '],
    [{ exclusiveMinimum: true }, 'keyword /exclusiveMinimum: '],
    [
      { properties: { pattern: { pattern: '(' } } },
      'pattern /properties/pattern/pattern: The pattern "(" is not a valid regular',
    ],
    [{ pattern: '(?P<id>[0-9]+)' }, '(this is the notation of Python)'],
    [{ pattern: '(?i)x' }, '(this is the notation of Python)'],
    [
      { patternProperties: { '[': {} } },
      'pattern /patternProperties/[: The pattern "[" is not a valid regular',
    ],
    [{ $ref: '#/$defs/none' }, 'reference /$ref: It refers to #/$defs/none, which is not in it'],
    [{ items: { $ref: '#none' } }, 'reference /items/$ref: It refers to #none'],
    [
      { $ref: 'https://e.example/x.json' },
      'remote /$ref: It refers to https://e.example/x.json, which is not in it; nothing is fetched',
    ],
    [{ $ref: 'other.json#/a' }, 'remote /$ref: '],
    [{ $ref: '#' }, 'reference /$ref: It refers to #, which leads back to itself'],
    [
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'leads back to itself',
    ],
    [
      { $ref: '#n', $defs: { a: { $anchor: 'n', type: 'string' }, b: { $anchor: 'n' } } },
      'reference : The name #n is that of two of its parts',
    ],
    [{ $ref: '#/components/x', components: { x: { type: 'any' } } }, 'keyword /components/x/type: '],
    [
      { $schema: 'https://e.example/own' },
      'dialect /$schema: The schema names a dialect that is not known here: https',
    ],
    [{ $schema: 7 }, 'dialect /$schema: '],
    [{ $schema: draft7, contains: 1 }, 'keyword /contains: '],
  ])('%j', (schema, expected) => {
    expect(faults(schema)).toEqual([expect.stringContaining(expected)]);
  });

  test('is said to be no JSON, or too long', () => {
    expect(schemaTextFaults('{')).toMatchObject([{ kind: 'form' }]);
    expect(schemaTextFaults(`{"title":"${'x'.repeat(600_000)}"}`)).toMatchObject([{ kind: 'size' }]);
  });

  test('has a limit of faults', () => {
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n, { type: 'any' }]));
    expect(faults({ properties })).toHaveLength(5);
  });
});

test.each<[unknown]>([
  [true],
  [{ type: ['string', 'null'], format: 'own', 'x-own': { type: 'any', pattern: '(' } }],
  [{ properties: { type: { type: 'string' }, $ref: { type: 'string' }, required: { type: 'boolean' } } }],
  [{ const: { $ref: '#none' }, default: { type: 'any' }, enum: [{ pattern: '(' }], examples: [{ type: 5 }] }],
  [{ pattern: String.raw`^[\w-.]+$` }],
  [{ properties: { child: { $ref: '#' } }, items: { anyOf: [{ $ref: '#' }] } }],
  [
    {
      $schema: draft7,
      items: [{}],
      dependencies: { a: ['b'], c: {} },
      $ref: '#/definitions/x',
      definitions: { x: {} },
    },
  ],
  [{ $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: true, minimum: 0 }],
  [{ $schema: 'http://json-schema.org/draft-06/schema', if: 5 }],
  [{ $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{}, { $recursiveRef: '#' }] }],
])('%j can be used', (schema) => {
  expect(faults(schema)).toEqual([]);
});

test('a hostile schema is looked at within limits', () => {
  let deep: unknown = {};
  for (let level = 0; level < 50_000; level++) deep = { not: deep };
  expect(faults(deep)).toEqual([]);
  const wide = { properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, {}])) };
  expect(faults(wide)).toEqual([]);
});
