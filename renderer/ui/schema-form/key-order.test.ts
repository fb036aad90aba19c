import { expect, test } from 'vitest';
import { inSchemaOrder } from './key-order.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    article: text,
    amount: { type: 'integer', default: 1 },
    ship: { $ref: '#/$defs/place' },
    lines: { type: 'array', items: { $ref: '#/$defs/place' } },
  },
  required: ['article', 'unlisted'],
  $defs: { place: { type: 'object', properties: { street: text, city: text } } },
};

/** The JSON text of a change, which shows the order of keys. */
const changed = (value: unknown, before: unknown) => JSON.stringify(inSchemaOrder(value, before, schema));

test.each([
  [
    'before a default that follows it',
    { amount: 1, article: 'a' },
    { amount: 1 },
    '{"article":"a","amount":1}',
  ],
  [
    'after all before it',
    { amount: 1, ship: {}, article: 'a' },
    { article: 'a', ship: {} },
    '{"article":"a","amount":1,"ship":{}}',
  ],
  [
    'a required one without a property after the properties',
    { unlisted: 1, amount: 1 },
    {},
    '{"amount":1,"unlisted":1}',
  ],
  [
    'one that the schema does not name at the end',
    { other: 1, amount: 1 },
    { amount: 1 },
    '{"amount":1,"other":1}',
  ],
  [
    'within an object',
    { ship: { city: 'c', street: 's' } },
    { ship: { city: 'c' } },
    '{"ship":{"street":"s","city":"c"}}',
  ],
  [
    'within an entry of a list',
    { lines: [{ city: 'c', street: 's' }] },
    { lines: [{ city: 'c' }] },
    '{"lines":[{"street":"s","city":"c"}]}',
  ],
])('a key is added %s', (_, value, before, expected) => {
  expect(changed(value, before)).toBe(expected);
});

test('keys in the order of the user stay so', () => {
  const written = { lines: [{ city: 'c', street: 's' }], other: 1, amount: 2, article: 'a' };
  expect(changed({ article: 'b', amount: 2, lines: written.lines, other: 1 }, written)).toBe(
    '{"lines":[{"city":"c","street":"s"}],"other":1,"amount":2,"article":"b"}',
  );
  // The rest of a list keeps its order when an entry is removed.
  expect(changed(written, { ...written, lines: [{}, ...written.lines] })).toContain(
    '{"city":"c","street":"s"}',
  );
});

test('a schema that refers to itself ends', () => {
  const tree = { type: 'object', allOf: [{ $ref: '#' }], properties: { b: text, a: { $ref: '#' } } };
  const value = { a: { a: {}, b: 'x' }, b: 'y' };
  expect(JSON.stringify(inSchemaOrder(value, {}, tree))).toBe('{"b":"y","a":{"b":"x","a":{}}}');
});
