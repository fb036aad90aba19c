import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type HeaderLines, PIECE_BYTES } from '#shared/trace/record.ts';

/** The text of a body, or why it has none. */
export type DecodedBody =
  | {
      readonly text: string;
      /** Whether nothing says which charset it has. */
      readonly isGuess: boolean;
    }
  | { readonly why: string };

/** The most bytes that a compressed body may become; a piece of a record has no more. */
const MAX_DECODED = PIECE_BYTES;

const limit = { maxOutputLength: MAX_DECODED };

/** Node has it from 22.15 on. */
const zstdDecompressSync: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** The codings of RFC 9110 section 8.4.1 and RFC 8878. `deflate` is sent with and without its header. */
const codings: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map<string, (bytes: Buffer) => Buffer>([
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => gunzipSync(bytes, limit)],
  ['x-gzip', (bytes) => gunzipSync(bytes, limit)],
  ['br', (bytes) => brotliDecompressSync(bytes, limit)],
  [
    'deflate',
    (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit)),
  ],
  ...(zstdDecompressSync === undefined
    ? []
    : ([['zstd', (bytes: Buffer) => zstdDecompressSync(bytes, limit)]] as const)),
]);

/** What a body begins with that is compressed although no header says so. */
const signatures: readonly (readonly [hex: string, coding: string])[] = [
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
];

/** Decodes a body by its headers and by its bytes: its Content-Encoding, and its charset. */
export function decodeBody(bytes: Buffer, headers: HeaderLines): DecodedBody {
  const named = valuesOf(headers, 'content-encoding').flatMap((value) => value.toLowerCase().split(','));
  let content = bytes;
  for (const name of named.map((one) => one.trim()).toReversed()) {
    const decode = codings.get(name);
    if (name === '') continue;
    if (decode === undefined) return { why: `Content-Encoding ${name.slice(0, 40)}` };
    const plain = tried(decode, content);
    // Some servers name a coding that the body does not have.
    if (plain === null && !isText(content)) return { why: `damaged ${name}` };
    content = plain ?? content;
  }
  const found = signatures.find(([hex]) => content.toString('hex', 0, 4).startsWith(hex));
  if (found !== undefined) {
    const decode = codings.get(found[1]);
    if (decode === undefined) return { why: `Content-Encoding ${found[1]}` };
    content = tried(decode, content) ?? content;
  }
  const charset = charsetOf(headers);
  const text = textOf(content, charset);
  if (text !== null) return { text, isGuess: false };
  // Text with a few bytes of an older charset.
  const guessed = isMostlyAscii(content) ? decoded(content, 'windows-1252') : null;
  return guessed === null ? { why: 'not text' } : { text: guessed, isGuess: true };
}

function tried(decode: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer | null {
  try {
    return decode(bytes);
  } catch {
    return null; // Not of this coding, or larger than the limit.
  }
}

const valuesOf = (headers: HeaderLines, wanted: string): string[] =>
  headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));

const charsetOf = (headers: HeaderLines): string | null =>
  /charset\s*=\s*"?([^\s";]+)/i.exec(valuesOf(headers, 'content-type').join(';'))?.[1]?.toLowerCase() ?? null;

export const isText = (bytes: Buffer): boolean => textOf(bytes, null) !== null;

/** The text of bytes; null if they have control characters however they are read. @param charset the one that is named for them */
export function textOf(bytes: Buffer, charset: string | null): string | null {
  const candidates = [
    () => utf32(bytes),
    () => decoded(bytes, markOf(bytes) ?? 'utf-8'),
    () => (bytes.includes(0) ? decoded(bytes, bytes[0] === 0 ? 'utf-16be' : 'utf-16le') : null),
    () => (charset === null || /^utf-?(?:8|16|32)/.test(charset) ? null : decoded(bytes, charset)),
  ];
  for (const candidate of candidates) {
    const text = candidate();
    if (text !== null) return text;
  }
  return null;
}

/** What is in no text: control characters, and code points without a character. */
const CONTROL = /[^\P{Cc}\t\n\v\f\r]|\p{Cn}/u;

const isMostlyAscii = (bytes: Buffer): boolean =>
  bytes.reduce((count, byte) => count + (byte < 0x80 ? 1 : 0), 0) > bytes.length * 0.9;

/** Null unless the bytes are text in this charset. */
function decoded(bytes: Buffer, charset: string): string | null {
  try {
    const text = new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
    return CONTROL.test(text) ? null : text;
  } catch {
    return null; // No such charset, or bytes that it does not have.
  }
}

const markOf = (bytes: Buffer): string | null =>
  bytes[0] === 0xff && bytes[1] === 0xfe
    ? 'utf-16le'
    : bytes[0] === 0xfe && bytes[1] === 0xff
      ? 'utf-16be'
      : null;

/** UTF-32 of either order, which `TextDecoder` does not have; null if the bytes are not that. */
function utf32(bytes: Buffer): string | null {
  if (bytes.length < 4 || bytes.length % 4 !== 0) return null;
  const isLittle = bytes[2] === 0 && bytes[3] === 0;
  if (!isLittle && !(bytes[0] === 0 && bytes[1] === 0)) return null;
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const code = isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return null;
    parts.push(String.fromCodePoint(code));
  }
  const text = parts.join('');
  return CONTROL.test(text) ? null : text;
}
