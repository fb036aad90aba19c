/**
 * Bytes as a text one can type: UTF-8, and `\xNN` for any byte. Nothing else is an escape, so that JSON can be typed as
 * it is; a backslash before `xNN` is itself written `\x5c`.
 */

const escape = /\\x([\da-f]{2})|[\s\S]/giu;

/** The bytes that a text stands for. Each line break is a line feed (0x0a). */
export function bytesOfRawText(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const { 0: written, 1: digits } of text.matchAll(escape)) {
    if (digits === undefined) addCodePoint(bytes, written.codePointAt(0) ?? 0);
    else bytes.push(Number.parseInt(digits, 16));
  }
  return Uint8Array.from(bytes);
}

/** Appends a character as UTF-8 (RFC 3629); half a surrogate pair has none, and becomes U+FFFD. */
function addCodePoint(bytes: number[], code: number): void {
  if (code < 0x80) bytes.push(code);
  else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
  else if (code >= 0xd800 && code < 0xe000) bytes.push(0xef, 0xbf, 0xbd);
  else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  else {
    bytes.push(
      0xf0 | (code >> 18),
      0x80 | ((code >> 12) & 0x3f),
      0x80 | ((code >> 6) & 0x3f),
      0x80 | (code & 0x3f),
    );
  }
}

/** A text that stands for these bytes: what is not UTF-8, and control characters, as escapes. */
export function rawTextOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    const isEscaped = character === null || isControl(character.code) || beginsEscape(bytes, at);
    const length = character?.length ?? 1;
    if (isEscaped) for (const byte of bytes.subarray(at, at + length)) text += hex(byte);
    else text += String.fromCodePoint(character.code);
    at += length;
  }
  return text;
}

const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;

/** What an editor would show as nothing or change; a tab and a line feed stay. */
const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a) ||
  (code >= 0x7f && code < 0xa0) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0xfeff;

/** Whether a backslash stands before what would make it an escape. */
const beginsEscape = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0x5c && /^x[\da-f]{2}$/i.test(String.fromCharCode(...bytes.subarray(at + 1, at + 4)));

/** The UTF-8 character at a position; null if there is none. */
function characterAt(bytes: Uint8Array, at: number): { code: number; length: number } | null {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { code: first, length: 1 };
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return null;
  let code = first & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) {
    const byte = bytes[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return null;
    code = (code << 6) | (byte & 0x3f);
  }
  const isShortest = code >= (length === 4 ? 0x10000 : length === 3 ? 0x800 : 0x80);
  const isCharacter = isShortest && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
  return isCharacter ? { code, length } : null;
}
