/**
 * Control, bidirectional and invisible characters, and lone surrogates: raw, they could move the cursor,
 * reorder what a person reads or hide a part of it.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Untrusted text as one line that is safe on a terminal: unsafe characters are shown as escapes. */
export const visibleText = (text: string): string => text.replace(UNSAFE, escapeOf);

/** The same, keeping line breaks and tabs. */
export const visibleLines = (text: string): string =>
  text.replace(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
