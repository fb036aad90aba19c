import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBase64 } from './base64.ts';

test('any bytes as base64 have their size', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(readBase64(Buffer.from(bytes).toString('base64'))).toEqual({ size: bytes.length, fault: null });
    }),
  );
});

test.each([
  ['data:image/png;base64,iVBORw0KGgo=', 'a data URI'],
  [' DATA:,x', 'a data URI'],
  ['https://example.com/a.png', 'a URL'],
  ['file:///tmp/a.png', 'a URL'],
  ['_-8_', 'URL-safe base64'],
  ['abcd-w==', 'URL-safe base64'],
  ['iVBORw0KGgo', 'the "=" at its end are missing'],
  ['iVBORw0K\r\nGgo=\n', 'line breaks or spaces'],
  ['_-8_\n', 'URL-safe base64'],
  ['abcde', '5 characters are no whole number of bytes'],
  ['abc==', '5 characters are no whole number of bytes'],
  ['====', 'no whole number of bytes'],
  ['not base64!', 'the character "!"'],
  ['ab=cdef=', 'goes on after "="'],
  ['YQ==YQ==', 'goes on after "="'],
  ['YQ=!', 'the character "!"'],
  ['<svg>…</svg>', 'the character "<"'],
  ['QUJ\u0000', String.raw`the character "\u0000"`],
])('%j is not base64, and why is said', (text, why) => {
  expect(readBase64(text)).toEqual({ size: null, fault: expect.stringContaining(why) });
});

test('no text is given a size that its bytes do not have', () => {
  const odd = fc.stringMatching(/^[A-Za-z0-9+/=_\- \n:,;]{0,40}$/);
  fc.assert(
    fc.property(odd, (text) => {
      const { size, fault } = readBase64(text);
      expect((size === null) !== (fault === null)).toBe(true);
      if (size !== null) expect(Buffer.from(text, 'base64').length).toBe(size);
    }),
  );
});
