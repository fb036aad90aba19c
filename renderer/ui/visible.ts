/** Makes characters visible that have no glyph and could hide or reorder untrusted text. */

interface TextPiece {
  readonly text: string;
  /** The code point of a character made visible, such as `U+001B`; null for ordinary text. */
  readonly control: string | null;
}

// C0 without tab and line feed, DEL and C1, soft hyphen, Arabic letter mark, zero widths and direction marks,
// embeddings, isolates and other format characters, the byte order mark, annotations, lone surrogates, tags.
const hidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** Splits text into ordinary pieces and hidden characters. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), control: null });
    const code = match[0].codePointAt(0) ?? 0;
    pieces.push({ text: glyphOf(code), control: codeName(code) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), control: null });
  return pieces;
}

/** Replaces every hidden character with a visible notation. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (character) => glyphOf(character.codePointAt(0) ?? 0));

/** Makes control characters visible, tabs and line breaks included, so that the text is on one line. */
export const visibleLine = (text: string): string =>
  visibleText(text).replaceAll('\n', '⏎').replaceAll('\t', '⇥');

const codeName = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Names of the C0 controls (ECMA-48). Few fonts have their Unicode symbols. */
const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

const glyphOf = (code: number): string =>
  `[${controlNames[code] ?? (code === 0x7f ? 'DEL' : codeName(code))}]`;
