import { expect, test } from 'vitest';
import { SchemaValidator } from '#session/validator.ts';
import { sampleValue } from './sample-value.ts';

const validator = new SchemaValidator();

test.each<[schema: object]>([
  [{ type: 'string', minLength: 10 }],
  [{ type: 'string', maxLength: 2 }],
  [{ type: 'string', format: 'date' }],
  [{ type: 'string', format: 'uri' }],
  [{ type: 'integer', minimum: 5, maximum: 9 }],
  [{ type: 'number', exclusiveMinimum: 5 }],
  [{ type: 'integer', multipleOf: 7 }],
  [{ type: 'number', maximum: -3 }],
  [{ type: 'boolean' }],
  [{ type: 'null' }],
  [{ type: ['null', 'string'] }],
  [{ enum: ['a', 'b'] }],
  [{ const: { a: 1 } }],
  [{ type: 'string', default: 'as given' }],
  [{ type: 'array', items: { type: 'integer' }, minItems: 2 }],
  [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }],
  [{ oneOf: [{ const: 1 }, { const: 2 }] }],
  [{ properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'], additionalProperties: false }],
  [
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      required: ['a'],
      $defs: { a: { type: 'integer' } },
    },
  ],
  [
    {
      type: 'object',
      anyOf: [{ properties: { a: { type: 'integer' } }, required: ['a'] }, { required: ['b'] }],
      allOf: [{ $ref: '#c' }],
      $defs: { c: { $anchor: 'c', properties: { c: { const: 5 } }, required: ['c'] } },
    },
  ],
  [{}],
])('a value for %j', (schema) => {
  const value = sampleValue(schema, { ...schema });
  expect(validator.validate(JSON.stringify(schema), value)).toEqual({ state: 'valid' });
});

test('a schema that refers to itself ends', () => {
  const schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
  expect(JSON.stringify(sampleValue(schema, schema)).length).toBeLessThan(200);
});
