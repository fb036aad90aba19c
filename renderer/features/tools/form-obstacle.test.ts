import { expect, test } from 'vitest';
import { readJson } from '#ui/schema-form/exact-json.ts';
import { formObstacle } from './form-obstacle.ts';

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
const obstacle = (text: string) => formObstacle(schema, readJson(text));

test.each([
  '{}',
  '{"name":5,"at":{"x":"a"},"tags":[1,null],"other":{"deep":[]}}',
  '{"free":[],"any":{"x":[]},"either":{"x":1},"name":null}',
  '{"node":{"node":{"name":"x"}}}',
])('%s can be shown', (text) => {
  expect(obstacle(text)).toBeNull();
});

test.each([
  ['{', /not JSON/],
  ['[]', /not an object/],
  ['{"a":1,"a":2}', /twice/],
  ['{"name":{}}', /at \/name there is an object where the schema has a single value/],
  ['{"at":{"x":[1]}}', /at \/at\/x there is a list/],
  ['{"tags":"a"}', /at \/tags there is a single value where the schema has a list/],
  ['{"tags":["a",{}]}', /at \/tags\/1/],
  ['{"node":{"node":{"name":[]}}}', /at \/node\/node\/name/],
])('%s cannot, and why is said', (text, why) => {
  expect(obstacle(text)).toMatch(why);
});

test.each(['https://example.com/x.json', '#/$defs/none'])(
  'a schema that refers to %s makes no form',
  (ref) => {
    const referring = { type: 'object', properties: { a: { anyOf: [{ $ref: ref }] } } };
    expect(formObstacle(referring, readJson('{}'))).toContain(ref);
  },
);
