import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prettyJson } from './pretty-json.ts';

const layout = (raw: string, isCut = false) =>
  prettyJson(raw, isCut)
    ?.map(({ text }) => text)
    .join('') ?? null;
const ofKind = (raw: string, kind: string) =>
  prettyJson(raw)
    ?.filter((piece) => piece.kind === kind)
    .map(({ text }) => text);

describe('what was sent stays as it was sent', () => {
  test('numbers beyond 2^53, signs, exponents and trailing zeros', () => {
    expect(ofKind('[9007199254740993, 1e400, -0, 1.10, 1E+2]', 'number')).toEqual([
      '9007199254740993',
      '1e400',
      '-0',
      '1.10',
      '1E+2',
    ]);
  });

  test('duplicate keys and key order', () => {
    expect(ofKind('{"b":1,"a":2,"b":3,"1":4}', 'key')).toEqual(['"b"', '"a"', '"b"', '"1"']);
  });

  test('escapes are not resolved', () => {
    expect(ofKind('["\\u0041\\/\\ud800"]', 'string')).toEqual(['"\\u0041\\/\\ud800"']);
  });

  test('nothing but white space between tokens changes', () => {
    fc.assert(
      fc.property(fc.json(), (raw) => {
        const laidOut = layout(raw);
        expect(laidOut).not.toBeNull();
        expect(JSON.parse(laidOut ?? '')).toEqual(JSON.parse(raw));
        const strip = (text: string) =>
          text.replace(/"(?:[^"\\]|\\.)*"|\s/g, (part) => (part[0] === '"' ? part : ''));
        expect(strip(laidOut ?? '')).toBe(strip(raw));
      }),
    );
  });
});

test('lays out over lines', () => {
  expect(layout('{"a":[1,{}],"b":[],"c":null}')).toBe(
    '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": [],\n  "c": null\n}',
  );
});

test.each([
  ['empty', ''],
  ['half a message', '{"jsonrpc":"2.0","id":'],
  ['a trailing comma', '[1,]'],
  ['a missing comma', '[1 2]'],
  ['a missing colon', '{"a" 1}'],
  ['a key that is no string', '{a:1}'],
  ['a comment', '{"a":1 /* no */}'],
  ['a leading zero', '[01]'],
  ['a raw control character in a string', '["a\u0007"]'],
  ['two values', '1 2'],
  ['the wrong bracket', '[1}'],
  ['noise', 'DEBUG loading plugin cache'],
])('%s is no JSON', (_, raw) => {
  expect(layout(raw)).toBeNull();
});

test('what JSON.parse refuses is refused, what it takes is taken', () => {
  const almost = fc
    .array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', 'true', 'null', ' ', '-', '"', '0'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(almost, (raw) => {
      let isJson = true;
      try {
        JSON.parse(raw);
      } catch {
        isJson = false;
      }
      expect(layout(raw) !== null).toBe(isJson);
    }),
    { numRuns: 2000 },
  );
});

test('text cut anywhere is laid out up to the cut', () => {
  const raw = '{"jsonrpc":"2.0","id":18,"result":{"content":[{"text":"a\\u0041b","n":-1.5e3,"ok":true}]}}';
  for (let end = 1; end < raw.length; end++) {
    const laidOut = layout(raw.slice(0, end), true);
    expect(laidOut?.replace(/\s/g, '')).toBe(raw.slice(0, end));
  }
});

test('a hostile nesting does not fill the memory with spaces', () => {
  expect(layout('['.repeat(20_000), true)?.length).toBeLessThan(20_000 * 100);
});
