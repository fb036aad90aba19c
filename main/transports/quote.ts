import { isUtf8 } from 'node:buffer';
import { truncate } from '#shared/format.ts';
import { textOf } from './decode-body.ts';

/** Non-blank lines that are quoted, and characters of each. */
const MAX_LINES = 6;
const MAX_LINE_LENGTH = 200;
/** Bytes that are read for it. */
const MAX_READ = 16 * 1024;

/** Replaces the secrets in a text. */
export type Redact = (text: string) => string;

/** The beginning of a text of the server, for a fault. Secrets are replaced before it is shortened, so that none is cut in two. */
export const shortened = (text: string, max: number, redacted: Redact): string =>
  truncate(redacted(text), max);

/**
 * The first lines of what a server sent, for a fault; undefined if they are blank.
 *
 * @param redacted replaces secrets, before the text is shortened, so that none is cut in two
 * @param isCut whether the text goes on: a secret at its end is not found, so what is near the end is not quoted
 */
export function quoteText(text: string, redacted: Redact, isCut = false): string | undefined {
  const whole = redacted(text);
  const lines = (isCut ? firstHalf(whole) : whole).split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  const quoted = lines.slice(0, MAX_LINES).map((line) => truncate(line, MAX_LINE_LENGTH));
  if (lines.length > MAX_LINES) quoted.push('…');
  return quoted.length === 0 ? undefined : quoted.join('\n');
}

/** The same of bytes. */
export const quoteBytes = (bytes: Buffer, redacted: Redact): string | undefined =>
  quoteText(readableText(bytes.subarray(0, MAX_READ)), redacted, bytes.length >= MAX_READ);

/** The first half of a text, to the end of its last line. */
function firstHalf(text: string): string {
  const half = Math.floor(text.length / 2);
  const rest = text.slice(half).search(/[\r\n]/);
  return rest === -1 ? text : text.slice(0, half + rest);
}

/** Bytes as text: in the Unicode encoding that they have, else with each byte that is not UTF-8 as `\xE9`. */
export function readableText(bytes: Buffer): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  // A line of UTF-16 is cut inside the two bytes of its line end.
  return textOf(bytes, null) ?? textOf(bytes.subarray(0, -1), null) ?? withEscapes(bytes);
}

function withEscapes(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + lengthOfCharacter(bytes[at] ?? 0);
    const character = bytes.subarray(at, end);
    const isCharacter = end <= bytes.length && isUtf8(character) && !isControl(character[0] ?? 0);
    parts.push(isCharacter ? character.toString() : `\\x${bytes.toString('hex', at, at + 1).toUpperCase()}`);
    at = isCharacter ? end : at + 1;
  }
  return parts.join('');
}

/** Whether a byte is a control character that text does not have. */
const isControl = (byte: number): boolean => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;

/** Bytes of the UTF-8 character that begins with this one. */
const lengthOfCharacter = (first: number): number =>
  first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
