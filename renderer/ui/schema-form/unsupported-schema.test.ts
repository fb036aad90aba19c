import { expect, test } from 'vitest';
import { readJson } from './exact-json.ts';
import { initialValue } from './initial-value.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';
import { unsupportedReason } from './unsupported-schema.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    at: { type: 'object', properties: { x: { type: 'number' } } },
    tags: { type: 'array', items: { type: 'string' } },
    free: { type: 'object' },
    any: {},
    either: { type: ['string', 'object'] },
    node: { $ref: '#' },
  },
};
const unsupported = (text: string) => unsupportedReason(schema, readJson(text));

test.each([
  '{}',
  '{"name":5,"at":{"x":"a"},"tags":[1,null],"other":{"deep":[]}}',
  '{"free":[],"any":{"x":[]},"either":{"x":1},"name":null}',
  '{"node":{"node":{"name":"x"}}}',
])('%s can be shown', (text) => {
  expect(unsupported(text)).toBeNull();
});

test.each([
  ['{', /not valid JSON/],
  ['[]', /not an object/],
  ['{"a":1,"a":2}', /twice/],
  ['{"name":{}}', /at \/name there is an object where the schema has a single value/],
  ['{"at":{"x":[1]}}', /at \/at\/x there is a list/],
  ['{"tags":"a"}', /at \/tags there is a single value where the schema has a list/],
  ['{"tags":["a",{}]}', /at \/tags\/1/],
  ['{"node":{"node":{"name":[]}}}', /at \/node\/node\/name/],
])('%s cannot, and why is said', (text, why) => {
  expect(unsupported(text)).toMatch(why);
});

const withDefault = (key: string) =>
  readJson(`{"type":"object","properties":{"a":{"type":"object","properties":{"${key}":{"default":"x"}}}}}`);

test.each(['__proto__', 'constructor', 'prototype'])(
  'neither a schema nor a value with the key %s, which a form passes over',
  (key) => {
    const declared = withDefault(key);
    if (!declared.ok || !isSchema(declared.value)) throw new Error('no schema');
    expect(unsupportedReason(declared.value, readJson('{}'))).toContain(key);
    expect(unsupported(`{"free":{"deep":[{"${key}":"x"}]}}`)).toContain(key);
  },
);

test.each(['https://example.com/x.json', '#/$defs/none'])(
  'a schema that refers to %s makes no form',
  (ref) => {
    const referring = { type: 'object', properties: { a: { anyOf: [{ $ref: ref }] } } };
    expect(unsupportedReason(referring, readJson('{}'))).toContain(ref);
  },
);

/** Each level refers to the next one twice: what it unfolds into doubles with each of them. */
function forking(levels: number, last: object = { type: 'string' }): Schema {
  const two = (level: number) => {
    const next = { $ref: `#/$defs/d${level}` };
    return { type: 'object', properties: { a: next, b: next } };
  };
  const defs = Array.from({ length: levels }, (_, level) => [`d${level}`, two(level + 1)]);
  return { ...two(0), $defs: Object.fromEntries([...defs, [`d${levels}`, last]]) };
}

test('a schema whose references fork is known before it is unfolded, however often', () => {
  for (const levels of [17, 30, 60]) {
    expect(unsupportedReason(forking(levels), readJson('{}'))).toMatch(/unfolds into more than 2000 parts/);
    expect(initialValue(forking(levels, { type: 'string', default: 'x' }))).toBeUndefined();
  }
  expect(unsupportedReason(forking(5), readJson('{}'))).toBeNull();
});

test('a schema that leads back to itself is no larger for that', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' } } };
  expect(unsupportedReason(tree, readJson('{}'))).toBeNull();
});

test('levels of a schema, and alternatives on copies of it, are bounded too', () => {
  let nested: Schema = { type: 'string' };
  for (let level = 0; level < 400; level++) nested = { type: 'object', properties: { a: nested } };
  expect(unsupportedReason(nested, readJson('{}'))).toMatch(/nested more than 64 levels deep/);
  const many = Array.from({ length: 500 }, (_, n) => ({ type: 'object', title: `${n}`.repeat(200) }));
  const alternatives = { type: 'object', properties: { a: { anyOf: many } } };
  expect(unsupportedReason(alternatives, readJson('{}'))).toMatch(/its 500 alternatives/);
});

test('a reference that is no valid address refers to nothing', () => {
  const broken = { type: 'object', properties: { a: { $ref: '#/%' } } };
  expect(unsupportedReason(broken, readJson('{}'))).toMatch(/refers to #\/%, which is not in it/);
});

test('a schema that requires an argument without a field makes no form', () => {
  const reason = (rest: Schema) =>
    unsupportedReason({ type: 'object', required: ['name', 'id'], ...rest }, readJson('{}'));
  expect(reason({})).toBe('its schema requires name, but does not describe it.');
  expect(reason({ properties: { name: {} }, additionalProperties: false })).toContain('requires id');
  expect(reason({ properties: { name: {}, id: {} } })).toBeNull();
  // The user can enter the name, or another part of the schema may describe it.
  expect(reason({ additionalProperties: { type: 'string' } })).toBeNull();
  expect(reason({ allOf: [{ properties: { name: {}, id: {} } }] })).toBeNull();
});
