/** Makes the characters of untrusted text visible that nobody would see. */
import { codePointName, hiddenCharacters, replaceHidden } from '#shared/hidden-characters.ts';

interface TextPiece {
  readonly text: string;
  /** The code point of a character made visible, such as `U+001B`; null for ordinary text. */
  readonly control: string | null;
}

/** Splits text into ordinary pieces and hidden characters. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { index, character } of hiddenCharacters(text)) {
    if (keeps(character)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), control: null });
    const code = character.codePointAt(0) ?? 0;
    pieces.push({ text: glyphOf(code), control: codePointName(code) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), control: null });
  return pieces;
}

/** Replaces every hidden character with a visible notation. */
export const visibleText = (text: string): string =>
  replaceHidden(text, (character) => (keeps(character) ? character : glyphOf(character.codePointAt(0) ?? 0)));

/** Whether a character is drawn by the line breaks and tabs of the page. */
const keeps = (character: string): boolean => character === '\n' || character === '\t';

/** Makes control characters visible, tabs and line breaks included, so that the text is on one line. */
export const visibleLine = (text: string): string =>
  visibleText(text).replaceAll('\n', '⏎').replaceAll('\t', '⇥');

/** Names of the C0 controls (ECMA-48). Few fonts have their Unicode symbols. */
const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

const glyphOf = (code: number): string =>
  `[${controlNames[code] ?? (code === 0x7f ? 'DEL' : codePointName(code))}]`;
