/** What may be written without quotes in every POSIX shell. A `=` in front would be a command's path in zsh. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** Control characters, and those that would reorder what is seen: pasted raw, they could end the quotes or the paste. */
const unsafe = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const everyUnsafe = new RegExp(unsafe, 'g');

/** Whether a text would need to be escaped in a command line, not only quoted. */
export const needsEscapes = (text: string): boolean => unsafe.test(text);

/**
 * One word of a command line that a POSIX shell hands on exactly as it is (POSIX.1-2024, Shell Command Language 2.2):
 * nothing in it is run or expanded.
 */
export function shellWord(text: string): string {
  if (plain.test(text)) return text;
  if (!needsEscapes(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, '\\$&').replaceAll(everyUnsafe, escapeOf);
  return `$'${escaped}'`;
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Three octal digits end by themselves, which two hexadecimal ones do not everywhere. */
const escapeOf = (character: string): string =>
  shortEscapes[character] ??
  [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
