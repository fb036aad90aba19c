import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duplicateKeys } from './duplicate-keys.ts';

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
