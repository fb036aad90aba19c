import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementTexts, memberText, memberTexts, withValueAt } from './members.ts';

test('numbers, duplicate keys and key order stay as written', () => {
  const text = '{"id":1,"result":{"n": 12345678901234567890, "a":1,"a":2}}';
  expect(memberText(text, ['result'])).toBe('{"n": 12345678901234567890, "a":1,"a":2}');
  expect(memberText(text, ['result', 'n'])).toBe('12345678901234567890');
  expect(memberText(text, ['result', 'a'])).toBe('2');
  expect(memberText(text, ['result', 'missing'])).toBeNull();
  expect(memberText(text, ['id', 'deeper'])).toBeNull();
});

test('all members are had at once, as each is by itself', () => {
  const text = '{"a":1, "b\\u0063" : {"x":12345678901234567890},"a":2}';
  expect([...memberTexts(text)]).toEqual([
    ['a', '2'],
    ['bc', '{"x":12345678901234567890}'],
  ]);
  expect(memberTexts('[1]').size).toBe(0);
});

test('a value is replaced in its place, and nothing else', () => {
  const text = '{ "id" : 1, "params":{"a":1,"a":2.0, "b":[]}}';
  expect(withValueAt(text, ['id'], '"x"')).toBe('{ "id" : "x", "params":{"a":1,"a":2.0, "b":[]}}');
  expect(withValueAt(text, ['params', 'a'], '3')).toBe('{ "id" : 1, "params":{"a":1,"a":3, "b":[]}}');
  expect(withValueAt(text, ['params', 'c'], '3')).toBe(text);
});

test('an escaped key is found by its meaning', () => {
  expect(memberText('{"r\\u0065sult":true}', ['result'])).toBe('true');
});

test('a byte order mark before the text changes nothing', () => {
  expect(memberText('\ufeff{"result":{"a":1}}', ['result', 'a'])).toBe('1');
  expect(elementTexts('\ufeff [1,{}]')).toEqual(['1', '{}']);
});

test('of a text that is cut off, what is whole is found', () => {
  expect(elementTexts('[{"a":1}, [2], "thr')).toEqual(['{"a":1}', '[2]']);
  expect(memberText('{"a":"\\"","b', ['a'])).toBe('"\\""');
  expect(memberText('{"a', ['a'])).toBeNull();
});

test('a search in what is no JSON comes to an end', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...'{}[]":,\\ 1a')), (characters) => {
      const text = characters.join('');
      memberText(text.replaceAll('\\', ''), ['a', '1']);
      elementTexts(text);
    }),
  );
});

test('every member and element of any JSON is found as it was written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (Array.isArray(value)) {
        expect(elementTexts(text).map((element) => JSON.parse(element))).toEqual(JSON.parse(text));
      } else if (typeof value === 'object' && value !== null) {
        const parsed = JSON.parse(text) as Record<string, unknown>;
        for (const [key, member] of Object.entries(parsed)) {
          expect(JSON.parse(memberText(text, [key]) ?? 'undefined')).toEqual(member);
        }
      } else expect(elementTexts(text)).toEqual([]);
    }),
  );
});
