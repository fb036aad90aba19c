import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noiseReasons } from '#shared/trace/row.ts';
import { duplicateKeys, checkNoise } from './unit-check.ts';

test.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
  ['{"a":"a","b":["a","a"],"c":"\\"a\\":1,\\"a\\":2"}', []],
  ['{"a":1,"a":2}', ['/a']],
  ['{ "a" : [ 1, { "x": [] , "y":{}, "x" : {} } ] , "a" : 2}', ['/a/1/x', '/a']],
  ['{"\\u0061":1,"a":2}', ['/a']],
  ['{"a\\\\":1,"a\\\\":2}', ['/a\\']],
  ['{"~/":1,"~/":2}', ['/~0~1']],
  ['{"a":1,"a":2,"a":3}', ['/a', '/a']],
  ['[[{"":1,"":2}]]', ['/0/0/']],
])('%s', (text, pointers) => {
  expect(duplicateKeys(text, 10)).toEqual(pointers);
});

test('stops at the most', () => {
  expect(duplicateKeys('{"a":1,"a":2,"a":3,"a":4}', 2)).toEqual(['/a', '/a']);
});

test('what was written from an object has none, however many keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(duplicateKeys(JSON.stringify(value), 1)).toEqual([]);
    }),
  );
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, key]));
  expect(duplicateKeys(JSON.stringify(many), 1)).toEqual([]);
  expect(duplicateKeys(JSON.stringify(many).replace('}', ',"k99":1,"k3":1}'), 5)).toEqual(['/k99', '/k3']);
});

test('a key that is put in once more is found where it is', () => {
  const nested = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(nested, (value) => {
      const [key = ''] = Object.keys(value);
      const text = `{"outer":${JSON.stringify(value).slice(0, -1)},${JSON.stringify(key)}:null}}`;
      const pointer = `/outer/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      expect(duplicateKeys(text, 5)).toEqual([pointer]);
    }),
  );
});

const lines = {
  'not-utf8': 'transport/invalid-utf8',
  'not-json': 'stdio/non-mcp-stdout',
  'half-json': 'stdio/embedded-newline',
  'several-values': 'stdio/several-on-a-line',
  blank: 'stdio/blank-line',
  'too-large': 'transport/message-too-large',
};
const onlyOn = (rule: string) => ({
  ...Object.fromEntries(noiseReasons.map((reason) => [reason, rule])),
  'not-utf8': 'transport/invalid-utf8',
  'too-large': 'transport/message-too-large',
});

test.each([
  ['stdout', lines],
  ['http', onlyOn('http/json-reply-not-object')],
  ['sse', onlyOn('sse/data-not-json')],
] as const)('each kind of noise on %s breaks a rule, in words of its own', (channel, expected) => {
  const found = noiseReasons.map((reason) =>
    checkNoise({ row: 0, direction: 'in', channel, reason, isCut: false }),
  );
  const rules = found.map(({ violation }, place) => [noiseReasons[place], violation.rule]);
  expect(Object.fromEntries(rules)).toEqual(expected);
  const texts = found.map(({ violation }) => violation.text);
  expect(new Set(texts).size).toBe(noiseReasons.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z].+ .+[^.]$/);
});

test.each(['not-utf8', 'too-large'] as const)('what breaks off is still told to be %s', (reason) => {
  const { violation } = checkNoise({ row: 0, direction: 'in', channel: 'stdout', reason, isCut: true });
  expect(violation.rule).toBe(lines[reason]);
});
