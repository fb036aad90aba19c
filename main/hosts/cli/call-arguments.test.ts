import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schema } from '#shared/json-schema/schema.ts';
// oxlint-disable-next-line no-restricted-imports -- what the engine says of the arguments
import { SchemaValidator } from '#session/validator.ts';
import { argumentsText, readWords } from './call-arguments.ts';
import { UsageError } from './exit.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    number: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array' },
    map: { type: 'object' },
    either: { type: ['number', 'string'] },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    one: { enum: ['a', 1, null] },
    fixed: { const: true },
    shared: { $ref: '#/$defs/a~1b' },
    untyped: {},
  },
  $defs: { 'a/b': { type: 'boolean' } },
};

const validator = new SchemaValidator();
const validate = (schemaText: string, value: string) =>
  Promise.resolve(validator.validateText(schemaText, value));
const typed = (inputSchema: Schema, ...words: string[]) =>
  argumentsText(readWords(words), inputSchema, validate);
const text = (...words: string[]) => typed(schema, ...words);

describe('a value is written as its type wants it', () => {
  test.each([
    ['text=5', '{"text":"5"}'],
    ['text=', '{"text":""}'],
    ['text=a=b', '{"text":"a=b"}'],
    ['whole=12345678901234567890', '{"whole":12345678901234567890}'],
    ['number=-2.50e3', '{"number":-2.50e3}'],
    ['flag=true', '{"flag":true}'],
    ['list=[1, "a"]', '{"list":[1, "a"]}'],
    ['map={"a": {}}', '{"map":{"a": {}}}'],
    ['either=7', '{"either":7}'],
    ['either=seven', '{"either":"seven"}'],
    ['maybe=null', '{"maybe":null}'],
    ['one=a', '{"one":"a"}'],
    ['one=1', '{"one":1}'],
    ['one=b', '{"one":"b"}'],
    ['fixed=true', '{"fixed":true}'],
    ['shared=false', '{"shared":false}'],
    ['untyped=1', '{"untyped":"1"}'],
    ['unknown=1', '{"unknown":"1"}'],
    ['toString=1', '{"toString":"1"}'],
    ['whole:="as it is"', '{"whole":"as it is"}'],
    ['text:={"a": 1.0}', '{"text":{"a": 1.0}}'],
  ])('%s', async (word, expected) => {
    expect(await text(word)).toBe(expected);
  });

  test('in the order they are given', async () => {
    expect(await text('whole=1', 'text=b')).toBe('{"whole":1,"text":"b"}');
    expect(await text()).toBe('{}');
  });

  test('and what is not named may have a type too', async () => {
    expect(await typed({ additionalProperties: { type: 'number' } }, 'any=1')).toBe('{"any":1}');
  });
});

describe('a value is written as its type wants it, wherever the schema describes it', () => {
  const count = { properties: { count: { type: 'integer' } } };
  const named = { properties: { name: { type: 'string' } }, required: ['name'] };
  const kind = (value: string, type: string) => ({
    properties: { kind: { const: value }, v: { type } },
    required: ['kind', 'v'],
  });

  test.each<[string, Schema]>([
    ['anyOf', { anyOf: [count, named] }],
    ['oneOf', { oneOf: [named, { ...count, required: ['count'] }] }],
    ['allOf', { allOf: [{}, { allOf: [count] }] }],
    ['$ref', { $ref: '#/$defs/in', $defs: { in: count } }],
    ['a $ref to an anchor', { $ref: '#in', $defs: { in: { $anchor: 'in', ...count } } }],
    ['a $ref to an id', { $ref: 'in.json', $defs: { in: { $id: 'in.json', ...count } } }],
    [
      'an alternative of an alternative',
      { anyOf: [{ oneOf: [named, { $ref: '#/$defs/in' }] }], $defs: { in: count } },
    ],
    [
      'a schema that refers to itself',
      { anyOf: [count, { $ref: '#/$defs/node' }], $defs: { node: { properties: { child: { $ref: '#' } } } } },
    ],
    [
      'patternProperties',
      { patternProperties: { '^c.*t$': { type: 'integer' } }, additionalProperties: { type: 'string' } },
    ],
    [
      'additionalProperties',
      { additionalProperties: { $ref: '#/$defs/n' }, $defs: { n: { type: 'integer' } } },
    ],
    ['unevaluatedProperties', { ...named, required: [], unevaluatedProperties: { type: 'integer' } }],
    ['then', { if: { required: ['count'] }, then: count }],
    ['else', { if: { required: ['none'] }, else: count }],
    ['dependentSchemas', { dependentSchemas: { count } }],
    [
      'a property that refers to an anchor',
      { properties: { count: { $ref: '#n' } }, $defs: { n: { $anchor: 'n', type: 'integer' } } },
    ],
  ])('%s', async (_, inputSchema) => {
    expect(await typed({ type: 'object', ...inputSchema }, 'count=3')).toBe('{"count":3}');
  });

  test.each<[string, Schema, string[], string]>([
    [
      'the alternative that the other values choose',
      { oneOf: [kind('text', 'string'), kind('number', 'integer')] },
      ['kind=number', 'v=5'],
      '{"kind":"number","v":5}',
    ],
    [
      'the other alternative',
      { oneOf: [kind('text', 'string'), kind('number', 'integer')] },
      ['kind=text', 'v=5'],
      '{"kind":"text","v":"5"}',
    ],
    [
      'the branch of the condition',
      {
        properties: { kind: { type: 'string' } },
        if: { properties: { kind: { const: 'a' } } },
        then: { properties: { v: { type: 'string' } } },
        else: { properties: { v: { type: 'boolean' } } },
      },
      ['kind=b', 'v=true'],
      '{"kind":"b","v":true}',
    ],
    [
      'all parts',
      {
        allOf: [
          { properties: { v: { type: ['string', 'number'] } } },
          { properties: { v: { type: 'number' } } },
        ],
      },
      ['v=5'],
      '{"v":5}',
    ],
    [
      'no type that is written down',
      { properties: { v: { not: { type: 'string' } } } },
      ['v=[1]'],
      '{"v":[1]}',
    ],
    [
      'what its members say',
      { properties: { v: { properties: { a: {} } } } },
      ['v={"a":1}'],
      '{"v":{"a":1}}',
    ],
    [
      'any type, if its members are not there',
      { properties: { v: { properties: { a: {} } } } },
      ['v=x'],
      '{"v":"x"}',
    ],
    [
      'a pattern that takes forever',
      { patternProperties: { '^(a+)+$': { type: 'integer' } } },
      [`${'a'.repeat(40)}!=1`],
      `{"${'a'.repeat(40)}!":"1"}`,
    ],
    [
      'a reference that leads back to itself',
      { properties: { v: { $ref: '#/properties/v' } } },
      ['v=5'],
      '{"v":"5"}',
    ],
    [
      'a schema that cannot be used',
      { properties: { v: { type: 'integer' } }, allOf: [{ pattern: '(' }] },
      ['v=5'],
      '{"v":5}',
    ],
  ])('by %s', async (_, inputSchema, words, expected) => {
    expect(await typed({ type: 'object', ...inputSchema }, ...words)).toBe(expected);
  });
});

test.each([
  'whole=1.5',
  'whole=one',
  'number=0x10',
  'flag=yes',
  'list={}',
  'map=[]',
  'maybe=none',
  'shared=1',
])('%s fits no type of its property', async (word) => {
  await expect(text(word)).rejects.toThrow(UsageError);
});

test.each([
  ['word', 'neither'],
  ['=x', 'neither'],
  ['a:=x', 'must be JSON'],
])('%s is a mistake', (word, why) => {
  expect(() => readWords([word])).toThrow(why);
});

test('an argument given twice is a mistake', () => {
  expect(() => readWords(['a=1', 'a:=2'])).toThrow('"a" is given twice');
});

test('any key and text come out as JSON that means them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[^=:]+$/), fc.string(), async (key, value) => {
      const sent = JSON.parse(await typed({}, `${key}=${value}`)) as object;
      expect(Object.entries(sent)).toEqual([[key, value]]);
    }),
  );
});
