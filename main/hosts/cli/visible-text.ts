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

/**
 * JSON text that is safe on a terminal and still means the same: unsafe characters in strings become escapes,
 * and the carriage return, the only other one that JSON allows, becomes a space.
 */
export const visibleJson = (json: string): string =>
  json.replace(UNSAFE, (character) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' ? ' ' : character.replace(/[^]/g, jsonEscapeOf);
  });

const jsonEscapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
