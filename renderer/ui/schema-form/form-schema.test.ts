import { describe, expect, test } from 'vitest';
import { toFormSchema, kindLabel } from './form-schema.ts';
import { initialValue } from './initial-value.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';

/** The label of one field of a form. */
const labelOf = (field: unknown) => {
  const { properties } = toFormSchema({ type: 'object', properties: { field } });
  const prepared = isSchema(properties) ? properties.field : undefined;
  return isSchema(prepared) ? kindLabel(prepared) : undefined;
};

describe('the label of a field', () => {
  test.each<[unknown, string]>([
    [{ type: 'number', minimum: 1, maximum: 50 }, 'number · 1 to 50'],
    [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, 'integer'],
    [{ type: 'integer', exclusiveMinimum: 0 }, 'integer · > 0'],
    [{ type: 'string', format: 'date-time' }, 'string · date-time'],
    [{ type: 'string', minLength: 2, maxLength: 2, pattern: '^a' }, 'string · 2 characters · /^a/'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 3 }, 'list of string · at most 3 entries'],
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ const: 1 }, 'constant'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null }, 'integer or null'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: ['string', 'number'] }, 'string or number'],
    [{ type: 'object' }, 'object'],
    [{ type: 'array' }, 'list'],
    [{ description: 'anything' }, 'any JSON'],
    [true, 'any JSON'],
  ])('%j is %s', (schema, label) => {
    expect(labelOf(schema)).toBe(label);
  });
});

describe('the form schema', () => {
  test('holds no regular expression of the server, however deep', () => {
    const schema: Schema = {
      type: 'object',
      $defs: { a: { type: 'string', pattern: 'x' } },
      properties: {
        b: { type: 'array', items: { type: 'object', properties: { c: { type: 'string', pattern: 'x' } } } },
        d: { oneOf: [{ type: 'string', pattern: 'x' }, { type: 'number' }] },
        e: { type: 'object', properties: { f: { type: 'string' } }, patternProperties: { '^x': {} } },
      },
      allOf: [{ properties: { g: { type: 'string', pattern: 'x' } } }],
      if: { properties: { b: { const: 1 } } },
      then: { properties: { h: { type: 'string', pattern: 'x' } } },
    };
    const text = JSON.stringify(toFormSchema(schema));
    expect(text).not.toMatch(/"pattern"|"patternProperties"/);
    expect(text.match(/"x-pattern":"x"/g)).toHaveLength(5);
  });

  test('has no id, which the form library would resolve references against, or take for one of its own names', () => {
    const schema = {
      type: 'object',
      $id: 'constructor',
      properties: { a: { $id: 'NullField', type: 'string' } },
    };
    expect(JSON.stringify(toFormSchema(schema))).not.toContain('$id');
    expect(toFormSchema({ $id: 'https://example.com/x' })).toEqual({ type: 'object' });
  });

  test('writes a 2020-12 tuple as the form library knows it', () => {
    const field = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    expect(toFormSchema({ type: 'object', properties: { field } })).toMatchObject({
      properties: { field: { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false } },
    });
  });
});

describe('the initial value', () => {
  test('has defaults and required constants, and nothing else', () => {
    const schema: Schema = {
      type: 'object',
      required: ['kind', 'name'],
      properties: {
        kind: { const: 'a' },
        optionalConstant: { const: 'b' },
        name: { type: 'string' },
        steps: { type: 'number', default: 10 },
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
        nested: { type: 'object', properties: { deep: { default: false }, other: { type: 'string' } } },
        empty: { type: 'object', properties: { x: { type: 'string' } } },
        via: { $ref: '#/$defs/via' },
      },
      $defs: { via: { type: 'string', default: 'ref' } },
    };
    expect(initialValue(schema)).toEqual({ kind: 'a', steps: 10, nested: { deep: false }, via: 'ref' });
  });

  test('ends for a schema that contains itself', () => {
    const schema: Schema = {
      type: 'object',
      properties: { size: { default: 1 }, child: { $ref: '#' } },
    };
    expect(initialValue(schema)).toEqual({ size: 1 });
  });
});
