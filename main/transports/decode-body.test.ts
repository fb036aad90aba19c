import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from './decode-body.ts';

const text = '{"access_token":"abc","name":"Zoë"}';
const utf8 = Buffer.from(text);
const utf16le = Buffer.from(text, 'utf16le');
const utf16be = Buffer.from(utf16le).swap16();
const utf32 = (isLittle: boolean) => {
  const bytes = Buffer.alloc([...text].length * 4);
  for (const [place, character] of [...text].entries()) {
    const code = character.codePointAt(0) ?? 0;
    if (isLittle) bytes.writeUInt32LE(code, place * 4);
    else bytes.writeUInt32BE(code, place * 4);
  }
  return bytes;
};
const coded = (value: string): [string, string][] => [['Content-Encoding', value]];
const typed = (charset: string): [string, string][] => [
  ['Content-Type', `application/json; charset=${charset}`],
];

test.each([
  ['UTF-8', utf8, []],
  ['UTF-8 that is called UTF-16', utf8, typed('utf-16')],
  ['gzip', gzipSync(utf8), coded('gzip')],
  ['gzip without a header', gzipSync(utf8), []],
  ['no gzip, whatever the header says', utf8, coded('gzip')],
  ['deflate', deflateSync(utf8), coded('deflate')],
  ['deflate without its own header', deflateRawSync(utf8), coded('deflate')],
  ['Brotli', brotliCompressSync(utf8), coded('br')],
  ['Zstandard', zstdCompressSync(utf8), coded('zstd')],
  ['two codings', brotliCompressSync(gzipSync(utf8)), coded('GZIP, identity, br')],
  ['UTF-16', utf16le, typed('utf-16le')],
  ['UTF-16 that nothing names', utf16le, []],
  ['UTF-16 of the other order', utf16be, []],
  ['UTF-16 in gzip', gzipSync(utf16be), coded('x-gzip')],
  ['UTF-32', utf32(true), []],
  ['UTF-32 of the other order', utf32(false), typed('utf-32')],
  ['Latin-1', Buffer.from(text, 'latin1'), typed('ISO-8859-1')],
  ['Latin-1 that nothing names', Buffer.from(text, 'latin1'), []],
])('a body is read that is %s', (_title, bytes, headers) => {
  expect(decodeBody(bytes, headers)).toMatchObject({ text });
});

test.each([
  ['\ufeff in UTF-8', Buffer.from(`\ufeff${text}`)],
  ['\ufeff in UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['\ufeff in UTF-16 of the other order', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('a byte order mark stays: %s', (_title, bytes) => {
  expect(decodeBody(bytes, [])).toMatchObject({ text: `\ufeff${text}` });
});

test.each([
  ['damaged gzip', gzipSync(utf8).subarray(0, 20), coded('gzip')],
  ['a coding that we do not know', utf8, coded('compress')],
  ['encrypted or binary', Buffer.from([...Array(200).keys()]), []],
  ['compressed twice without a header', gzipSync(gzipSync(utf8)), []],
  ['a charset that we do not know', Buffer.from('7bc9d3d5', 'hex'), typed('ebcdic-us')],
  ['larger than a record when it is decoded', gzipSync(Buffer.alloc(3 << 20, 'a')), coded('gzip')],
])('a body is not read that is %s', (_title, bytes, headers) => {
  expect(decodeBody(bytes, headers)).toEqual({ why: expect.any(String) });
});
