import { withoutEnd } from '#shared/trim.ts';
import { withoutEscapes } from './escapes.ts';

/** Characters of the shortest value whose encoded forms are searched for; those of shorter ones would match by chance. */
const MIN_ENCODED = 8;

/** A secret value as it may be sent: unchanged, and in the escapes of JSON, HTML, URLs and base64. */
export function formsOf(value: string): Set<string> {
  const encoded =
    value.length < MIN_ENCODED ? [] : [...percentEncoded(value), ...inBase64(value), ...inHex(value)];
  return new Set([
    ...[value, ...encoded].flatMap(inJson),
    ...escapedWhole(value),
    ...htmlWriters.map((write) => write(value)),
  ]);
}

/** A secret value as it appears in a text whose escapes are decoded, of which it may have had any. */
export const unescapedFormsOf = (value: string): Set<string> =>
  new Set([
    value,
    withoutEscapes(value),
    ...(value.length < MIN_ENCODED ? [] : [value.replaceAll(' ', '+'), ...inBase64(value), ...inHex(value)]),
  ]);

/** A secret value as bytes of UTF-16 text, one character per byte. */
export interface WideForm {
  readonly form: string;
  /** Writes what takes its place. */
  readonly write: (text: string) => string;
}

/**
 * A secret value as bytes of UTF-16 text, which some programs write by mistake. The bytes that text of both byte orders has in
 * common, if the value is ASCII.
 */
export function wideFormsOf(value: string): readonly WideForm[] {
  if (value.length < MIN_ENCODED) return [];
  return /[^\0-\x7f]/.test(value)
    ? [wide(value, littleEndian), wide(value, bigEndian)]
    : [wide(value, ascii)];
}

const wide = (value: string, write: WideForm['write']): WideForm => ({ form: write(value), write });

const ascii = (text: string): string => [...text.replaceAll(/[^\0-\x7f]/g, '?')].join('\0');
export const littleEndian = (text: string): string => utf16(text).toString('latin1');
export const bigEndian = (text: string): string => utf16(text).swap16().toString('latin1');

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** A value whose characters are all escaped. */
const escapedWhole = (value: string): string[] =>
  value.length < MIN_ENCODED
    ? []
    : (['lower', 'upper'] as const).map((letters) => escapeAs(value, /[^]/g, letters));

/** A value as it may occur in a JSON string, and in JSON text within a JSON string. */
function inJson(value: string): string[] {
  const written = jsonWriters.map((write) => write(inQuotes(value)));
  return [value, ...written, ...written.map(inQuotes)];
}

const inQuotes = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Characters that some writers of JSON escape although JSON does not require it. */
const jsonWriters: readonly ((json: string) => string)[] = [
  (json) => json,
  // Python, Ruby: everything except ASCII.
  (json) => escapeAs(json, /[^ -~]/g),
  // PHP: the same, and slashes.
  (json) => escapeAs(json, /[^ -~]/g).replaceAll('/', '\\/'),
  // Go and Gson: characters with a meaning in HTML.
  (json) => escapeAs(json, /[<>&]/g),
  (json) => escapeAs(json, /[<>&=']/g),
  // .NET: nearly everything.
  (json) => escapeAs(json.replaceAll('\\"', '"'), /[^ -~]|[<>&'"+`]/g, 'upper'),
];

const escapeAs = (json: string, which: RegExp, letters: 'lower' | 'upper' = 'lower'): string =>
  json.replaceAll(which, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${letters === 'upper' ? code.toUpperCase() : code}`;
  });

/** How frameworks escape text in a page: they differ in the quotes. */
const htmlWriters: readonly ((text: string) => string)[] = [
  (text) => withEntities(text, { '&': '&amp;', '<': '&lt;', '>': '&gt;' }),
  (text) => withEntities(text, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
  (text) => withEntities(text, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }),
  (text) => withEntities(text, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }),
];

const withEntities = (text: string, entities: Readonly<Record<string, string>>): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/** The encodings of URLs and forms. They differ in the characters kept, the space, and the case of hex digits. */
function percentEncoded(value: string): string[] {
  // An unpaired surrogate is written as a replacement character.
  const component = encodeURIComponent(Buffer.from(value).toString());
  const strict = component.replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const pythons = [strict.replaceAll('%2F', '/'), strict.replaceAll('%20', '+')];
  return [component, strict, form, ...pythons].flatMap((upper) => [
    upper,
    upper.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()),
  ]);
}

/**
 * The whole value in both alphabets, without padding, which is optional; and its inner characters
 * for each possible alignment, such as after the user name in Basic credentials.
 */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const within = [0, 1, 2].flatMap((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((shifted.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((name) => shifted.toString(name).slice(first, last));
  });
  return [withoutEnd(bytes.toString('base64'), '='), bytes.toString('base64url'), ...within];
}

/** The form of byte dumps and digests. */
function inHex(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}
