import { describe, expect, test } from 'vitest';
import { draftOf, validate } from './validate.ts';

const problems = (schema: object, value: unknown) => {
  const validation = validate(schema, value);
  return validation.state === 'invalid'
    ? validation.problems.map(({ at, text }) => `${at} ${text}`)
    : validation.state;
};

describe('validate', () => {
  test('names the missing property and where it belongs', () => {
    const schema = { type: 'object', properties: { a: { type: 'object', required: ['x/y'] } } };
    expect(problems(schema, { a: {} })).toEqual(['/a/x~1y is required']);
  });

  test('says what a type should have been', () => {
    const schema = { type: 'object', properties: { n: { type: ['integer', 'null'] } } };
    expect(problems(schema, { n: 'five' })).toEqual(['/n must be integer or null, not string']);
    expect(problems(schema, { n: null })).toBe('valid');
  });

  test('says once that no alternative fits', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
    expect(problems(schema, {})).toEqual([' fits none of the alternatives']);
    expect(problems({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 5)).toEqual([
      ' fits 2 of the alternatives, must fit exactly one',
    ]);
  });

  test.each<[object, unknown, string]>([
    [{ minimum: 1 }, 0, 'must be at least 1'],
    [{ maximum: 50 }, 51, 'must be at most 50'],
    [{ exclusiveMinimum: 0 }, 0, 'must be more than 0'],
    [{ exclusiveMaximum: 9 }, 9, 'must be less than 9'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 0, exclusiveMinimum: true },
      0,
      'must be more than 0',
    ],
    [{ multipleOf: 0.01 }, 0.005, 'must be a multiple of 0.01'],
    [{ minLength: 2 }, 'a', 'must have at least 2 characters, has 1'],
    [{ maxItems: 1 }, [1, 2], 'must have at most 1 entry, has 2'],
    [{ pattern: '^a' }, 'b', 'does not match the pattern'],
    [{ format: 'email' }, 'b', 'is not a valid email'],
    [{ const: 'x' }, 'y', 'must be "x"'],
    [{ enum: [1, 2] }, 3, 'is not one of the allowed values'],
    [{ uniqueItems: true }, [1, 1], 'duplicate items at indexes 0 and 1'],
  ])('%j for %j: %s', (schema, value, text) => {
    expect(problems(schema, value)).toEqual([` ${text}`]);
  });

  test('names a property that is not allowed', () => {
    expect(problems({ type: 'object', additionalProperties: false }, { 'ü %': 1 })).toEqual([
      '/ü % is not allowed by the schema',
    ]);
  });

  test('draft-07: a tuple in "items", "definitions", and keywords beside $ref are ignored', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { s: { type: 'string' } },
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
        ref: { $ref: '#/definitions/s', maxLength: 1 },
      },
    };
    expect(problems(schema, { pair: ['a', 1], ref: 'long' })).toBe('valid');
    expect(problems(schema, { pair: ['a', 'b', 3] })).toEqual([
      '/pair/1 must be number, not string',
      '/pair/2 is not allowed by the schema',
    ]);
  });

  test('2020-12: a tuple in "prefixItems", "$defs", and keywords beside $ref count', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { s: { type: 'string' } },
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        ref: { $ref: '#/$defs/s', maxLength: 1 },
      },
      unevaluatedProperties: false,
    };
    expect(problems(schema, { pair: ['a', 1], ref: 'x' })).toBe('valid');
    expect(problems(schema, { pair: ['a', 'b'], ref: 'long', other: 1 })).toEqual([
      '/pair/1 must be number, not string',
      '/ref must have at most 1 character, has 4',
      '/other is not allowed by the schema',
    ]);
  });

  test('a schema that names no draft is 2020-12', () => {
    expect(draftOf({})).toBe('2020-12');
    expect(draftOf({ $schema: 'http://json-schema.org/draft-07/schema#' })).toBe('7');
    expect(draftOf({ $schema: 7 })).toBe('2020-12');
  });

  test.each([
    [{ $ref: 'https://example.com/remote.json' }, /Unresolved \$ref/],
    [{ type: 'string', pattern: '(' }, /regular expression/i],
    [{ $ref: '#' }, /call stack/i],
  ])('a schema that cannot be used is said to be so: %j', (schema, why) => {
    const validation = validate(schema, 'x');
    expect(validation).toMatchObject({ state: 'unusable', why: expect.stringMatching(why) });
  });

  test('the schema is not changed', () => {
    const schema = Object.freeze({ type: 'object', $defs: Object.freeze({ a: Object.freeze({}) }) });
    expect(problems(schema, {})).toBe('valid');
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', '$defs']);
  });
});
