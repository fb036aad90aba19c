import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfRawText, rawTextOf } from './raw-text.ts';

test('any bytes can be typed, and are the same bytes again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(bytesOfRawText(rawTextOf(bytes))).toEqual(new Uint8Array(bytes));
    }),
  );
});

test('a text without escapes is its UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(!/\\x[\da-f]{2}/i.test(text));
      expect(bytesOfRawText(text)).toEqual(new Uint8Array(Buffer.from(text)));
    }),
  );
});

test.each([
  [String.raw`{"a":"\n\"\u0041"}`, '{"a":"\\n\\"\\u0041"}'],
  [String.raw`\x7b\x7D`, '{}'],
  [String.raw`\x5cx41`, String.raw`\x41`],
  [String.raw`\xg1 \x`, String.raw`\xg1 \x`],
])('%s stands for %s', (typed, bytes) => {
  expect(Buffer.from(bytesOfRawText(typed)).toString()).toBe(bytes);
});

test('what is not UTF-8 or cannot be seen is written as escapes', () => {
  expect(rawTextOf(Uint8Array.of(0x22, 0xff, 0xc3, 0xa9, 0x00, 0x0d, 0x0a))).toBe('"\\xffé\\x00\\x0d\n');
  expect(rawTextOf(Buffer.from(String.raw`\x41`))).toBe(String.raw`\x5cx41`);
});
