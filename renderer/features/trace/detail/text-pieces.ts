/** Characters in a piece: what a browser lays out in a few milliseconds. */
export const PIECE_CHARS = 10_000;

/**
 * Cuts the first `limit` characters of a text into pieces that can be laid out apart from each other; at line
 * ends where there are any, never within a character.
 */
export function textPieces(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < Math.min(limit, text.length); ) {
    const end = endOfPiece(text, from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_CHARS;
  if (end >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
  if (lineEnd > from + PIECE_CHARS / 2) return lineEnd;
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
