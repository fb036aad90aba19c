import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, isText, type TextEncoding } from './text-encoding.ts';

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const encoded = (text: string, encoding: TextEncoding): Uint8Array =>
  encoding === 'utf-8' ? Buffer.from(text) : utf16(text, encoding === 'utf-16be');

describe('the bytes of a text file', () => {
  test.each(['utf-8', 'utf-16le', 'utf-16be'] as const)(
    'in %s are read with a byte order mark and without',
    (encoding) => {
      const json = '{ "mcpServers": { "café ☕": { "command": "npx" } } }\r\n';
      for (const text of [json, `\ufeff${json}`])
        expect(decodeText(encoded(text, encoding))).toEqual({ text, encoding });
    },
  );

  test('with a byte order mark are read whatever they have', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, fc.constantFrom<TextEncoding>('utf-8', 'utf-16le', 'utf-16be'), (one, encoding) => {
        const marked = `\ufeff${one}`;
        expect(decodeText(encoded(marked, encoding))).toEqual({ text: marked, encoding });
      }),
    );
  });

  test.each([
    ['a bundle', [0x50, 0x4b, 3, 4, 20, 0], /ZIP archive, as bundles of MCP servers/],
    ['gzip', [0x1f, 0x8b, 8, 0], /compressed with gzip/],
    ['an image', [0x89, 0x50, 0x4e, 0x47, 13, 10], /PNG image/],
    ['a property list', [...Buffer.from('bplist00'), 0xd1], /binary property list/],
    ['UTF-32', [0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0], /UTF-32/],
    ['Windows-1252', [...Buffer.from('{"a": "caf'), 0xe9, ...Buffer.from('"}')], /not UTF-8/],
    ['half a character of UTF-16', [0xff, 0xfe, 0x7b, 0, 0x00, 0xd8], /no text/],
    ['other bytes', [1, 2, 0, 3, 4, 255], /no text/],
  ])('of %s are refused by name', (_, bytes, what) => {
    const decoded = decodeText(Uint8Array.from(bytes));
    expect(isText(decoded)).toBe(false);
    expect(decoded).toEqual({ what: expect.stringMatching(what), next: expect.stringMatching(/\w.*\.$/) });
  });

  test('that are none are an empty text', () => {
    expect(decodeText(new Uint8Array())).toEqual({ text: '', encoding: 'utf-8' });
  });
});
