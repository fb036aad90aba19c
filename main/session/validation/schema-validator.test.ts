import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Validity } from '#shared/contract/calls.ts';
import { SchemaValidator } from './schema-validator.ts';

const schemas = new SchemaValidator();
const judge = (schema: unknown, value: unknown): Validity => schemas.validate(JSON.stringify(schema), value);
const draft7 = 'http://json-schema.org/draft-07/schema#';

test('a value is valid, or what is wrong with it is told with where it is', () => {
  const schema = {
    type: 'object',
    properties: { 'a/b': { type: 'array', items: { type: 'integer' } }, unit: { enum: ['C', 'F'] } },
    required: ['unit'],
    additionalProperties: false,
  };
  expect(judge(schema, { 'a/b': [1], unit: 'C' })).toEqual({ verdict: 'valid' });
  expect(judge(schema, { 'a/b': [1, 'x'], unit: 'K', more: 1 })).toEqual({
    verdict: 'invalid',
    problems: [
      { pointer: '/more', keyword: 'additionalProperties', message: 'is not allowed by the schema' },
      { pointer: '/a~1b/1', keyword: 'type', message: 'must be integer, not string' },
      { pointer: '/unit', keyword: 'enum', message: 'must be one of "C", "F"' },
    ],
  });
});

test('no more than 20 problems are told, and none at length', () => {
  const long = judge({ items: { const: 'x'.repeat(10_000) } }, Array.from({ length: 100 }).fill(1));
  if (long.verdict !== 'invalid') throw new Error(long.verdict);
  expect(long.problems).toHaveLength(20);
  expect(long.problems[0]?.message.length).toBeLessThan(400);
});

describe('the dialect', () => {
  const tuple = { prefixItems: [{ type: 'string' }], items: false };
  const oldTuple = { items: [{ type: 'string' }], additionalItems: false };

  test('is 2020-12 when the schema names none', () => {
    expect(judge(tuple, ['a', 1]).verdict).toBe('invalid');
    expect(judge({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...tuple }, ['a'])).toEqual({
      verdict: 'valid',
    });
    expect(judge(oldTuple, ['a'])).toMatchObject({
      verdict: 'unknown',
      why: expect.stringContaining('/items'),
    });
  });

  test('is draft-07 when the schema says so', () => {
    expect(judge({ $schema: draft7, ...oldTuple }, ['a', 1]).verdict).toBe('invalid');
    expect(judge({ $schema: draft7, ...oldTuple }, ['a']).verdict).toBe('valid');
  });

  test.each([['http://json-schema.org/draft-03/schema#'], ['https://e.example/own'], [7]])(
    'of %s is not known: it is told what 2020-12 says',
    ($schema) => {
      expect(judge({ $schema, type: 'string' }, 1)).toEqual({
        verdict: 'unknown',
        why: `The schema names a dialect that is not known here: ${$schema}. By 2020-12 the value would be invalid: the whole must be string, not number.`,
      });
      expect(judge({ $schema, type: 'string' }, 'x')).toMatchObject({
        why: expect.stringMatching(/valid\.$/),
      });
    },
  );

  test.each([
    ['draft-04', { minimum: 0, exclusiveMinimum: true }, 0],
    ['draft-06', { exclusiveMinimum: 0 }, 0],
    ['draft-07', { if: { type: 'number' }, then: { minimum: 1 } }, 0],
    ['draft/2019-09', { dependentRequired: { a: ['b'] } }, { a: 1 }],
    ['draft/2020-12', { prefixItems: [{ type: 'string' }] }, [1]],
  ])('%s is known', (name, schema, value) => {
    const $schema = `http${name.startsWith('draft/') ? 's' : ''}://json-schema.org/${name}/schema`;
    expect(judge({ $schema, ...schema }, value).verdict).toBe('invalid');
    expect(judge({ $schema, ...schema }, 'x').verdict).toBe('valid');
  });
});

describe('a schema that cannot be used', () => {
  test.each([
    ['no JSON', '{"type":', 'not JSON'],
    ['an array', '[]', 'neither an object nor a boolean'],
    ['an unknown type', '{"type":"objekt"}', 'not a JSON Schema: /type'],
    ['a pattern that is none', '{"pattern":"("}', 'Unterminated group'],
    ['a $ref to nowhere', '{"$ref":"#/$defs/none"}', '#/$defs/none, which is not in it'],
    ['a $ref to a file', '{"$ref":"file:///etc/passwd"}', 'file:///etc/passwd, which is not in it'],
    ['a $ref to itself', '{"$ref":"#"}', 'call stack'],
    ['far too many levels', `${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`, 'call stack'],
    ['far too long a text', `{"title":"${'x'.repeat(1024 * 1024)}"}`, 'too long'],
  ])('for %s says why', (_, text, why) => {
    expect(schemas.validate(text, {})).toEqual({ verdict: 'unknown', why: expect.stringContaining(why) });
  });
});

describe('a $ref to the network', () => {
  let server: Server;
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    server = createServer((_, response) => {
      asked++;
      response.end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test.each([
    ['$ref', 'which is not in it; nothing is fetched.'],
    ['$dynamicRef', 'only supports hash fragment reference'],
    ['$schema', 'a dialect that is not known here'],
  ])('by %s is not fetched, and that is said', async (keyword, why) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
    const schema = { [keyword]: url, properties: { a: { type: 'string' } } };
    expect(judge(schema, { a: 1 })).toEqual({ verdict: 'unknown', why: expect.stringContaining(why) });
    // Whatever was sent to it comes before this.
    await fetch(url);
    expect(asked).toBe(1);
  });
});

describe('a hostile schema or value', () => {
  test('with a pattern that takes for ever is given up, and others are judged after it', () => {
    const endless = `${'a'.repeat(60)}!`;
    for (const schema of [{ pattern: '^(a+)+$' }, { patternProperties: { '^(a+)+$': true } }]) {
      const value = 'pattern' in schema ? endless : { [endless]: 1 };
      expect(judge(schema, value)).toEqual({ verdict: 'unknown', why: expect.stringContaining('250 ms') });
      expect(judge(schema, 'pattern' in schema ? 'aaa' : { aaa: 1 })).toEqual({ verdict: 'valid' });
    }
  });

  test('with more wrong than can be told in time is given up', () => {
    const value = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    expect(judge({ uniqueItems: true }, value)).toMatchObject({ verdict: 'unknown' });
  });

  test('that goes too deep is not judged', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(judge({ items: { $ref: '#' } }, deep)).toMatchObject({ verdict: 'unknown' });
  });

  test('with code in its names runs none of it', () => {
    const code = '\u2028"\'`${globalThis.wasRun = 1});globalThis.wasRun = 1;//';
    judge(
      { properties: { [code]: { const: code, pattern: '[/"\'`]' } }, required: [code], $comment: code },
      {},
    );
    judge({ $defs: { [code]: { type: 'string' } }, $ref: `#/$defs/${encodeURIComponent(code)}` }, {});
    expect('wasRun' in globalThis).toBe(false);
  });

  test('with the library’s own keywords for promises and data gets nothing of them', () => {
    expect(judge({ $async: true, type: 'string' }, 1).verdict).toBe('invalid');
    expect(judge({ properties: { a: { const: { $data: '1/b' } } } }, { a: 1, b: 1 }).verdict).toBe('invalid');
  });

  test('of the same id as another’s is judged by itself', () => {
    const $id = 'https://e.example/same';
    expect(judge({ $id, type: 'string' }, 'x').verdict).toBe('valid');
    expect(judge({ $id, type: 'number' }, 'x').verdict).toBe('invalid');
  });
});

test('what real servers write is understood', () => {
  // No pattern with the Unicode flag, but one without it.
  expect(judge({ pattern: String.raw`^[\w-.]+$` }, 'a-b.c').verdict).toBe('valid');
  expect(judge({ format: 'no-such-format', vendor: { a: 1 } }, 'x').verdict).toBe('valid');
  expect(judge({ format: 'email' }, 'nobody').verdict).toBe('invalid');
  expect(judge({ multipleOf: 0.01 }, 19.99).verdict).toBe('valid');
  expect(judge({ required: ['toString'] }, {}).verdict).toBe('invalid');
});

test('a value is left as it was', () => {
  const value = { a: '1' };
  judge({ properties: { a: { type: 'integer' }, b: { default: 1 } }, additionalProperties: false }, value);
  expect(value).toEqual({ a: '1' });
});

test('many schemas are judged by one after the other, and the first again', () => {
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 100; number++) {
      expect(judge({ const: number }, number).verdict).toBe('valid');
    }
  }
});

test('references that fork at each of 60 levels are judged by, or given up', () => {
  const two = (level: number) => {
    const next = { $ref: `#/$defs/d${level}` };
    return { type: 'object', properties: { a: next, b: next } };
  };
  const defs = Array.from({ length: 60 }, (_, level) => [`d${level}`, two(level + 1)]);
  const schema = { ...two(0), $defs: Object.fromEntries([...defs, ['d60', { type: 'string' }]]) };
  expect(['valid', 'unknown']).toContain(judge(schema, { a: { b: {} } }).verdict);
});

test('a schema of 3,000 levels is judged by, or given up', () => {
  const text = `${'{"properties":{"a":'.repeat(3_000)}{}${'}}'.repeat(3_000)}`;
  expect(['valid', 'unknown']).toContain(schemas.validate(text, { a: {} }).verdict);
});
