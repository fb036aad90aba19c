import { expect, test } from 'vitest';
import { withoutReferences } from './resolve-references.ts';

const resolved = (schema: unknown): unknown => JSON.parse(withoutReferences(JSON.stringify(schema)));

test('a local reference is replaced by what it points to, also inside of that', () => {
  const $defs = {
    'a/b': { type: 'object', properties: { inner: { $ref: '#/$defs/id' } } },
    id: { type: 'string', minLength: 3 },
  };
  expect(
    resolved({
      type: 'object',
      properties: { one: { $ref: '#/$defs/a~1b' } },
      items: [{ $ref: '#/$defs/id' }],
      $defs,
    }),
  ).toEqual({
    type: 'object',
    properties: { one: { type: 'object', properties: { inner: { type: 'string', minLength: 3 } } } },
    items: [{ type: 'string', minLength: 3 }],
  });
});

test('what stands beside a reference counts too', () => {
  const $defs = { id: { type: 'string', description: 'An id' } };
  expect(
    resolved({
      properties: {
        a: { $ref: '#/$defs/id', description: 'The first' },
        b: { $ref: '#/$defs/id', maxLength: 5 },
      },
      $defs,
    }),
  ).toEqual({
    properties: { a: { type: 'string', description: 'The first' }, b: { allOf: [$defs.id], maxLength: 5 } },
  });
});

test('numbers keep their digits', () => {
  expect(withoutReferences('{"a":{"$ref":"#/$defs/n"},"$defs":{"n":{"maximum":9007199254740993}}}')).toBe(
    '{"a":{"maximum":9007199254740993}}',
  );
});

test('a recursive reference, a remote one, and one to nothing stay, with the definitions', () => {
  const recursive = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  };
  expect(resolved(recursive)).toMatchObject({
    properties: { next: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object' } },
  });
  for (const $ref of ['https://example.com/schema', '#/$defs/none', '#anchor', '#/%E0%A4%A'])
    expect(resolved({ properties: { a: { $ref } } })).toEqual({ properties: { a: { $ref } } });
});

test('data and names of properties are no references', () => {
  const schema = {
    properties: { $ref: { type: 'string' }, default: { $ref: '#/$defs/id' } },
    default: { $ref: '#/$defs/id' },
    $defs: { id: { type: 'integer' } },
  };
  expect(resolved(schema)).toEqual({
    properties: { $ref: { type: 'string' }, default: { type: 'integer' } },
    default: { $ref: '#/$defs/id' },
  });
});

test('a few references that stand for a billion copies are resolved up to a limit', () => {
  const $defs: Record<string, unknown> = { d0: { type: 'string', description: 'x'.repeat(100) } };
  for (let level = 1; level <= 30; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { properties: { left: { $ref }, right: { $ref } } };
  }
  const text = withoutReferences(JSON.stringify({ $ref: '#/$defs/d30', $defs }));
  expect(text.length).toBeLessThan(20_000_000);
  expect(JSON.parse(text)).toHaveProperty('$defs');
});
