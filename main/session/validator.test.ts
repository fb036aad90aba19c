import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test, afterEach, beforeEach, describe, vi } from 'vitest';
import type { Validation } from '#shared/contract/calls.ts';
import type { ToolEntry, ToolList } from '#shared/contract/catalog.ts';
import { aList } from '#fixtures/page/samples.ts';
import { ToolValidator, SchemaValidator } from './validator.ts';

const inputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

const usable = (tool: { name: string; inputSchema: Record<string, unknown>; outputSchema?: object }) =>
  ({ usable: true, tool, duplicate: false, raw: JSON.stringify(tool) }) as ToolEntry;

function validatorOf(...entries: ToolEntry[]): ToolValidator {
  const list: ToolList = { ...aList, entries };
  return new ToolValidator(() => list);
}
const tools = validatorOf(
  usable({ name: 'plain', inputSchema }),
  usable({ name: 'structured', inputSchema, outputSchema }),
  usable({ name: 'structured', inputSchema: { type: 'object', maxProperties: 0 } }),
  { usable: false, name: 'broken', error: 'no schema', raw: '{"name":"broken"}' },
  { usable: false, name: null, error: 'no object', raw: '"text"' },
);

test('arguments are validated by the input schema of the first tool of that name', () => {
  expect(tools.ofArguments('plain', '{"count": 1}')).toEqual({ state: 'valid' });
  expect(tools.ofArguments('structured', '{"count": "1"}')).toEqual({
    state: 'invalid',
    errors: [{ pointer: '/count', keyword: 'type', message: 'must be integer, not string' }],
  });
});

test('arguments of an unlisted tool are not validated', () => {
  expect(tools.ofArguments('none', '{}')).toBeNull();
  expect(tools.ofOutput('none', { structuredContent: {} })).toBeNull();
});

test('arguments of an invalid tool are not validated, and the reason is shown', () => {
  expect(tools.ofArguments('broken', '{}')).toEqual({
    state: 'unknown',
    reason: 'The tool has no inputSchema.',
  });
  expect(tools.ofOutput('broken', {})).toBeNull();
});

test('the schema is taken as it was written', () => {
  const raw = '{"name":"exact","inputSchema":{"type":"string","type":"object","required":["n"]}}';
  const exact = validatorOf({
    usable: true,
    duplicate: false,
    raw,
    tool: { name: 'exact', inputSchema: { type: 'object' } },
  });
  expect(exact.ofArguments('exact', '{}')?.state).toBe('invalid');
  expect(exact.ofArguments('exact', '{"n":1}')?.state).toBe('valid');
});

test('structured content is validated by the output schema', () => {
  expect(tools.ofOutput('structured', { content: [], structuredContent: { sum: 1 } })).toEqual({
    state: 'valid',
  });
  expect(tools.ofOutput('structured', { content: [], structuredContent: { sum: '1' } })).toEqual({
    state: 'invalid',
    errors: [{ pointer: '/sum', keyword: 'type', message: 'must be number, not string' }],
  });
  expect(tools.ofOutput('structured', { resultType: 'complete', structuredContent: null })?.state).toBe(
    'invalid',
  );
});

test('an output schema without structured content is wrong', () => {
  expect(tools.ofOutput('structured', { content: [] })).toEqual({
    state: 'invalid',
    errors: [
      {
        pointer: '',
        keyword: 'required',
        message: 'structuredContent is missing, although the tool has an outputSchema',
      },
    ],
  });
});

test.each([
  ['an error of the tool', { isError: true, content: [] }],
  ['a result that wants more input', { resultType: 'input_required', inputRequests: {} }],
  ['what is no result', 'text'],
])('%s needs no structured content', (_, result) => {
  expect(tools.ofOutput('structured', result)).toBeNull();
});

test('without an output schema nothing is said of structured content', () => {
  expect(tools.ofOutput('plain', { structuredContent: { any: 1 } })).toBeNull();
});

const schemas = new SchemaValidator();
const validate = (schema: unknown, value: unknown): Validation =>
  schemas.validate(JSON.stringify(schema), value);
const draft7 = 'http://json-schema.org/draft-07/schema#';

test('a value is valid, or its problems are reported with their paths', () => {
  const schema = {
    type: 'object',
    properties: { 'a/b': { type: 'array', items: { type: 'integer' } }, unit: { enum: ['C', 'F'] } },
    required: ['unit'],
    additionalProperties: false,
  };
  expect(validate(schema, { 'a/b': [1], unit: 'C' })).toEqual({ state: 'valid' });
  expect(validate(schema, { 'a/b': [1, 'x'], unit: 'K', more: 1 })).toEqual({
    state: 'invalid',
    errors: [
      { pointer: '/more', keyword: 'additionalProperties', message: 'is not allowed by the schema' },
      { pointer: '/a~1b/1', keyword: 'type', message: 'must be integer, not string' },
      { pointer: '/unit', keyword: 'enum', message: 'must be one of "C", "F"' },
    ],
  });
});

test('at most 20 problems are reported, each shortened', () => {
  const long = validate({ items: { const: 'x'.repeat(10_000) } }, Array.from({ length: 100 }).fill(1));
  if (long.state !== 'invalid') throw new Error(long.state);
  expect(long.errors).toHaveLength(20);
  expect(long.errors[0]?.message.length).toBeLessThan(400);
});

describe('the dialect', () => {
  const tuple = { prefixItems: [{ type: 'string' }], items: false };
  const oldTuple = { items: [{ type: 'string' }], additionalItems: false };

  test('is 2020-12 when the schema names none', () => {
    expect(validate(tuple, ['a', 1]).state).toBe('invalid');
    expect(validate({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...tuple }, ['a'])).toEqual({
      state: 'valid',
    });
    expect(validate(oldTuple, ['a'])).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('/items'),
    });
  });

  test('is draft-07 when the schema says so', () => {
    expect(validate({ $schema: draft7, ...oldTuple }, ['a', 1]).state).toBe('invalid');
    expect(validate({ $schema: draft7, ...oldTuple }, ['a']).state).toBe('valid');
  });

  test.each([['http://json-schema.org/draft-03/schema#'], ['https://e.example/own'], [7]])(
    'of %s is not known: it is told what 2020-12 says',
    ($schema) => {
      expect(validate({ $schema, type: 'string' }, 1)).toEqual({
        state: 'unknown',
        reason: `The schema names a dialect that is not known here: ${$schema}. By 2020-12 the value would be invalid: the whole must be string, not number.`,
      });
      expect(validate({ $schema, type: 'string' }, 'x')).toMatchObject({
        reason: expect.stringMatching(/valid\.$/),
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
    expect(validate({ $schema, ...schema }, value).state).toBe('invalid');
    expect(validate({ $schema, ...schema }, 'x').state).toBe('valid');
  });
});

describe('a schema that cannot be used', () => {
  test.each([
    ['no JSON', '{"type":', 'not JSON'],
    ['an array', '[]', 'neither an object nor a boolean'],
    ['an unknown type', '{"type":"objekt"}', '"type" must be one of string'],
    ['an invalid pattern', '{"pattern":"("}', 'Unterminated group'],
    ['a $ref to nowhere', '{"$ref":"#/$defs/none"}', '#/$defs/none, which is not in it'],
    ['a $ref to a file', '{"$ref":"file:///etc/passwd"}', 'file:///etc/passwd, which is not in it'],
    ['a $ref to itself', '{"$ref":"#"}', 'leads back to itself'],
    ['far too many levels', `${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`, 'call stack'],
    ['far too long a text', `{"title":"${'x'.repeat(1024 * 1024)}"}`, 'too long'],
  ])('for %s says why', (_, text, why) => {
    expect(schemas.validate(text, {})).toEqual({ state: 'unknown', reason: expect.stringContaining(why) });
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
    ['$dynamicRef', 'which is not in it; nothing is fetched.'],
    ['$schema', 'a dialect that is not known here'],
  ])('by %s is not fetched, and that is said', async (keyword, why) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
    const schema = { [keyword]: url, properties: { a: { type: 'string' } } };
    expect(validate(schema, { a: 1 })).toEqual({ state: 'unknown', reason: expect.stringContaining(why) });
    // Whatever was sent to it comes before this.
    await fetch(url);
    expect(asked).toBe(1);
  });
});

describe('a hostile schema or value', () => {
  test('with a pattern that takes forever is given up, and others are validated after it', () => {
    const endless = `${'a'.repeat(60)}!`;
    for (const schema of [{ pattern: '^(a+)+$' }, { patternProperties: { '^(a+)+$': true } }]) {
      const value = 'pattern' in schema ? endless : { [endless]: 1 };
      expect(validate(schema, value)).toEqual({
        state: 'unknown',
        reason: expect.stringContaining('250 ms'),
      });
      expect(validate(schema, 'pattern' in schema ? 'aaa' : { aaa: 1 })).toEqual({ state: 'valid' });
    }
  });

  test('with more problems than can be reported in time is given up', () => {
    const value = Array.from({ length: 200_000 }, (_, id) => ({ id }));
    expect(validate({ uniqueItems: true }, value)).toMatchObject({ state: 'unknown' });
  });

  test('that is nested too deep is not validated', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(validate({ items: { $ref: '#' } }, deep)).toMatchObject({ state: 'unknown' });
  });

  test('with code in its names runs none of it', () => {
    const code = '\u2028"\'`${globalThis.wasRun = 1});globalThis.wasRun = 1;//';
    validate(
      { properties: { [code]: { const: code, pattern: '[/"\'`]' } }, required: [code], $comment: code },
      {},
    );
    validate({ $defs: { [code]: { type: 'string' } }, $ref: `#/$defs/${encodeURIComponent(code)}` }, {});
    expect('wasRun' in globalThis).toBe(false);
  });

  test('with the library’s own keywords for promises and data gets nothing of them', () => {
    expect(validate({ $async: true, type: 'string' }, 1).state).toBe('invalid');
    expect(validate({ properties: { a: { const: { $data: '1/b' } } } }, { a: 1, b: 1 }).state).toBe(
      'invalid',
    );
  });

  test('with the same id as another is validated on its own', () => {
    const $id = 'https://e.example/same';
    expect(validate({ $id, type: 'string' }, 'x').state).toBe('valid');
    expect(validate({ $id, type: 'number' }, 'x').state).toBe('invalid');
  });
});

test('what real servers write is understood', () => {
  // No pattern with the Unicode flag, but one without it.
  expect(validate({ pattern: String.raw`^[\w-.]+$` }, 'a-b.c').state).toBe('valid');
  expect(validate({ format: 'no-such-format', vendor: { a: 1 } }, 'x').state).toBe('valid');
  expect(validate({ format: 'email' }, 'nobody').state).toBe('invalid');
  expect(validate({ multipleOf: 0.01 }, 19.99).state).toBe('valid');
  expect(validate({ required: ['toString'] }, {}).state).toBe('invalid');
});

test('a value is left as it was', () => {
  const value = { a: '1' };
  validate({ properties: { a: { type: 'integer' }, b: { default: 1 } }, additionalProperties: false }, value);
  expect(value).toEqual({ a: '1' });
});

test('the schemas of a tool are compiled once, however often it is called', () => {
  const compile = vi.spyOn(Ajv2020.prototype, 'compile');
  const listed = validatorOf(
    usable({ name: 'a', inputSchema, outputSchema }),
    usable({ name: 'b', inputSchema, outputSchema: { ...outputSchema, title: 'b' } }),
  );
  for (const sum of [1, 2, 'three']) {
    for (const tool of ['a', 'b']) {
      const { state } = listed.ofOutput(tool, { structuredContent: { sum } }) ?? {};
      expect(state).toBe(sum === 'three' ? 'invalid' : 'valid');
    }
  }
  expect(compile).toHaveBeenCalledTimes(2);
  compile.mockRestore();
});

test('many schemas are used one after the other, and the first again', () => {
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 100; number++) {
      expect(validate({ const: number }, number).state).toBe('valid');
    }
  }
});

test('a schema that is longer than 512 kB is not compiled, and one of 512 kB is', () => {
  const schemaOf = (length: number): string => {
    const short = JSON.stringify({ type: 'string', description: '' });
    return JSON.stringify({ type: 'string', description: 'x'.repeat(length - short.length) });
  };
  expect(schemas.validate(schemaOf(512 * 1024), 'a')).toEqual({ state: 'valid' });
  expect(schemas.validate(schemaOf(512 * 1024 + 1), 'a')).toEqual({
    state: 'unknown',
    reason: 'The schema is too long to validate against: 524289 characters.',
  });
});

test('references that fork at each of 60 levels are validated or given up', () => {
  const two = (level: number) => {
    const next = { $ref: `#/$defs/d${level}` };
    return { type: 'object', properties: { a: next, b: next } };
  };
  const defs = Array.from({ length: 60 }, (_, level) => [`d${level}`, two(level + 1)]);
  const schema = { ...two(0), $defs: Object.fromEntries([...defs, ['d60', { type: 'string' }]]) };
  expect(['valid', 'unknown']).toContain(validate(schema, { a: { b: {} } }).state);
});

test('a schema of 3,000 levels is validated or given up', () => {
  const text = `${'{"properties":{"a":'.repeat(3_000)}{}${'}}'.repeat(3_000)}`;
  expect(['valid', 'unknown']).toContain(schemas.validate(text, { a: {} }).state);
});

/** What is wrong, each problem with where it is. */
const errors = (schema: object, value: unknown) => {
  const validation = validate(schema, value);
  return validation.state === 'invalid'
    ? validation.errors.map(({ pointer, message }) => `${pointer} ${message}`)
    : validation.state;
};

describe('validate', () => {
  test('names the missing property and where it belongs', () => {
    const schema = { type: 'object', properties: { a: { type: 'object', required: ['x/y'] } } };
    expect(errors(schema, { a: {} })).toEqual(['/a/x~1y is required']);
  });

  test('says what a type should have been', () => {
    const schema = { type: 'object', properties: { n: { type: ['integer', 'null'] } } };
    expect(errors(schema, { n: 'five' })).toEqual(['/n must be integer or null, not string']);
    expect(errors(schema, { n: null })).toBe('valid');
  });

  test('says once that no alternative fits', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };
    expect(errors(schema, {})).toEqual([' fits none of the alternatives']);
    expect(errors({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 5)).toEqual([
      ' fits more than one of the alternatives, must fit exactly one',
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
    [{ enum: [1, 2] }, 3, 'must be one of 1, 2'],
    [{ uniqueItems: true }, [1, 1], 'duplicate items at indexes 0 and 1'],
  ])('%j for %j: %s', (schema, value, text) => {
    expect(errors(schema, value)).toEqual([` ${text}`]);
  });

  test('names a property that is not allowed', () => {
    expect(errors({ type: 'object', additionalProperties: false }, { 'ü %': 1 })).toEqual([
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
    expect(errors(schema, { pair: ['a', 1], ref: 'long' })).toBe('valid');
    expect(errors(schema, { pair: ['a', 'b', 3] })).toEqual([
      '/pair/2 is not allowed by the schema',
      '/pair/1 must be number, not string',
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
    expect(errors(schema, { pair: ['a', 1], ref: 'x' })).toBe('valid');
    expect(errors(schema, { pair: ['a', 'b'], ref: 'long', other: 1 })).toEqual([
      '/pair/1 must be number, not string',
      '/ref must have at most 1 character, has 4',
      '/other is not allowed by the schema',
    ]);
  });

  test('a schema that names no draft is 2020-12', () => {
    const tuple = { prefixItems: [{ type: 'string' }] };
    expect(errors(tuple, [1])).toEqual(['/0 must be string, not number']);
    expect(errors({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, [1])).toBe('valid');
    expect(validate({ $schema: 7, ...tuple }, [1])).toMatchObject({
      reason: expect.stringContaining('By 2020-12 the value would be invalid'),
    });
  });

  test.each([
    [{ $ref: 'https://example.com/remote.json' }, /refers to https:\/\/example.com\/remote.json/],
    [{ type: 'string', pattern: '(' }, /regular expression/i],
    [{ $ref: '#' }, /leads back to itself/],
  ])('a schema that cannot be used is said to be so: %j', (schema, why) => {
    const validation = validate(schema, 'x');
    expect(validation).toMatchObject({ state: 'unknown', reason: expect.stringMatching(why) });
  });

  test('the schema is not changed', () => {
    const schema = Object.freeze({ type: 'object', $defs: Object.freeze({ a: Object.freeze({}) }) });
    expect(errors(schema, {})).toBe('valid');
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', '$defs']);
  });
});
