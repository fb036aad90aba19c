import { describe, expect, test } from 'vitest';
import { kindsOf, kindsOfAll } from './kinds.ts';
import { membersOf } from './members.ts';
import type { Schema } from './schema.ts';

/** Members as a line: `count:integer!` is required. */
const shown = (schema: Schema): string[] => {
  const { named, patterns, others } = membersOf(schema, schema);
  return [
    ...[...named].map(
      ([key, { schemas, isRequired }]) =>
        `${key}:${kindsOfAll(schemas, schema).join('|')}${isRequired ? '!' : ''}`,
    ),
    ...patterns.map(({ pattern, schema: one }) => `/${pattern}/:${kindsOf(one, schema).join('|')}`),
    ...others.map((one) => `*:${kindsOf(one, schema).join('|')}`),
  ];
};

const count = { properties: { count: { type: 'integer' } } };
const required = { ...count, required: ['count'] };
const name = { properties: { name: { type: 'string' } }, required: ['name'] };

describe('members are found', () => {
  test.each<[string, Schema, string[]]>([
    ['in properties', required, ['count:integer!']],
    ['in anyOf', { anyOf: [count, name] }, ['count:integer', 'name:string']],
    ['in oneOf', { oneOf: [required, name] }, ['count:integer', 'name:string']],
    ['in allOf', { allOf: [required, name] }, ['count:integer!', 'name:string!']],
    ['in a reference', { $ref: '#/$defs/in', $defs: { in: required } }, ['count:integer!']],
    [
      'in references of references, nested in alternatives',
      {
        anyOf: [{ $ref: '#/$defs/a' }],
        $defs: { a: { allOf: [{ $ref: '#b' }, { oneOf: [name, name] }] }, b: { $anchor: 'b', ...required } },
      },
      ['count:integer!', 'name:string!'],
    ],
    ['in a condition', { if: count, then: name, else: count }, ['name:string', 'count:integer']],
    [
      'in a condition alone',
      { if: { properties: { mode: { const: 'a' } } }, then: count },
      ['count:integer', 'mode:string'],
    ],
    [
      'in dependentSchemas',
      { ...name, dependentSchemas: { name: required } },
      ['name:string!', 'count:integer'],
    ],
    [
      'in dependencies',
      { ...name, dependencies: { name: count, other: ['name'] } },
      ['name:string!', 'count:integer'],
    ],
    ['by a pattern', { patternProperties: { '^x-': { type: 'number' } } }, ['/^x-/:number']],
    ['by any name', { additionalProperties: { type: 'boolean' } }, ['*:boolean']],
    [
      'by any name that is left',
      { allOf: [count], unevaluatedProperties: { type: 'null' } },
      ['count:integer', '*:null'],
    ],
    [
      'in what every alternative needs',
      { anyOf: [required, { ...required, title: 'other' }] },
      ['count:integer!'],
    ],
    ['without a description', { required: ['id'] }, ['id:!']],
    ['that are booleans', { properties: { a: true, b: false } }, ['a:', 'b:']],
    [
      'where draft-07 says so',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#/definitions/in',
        anyOf: [name],
        definitions: { in: count },
      },
      ['count:integer'],
    ],
    ['not where a schema says what is not', { not: count }, []],
  ])('%s', (_, schema, expected) => {
    expect(shown({ type: 'object', ...schema })).toEqual(expected);
  });

  test('once in a schema that refers to itself', () => {
    expect(shown({ ...count, allOf: [{ $ref: '#' }], anyOf: [{ $ref: '#' }] })).toEqual(['count:integer']);
  });

  test('within a limit in a schema that forks at each level', () => {
    const two = (level: number) => ({
      anyOf: [{ $ref: `#/$defs/d${level}` }, { allOf: [{ $ref: `#/$defs/d${level}` }] }],
    });
    const defs = Array.from({ length: 60 }, (_, level) => [`d${level}`, two(level + 1)]);
    const schema = { ...two(0), $defs: Object.fromEntries([...defs, ['d60', required]]) };
    expect(shown(schema)).toEqual([expect.stringMatching(/^count:integer/)]);
  });
});

describe('the types of a value are', () => {
  test.each<[Schema, string]>([
    [{ type: ['integer', 'null'] }, 'integer null'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer null'],
    [{ allOf: [{ type: ['string', 'number'] }, { type: 'integer' }] }, 'integer'],
    [{ type: 'number', anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'integer'],
    [{ $ref: '#/$defs/x', minimum: 1, $defs: { x: { type: 'integer' } } }, 'integer'],
    [{ const: 5 }, 'number'],
    [{ enum: [1, 2] }, 'number'],
    [{ properties: {} }, 'object string'],
    [{ items: {} }, 'array string'],
    [{ minimum: 1 }, 'number string'],
    [{}, ''],
    [{ type: 'any' }, ''],
    [{ $ref: '#' }, ''],
  ])('%j: %s', (schema, expected) => {
    expect(kindsOf(schema, schema).join(' ')).toBe(expected);
  });
});
