import { describe, expect, test } from 'vitest';
import { namesUsedTwice, pointerIn, targetOf } from './references.ts';
import type { Schema } from './schema.ts';

const integer = { type: 'integer' };

/** What the reference of the property `a` leads to. */
function target(root: Schema): Schema | undefined {
  const { a } = root.properties as { a: Schema };
  return targetOf(a, root);
}

describe('a reference leads to', () => {
  test.each<[string, Schema]>([
    ['a pointer', { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: integer } }],
    [
      'an escaped pointer',
      { properties: { a: { $ref: '#/$defs/a~1b%20%7Bc%7D' } }, $defs: { 'a/b {c}': integer } },
    ],
    ['an entry of a list', { properties: { a: { $ref: '#/allOf/1' } }, allOf: [{}, integer] }],
    [
      'a place that no keyword leads to',
      { properties: { a: { $ref: '#/components/x' } }, components: { x: integer } },
    ],
    ['an anchor', { properties: { a: { $ref: '#n' } }, $defs: { x: { $anchor: 'n', ...integer } } }],
    [
      'a dynamic anchor',
      { properties: { a: { $dynamicRef: '#n' } }, $defs: { x: { $dynamicAnchor: 'n', ...integer } } },
    ],
    ['an id', { properties: { a: { $ref: 'item' } }, $defs: { x: { $id: 'item', ...integer } } }],
    [
      'an id beside that of the root',
      {
        $id: 'https://e.example/schemas/root.json',
        properties: { a: { $ref: 'item.json' } },
        $defs: { x: { $id: 'https://e.example/schemas/item.json', ...integer } },
      },
    ],
    [
      'an absolute path',
      {
        $id: 'https://e.example/schemas/root.json',
        properties: { a: { $ref: '/item' } },
        $defs: { x: { $id: '../item', ...integer } },
      },
    ],
    [
      'an anchor of another id',
      {
        properties: { a: { $ref: 'lib#n' } },
        $defs: { lib: { $id: 'lib', $defs: { x: { $anchor: 'n', ...integer } } } },
      },
    ],
    [
      'a pointer within another id',
      {
        properties: { a: { $ref: 'lib#/$defs/x' } },
        $defs: { lib: { $id: 'lib', $defs: { x: integer } } },
      },
    ],
    ['a URN', { $id: 'urn:example:root', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: integer } }],
    [
      'an anchor of draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { $ref: '#n' } },
        definitions: { x: { $id: '#n', ...integer } },
      },
    ],
    [
      'an id of draft-04',
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        properties: { a: { $ref: 'item' } },
        definitions: { x: { id: 'item', ...integer } },
      },
    ],
  ])('%s', (_, root) => {
    expect(target(root)).toMatchObject(integer);
  });

  test('the root', () => {
    const root = { properties: { a: { $ref: '#' } } };
    expect(target(root)).toBe(root);
  });

  test('a pointer from the id around it', () => {
    const inner = { $ref: '#/$defs/x' };
    const root = {
      $defs: { x: { type: 'string' }, lib: { $id: 'lib', properties: { a: inner }, $defs: { x: integer } } },
    };
    expect(targetOf(inner, root)).toEqual(integer);
  });

  test('a schema that is a boolean', () => {
    expect(target({ properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: true } })).toEqual({});
    expect(target({ properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: false } })).toEqual({ not: {} });
  });
});

describe('a reference leads nowhere', () => {
  test.each([
    '#/$defs/none',
    '#none',
    'none',
    'https://e.example/x.json',
    'file:///etc/passwd',
    'http://[',
    '#/%',
    '#/__proto__',
  ])('%s', (ref) => {
    expect(target({ properties: { a: { $ref: ref } }, $defs: { x: integer } })).toBeUndefined();
  });

  test('to a value that only looks like a schema', () => {
    const root = { properties: { a: { $ref: '#n' } }, default: { x: { $anchor: 'n' } } };
    expect(target(root)).toBeUndefined();
  });

  test('by a name that two different schemas have', () => {
    const root = {
      properties: { a: { $ref: '#n' } },
      $defs: { x: { $anchor: 'n', type: 'string' }, y: { $anchor: 'n', ...integer } },
    };
    expect(target(root)).toBeUndefined();
    expect([...namesUsedTwice(root)].map((name) => name.slice(-2))).toEqual(['#n']);
    const same = { properties: { a: { $ref: '#n' } }, $defs: { x: { $anchor: 'n' }, y: { $anchor: 'n' } } };
    expect(target(same)).toEqual({ $anchor: 'n' });
  });
});

test('a property may have the name of a keyword', () => {
  const root = {
    properties: {
      a: { $ref: '#n' },
      default: { $anchor: 'n', ...integer },
      $id: { type: 'string' },
      $ref: { type: 'string' },
    },
  };
  expect(target(root)).toMatchObject(integer);
});

test('the pointer of a part leads to it', () => {
  const x = { type: 'string' };
  const root = { $defs: { 'a/b': { anyOf: [{}, x] } } };
  expect(pointerIn(x, root)).toBe('/$defs/a~1b/anyOf/1');
  expect(pointerIn({}, root)).toBeUndefined();
});
