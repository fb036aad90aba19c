import { describe, expect, test } from 'vitest';
import { elicitationForm } from './elicitation-form.ts';

const formOf = (properties: object) => elicitationForm({ type: 'object', properties });
const fieldOf = (field: object) => {
  const form = formOf({ field });
  return form.ok ? Reflect.get(Object(form.schema.properties), 'field') : form.reason;
};

test.each([
  { type: 'string', minLength: 2, maxLength: 8, format: 'email' },
  { type: 'number', minimum: 0.5 },
  { type: 'integer', default: 3 },
  { type: 'boolean', default: true },
  { type: 'string', enum: ['a', 'b'] },
])('a simple field stays as it is: %j', (field) => {
  expect(fieldOf(field)).toEqual(field);
});

describe('a choice has the titles of its values', () => {
  const titled = [
    { const: 'r', title: 'Red' },
    { const: 'g', title: 'Green' },
  ];
  test('by enumNames of 2025-06-18', () => {
    expect(fieldOf({ type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' })).toEqual({
      type: 'string',
      oneOf: titled,
      default: 'g',
    });
  });
  test('by oneOf of 2025-11-25', () => {
    expect(fieldOf({ type: 'string', oneOf: titled })).toEqual({ type: 'string', oneOf: titled });
  });
  test('also where several may be chosen, each once', () => {
    expect(fieldOf({ type: 'array', items: { anyOf: titled }, maxItems: 2 })).toEqual({
      type: 'array',
      items: { type: 'string', oneOf: titled },
      maxItems: 2,
      uniqueItems: true,
    });
    expect(fieldOf({ type: 'array', items: { type: 'string', enum: ['r'] } })).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['r'] },
      uniqueItems: true,
    });
  });
  test('but not if there is another number of names', () => {
    const field = { type: 'string', enum: ['r', 'g'], enumNames: ['Red'] };
    expect(fieldOf(field)).toEqual({ type: 'string', enum: ['r', 'g'] });
  });
});

test.each<[string, object]>([
  ['an object', { type: 'object', properties: {} }],
  ['a list of anything', { type: 'array' }],
  ['a list of texts', { type: 'array', items: { type: 'string' } }],
  ['two types', { type: ['string', 'null'] }],
  ['a reference', { $ref: '#/$defs/a' }],
  ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  ['nothing known', { type: 'file' }],
])('%s is written as JSON', (_, field) => {
  expect(fieldOf(field)).toContain('the field “field” is not of a simple type');
});

test('a schema that describes no object is written as JSON', () => {
  expect(elicitationForm(null)).toMatchObject({ ok: false });
  expect(elicitationForm({ type: 'string' })).toMatchObject({ ok: false });
  expect(elicitationForm({ type: 'object' })).toMatchObject({ ok: false });
});
