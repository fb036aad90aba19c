import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nestedArrays } from '#fixtures/fuzz/heavy-inputs.ts';
import { isSameJson } from './same-json.ts';
import { compactJson, indentedJson } from './tokens.ts';

test('numbers, escapes, duplicate keys and their order stay as they were sent', () => {
  const raw = '{ "b" : 12345678901234567890 ,\n "a": 1.50e+3, "b": "\\u0041 b", "c": [ ] }';
  expect(compactJson(raw)).toBe('{"b":12345678901234567890,"a":1.50e+3,"b":"\\u0041 b","c":[]}');
});

test('keys are sorted by what they mean, at every depth, and twins keep their order', () => {
  const raw = '{"b":1,"\\u0061":{"z":1,"y":[{"d":1,"c":2}]},"b":2}';
  expect(compactJson(raw, { sortsKeys: true })).toBe('{"\\u0061":{"y":[{"c":2,"d":1}],"z":1},"b":1,"b":2}');
});

test('what is no JSON is not made to look like it', () => {
  for (const raw of ['', '{"a":}', '[1 2]', 'DEBUG loading', '{"a":1} {"b":2}'])
    expect(compactJson(raw)).toBeNull();
});

test('it is the same value, however it was laid out', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, sortsKeys) => {
      const compact = compactJson(JSON.stringify(value, null, 2), { sortsKeys });
      expect(JSON.parse(compact ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('deep nesting is no danger', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  expect(compactJson(deep, { sortsKeys: true })).toBe(deep);
});

test('100,000 nested arrays are compacted, compared and not indented', () => {
  const deep = nestedArrays(100_000);
  expect(compactJson(deep.replaceAll('[', '[ '))).toBe(deep);
  expect(() => isSameJson(deep, deep.replace('[]', '[ ]'))).not.toThrow();
  expect(isSameJson(deep, deep.replace('[]', '[ ]'))).toBe(true);
  expect(isSameJson(deep, deep.replace('[]', '[1]'))).toBe(false);
  expect(indentedJson(nestedArrays(3000))?.length ?? 0).toBe(0);
});
