import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointerPath } from '#shared/json/pointer.ts';
import { digitsOf, numberOf, readJson, withPlainNumbers, writeJson } from './exact-json.ts';

const roundTrip = (text: string): string => {
  const read = readJson(text);
  if (!read.ok) throw new Error(read.error);
  return writeJson(read.value);
};

describe('exact JSON', () => {
  test.each(['9007199254740993', '-9007199254740993', '1.0', '1e400', '0.1000000000000000055', '-0', '12'])(
    '%s comes back as it was written',
    (digits) => {
      expect(roundTrip(digits)).toBe(digits);
      expect(roundTrip(`{"id":${digits}}`)).toBe(`{\n  "id": ${digits}\n}`);
    },
  );

  test('every JSON value survives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(roundTrip(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('the order of keys and a key named __proto__ survive', () => {
    expect(roundTrip('{"b":1,"__proto__":{"x":2},"a":3}').replace(/\s/g, '')).toBe(
      '{"b":1,"__proto__":{"x":2},"a":3}',
    );
  });

  test('a string that looks like a number stays a string', () => {
    expect(roundTrip('"9007199254740993"')).toBe('"9007199254740993"');
  });

  test('a key that is there twice is refused with its place', () => {
    expect(readJson('{"a":{"x/y":1,"x/y":2}}')).toEqual({
      ok: false,
      error: 'The key /a/x~1y is there twice.',
      at: '/a/x~1y',
    });
  });

  test.each(['', '{', '{"a":1,}', '// no\n{}', '01', "{'a':1}"])('%j is no JSON', (text) => {
    expect(readJson(text)).toMatchObject({ ok: false, at: null });
  });

  test('validators see plain numbers', () => {
    const read = readJson('{"big":9007199254740993,"list":[1.0]}');
    expect(read.ok && withPlainNumbers(read.value)).toEqual({ big: 9007199254740992, list: [1] });
  });

  test('only numbers that JavaScript would change are marked', () => {
    expect(numberOf('5')).toBe(5);
    expect(digitsOf(numberOf('5.0'))).toBe('5.0');
    expect(digitsOf('5.0')).toBeNull();
  });

  test('a pointer is taken apart', () => {
    expect(pointerPath('/a~1b/0/c~0d')).toEqual(['a/b', '0', 'c~d']);
    expect(pointerPath('')).toEqual([]);
  });
});
