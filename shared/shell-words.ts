import { hiddenCharacters, replaceHidden } from './hidden-characters.ts';

/** Headers that curl sets itself. */
export const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

/** Excludes a leading `@`, which curl reads as a file of headers. */
export const isHeaderName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Needs no quotes in any POSIX shell. A leading `=` would expand to a command's path in zsh. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/**
 * Quotes a text as one word that a POSIX shell passes on unchanged (POSIX.1-2024, Shell Command Language 2.2): nothing
 * in it is executed or expanded.
 */
export function shellWord(text: string): string {
  if (plain.test(text)) return text;
  if (!needsEscapes(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = replaceHidden(text.replaceAll(/[\\']/g, '\\$&'), escapeOf);
  return `$'${escaped}'`;
}

/**
 * Whether a text must be escaped on a command line, not only quoted: pasted raw, hidden characters could end the quotes or
 * the paste, or hide or reorder the text.
 */
export const needsEscapes = (text: string): boolean => hiddenCharacters(text).next().done !== true;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Octal escapes have a fixed length in every shell; hexadecimal ones do not. */
const escapeOf = (character: string): string =>
  shortEscapes[character] ??
  encodeURIComponent(character.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /%(..)|[^%]/g,
    (written, hex: string | undefined) =>
      `\\${(hex === undefined ? written.charCodeAt(0) : Number.parseInt(hex, 16)).toString(8).padStart(3, '0')}`,
  );
