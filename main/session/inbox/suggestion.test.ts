import { describe, expect, test } from 'vitest';
import { suggestedResult } from './inbox.ts';

const noRoots = { roots: [] };
const form = (fields: string, required: readonly string[] = []) =>
  suggestedResult(
    'elicitation/create',
    `{"message":"m","requestedSchema":{"type":"object","properties":${fields},"required":${JSON.stringify(required)}}}`,
    noRoots,
  );
const accepted = (content: string) => `{"action":"accept","content":${content}}`;

describe('what follows from a form', () => {
  test.each<[what: string, fields: string, required: string[], content: string | null]>([
    [
      'booleans that start at their default',
      '{"a":{"default":true},"b":{"default":false}}',
      ['a'],
      '{"a":true,"b":false}',
    ],
    ['a number as it was written', '{"n":{"type":"number","default":1.50e3}}', [], '{"n":1.50e3}'],
    ['several choices', '{"s":{"type":"array","default":["a", "b"]}}', [], '{"s":["a", "b"]}'],
    ['null, where that is the default', '{"x":{"default":null}}', ['x'], '{"x":null}'],
    ['nothing of a field without a default', '{"a":{"type":"string"},"b":{"default":1}}', [], '{"b":1}'],
    ['nothing of what is no field', '{"a":7,"b":{"default":1}}', [], '{"b":1}'],
    ['nothing at all where a required field has no default', '{"a":{"default":1},"b":{}}', ['b'], null],
    ['of a field called like what every object has, nothing', '{"toString":{}}', ['toString'], null],
  ])('is %s', (_, fields, required, content) => {
    expect(form(fields, required)).toBe(content === null ? null : accepted(content));
  });

  test.each(['{}', '[]', '"text"', '{"requestedSchema":{}}', '{"requestedSchema":{"properties":[]}}'])(
    'is nothing when it is %s',
    (params) => {
      expect(suggestedResult('elicitation/create', params, noRoots)).toBeNull();
    },
  );
});

test('a page is consented to, roots are those that were set, a model says what nobody can know', () => {
  expect(suggestedResult('elicitation/create', '{"mode":"url","url":"x:y"}', noRoots)).toBe(
    '{"action":"accept"}',
  );
  const roots = [
    { uri: 'file:///a', name: 'A' },
    { uri: 'file:///b', name: null },
  ];
  expect(suggestedResult('roots/list', '{}', { roots })).toBe(
    '{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}',
  );
  expect(suggestedResult('sampling/createMessage', '{"messages":[]}', noRoots)).toBeNull();
});
