import { expect, test } from 'vitest';
import { inPattern, variableNames, withVariables } from './variables.ts';

const variables = new Map([
  ['city', '"St. \\"P\\""'],
  ['n', '9007199254740993'],
  ['list', '[1,{"a":2}]'],
]);

test.each([
  ['{"a":"${city}"}', '{"a":"St. \\"P\\""}'],
  ['{"a":"in ${city}!"}', '{"a":"in St. \\"P\\"!"}'],
  ['{"a":"${n}","b":"n=${n}"}', '{"a":9007199254740993,"b":"n=9007199254740993"}'],
  ['["${list}"]', '[[1,{"a":2}]]'],
  ['{"${n}":1}', '{"${n}":1}'],
  ['{"a":"$${n}"}', '{"a":"${n}"}'],
  ['{"a":"${none}"}', '{"a":"${none}"}'],
  ['{"a":"$n {n}"}', '{"a":"$n {n}"}'],
  ['{"a":"\\u00e9 \\/","b":"${n}"}', '{"a":"\\u00e9 \\/","b":9007199254740993}'],
  ['{"a":"\\u00e9 ${none}","b":"\\u00e9 ${n}"}', '{"a":"\\u00e9 ${none}","b":"é 9007199254740993"}'],
])('%s', (json, expected) => {
  expect(withVariables(json, variables)).toBe(expected);
});

test('a string names the variables that it needs', () => {
  expect(variableNames('${a} $${b} ${c.d-e} ${}')).toEqual(['a', 'c.d-e']);
});

test('in a regular expression a variable matches itself', () => {
  expect(inPattern('^${city}$', variables)).toBe('^St\\. "P"$');
});
