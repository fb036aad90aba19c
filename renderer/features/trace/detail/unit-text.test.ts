import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PIECE_CHARS, textPieces } from './unit-text.tsx';

const long = fc
  .array(fc.constantFrom('a', '\n', '😀', '{"key":"value"}'.repeat(400), 'é'.repeat(7000)), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('the pieces are the text again, and none is too long', () => {
  fc.assert(
    fc.property(long, (text) => {
      const pieces = textPieces(text, text.length);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(PIECE_CHARS);
    }),
  );
});

test('a limit is reached, and passed by less than a piece', () => {
  fc.assert(
    fc.property(long, fc.nat(60_000), (text, limit) => {
      const shown = textPieces(text, limit).join('').length;
      expect(shown).toBeGreaterThanOrEqual(Math.min(limit, text.length));
      expect(shown).toBeLessThan(limit + PIECE_CHARS);
    }),
  );
});

test('no character is cut in two', () => {
  const pieces = textPieces('a' + '😀'.repeat(PIECE_CHARS), Number.POSITIVE_INFINITY);
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces) expect(piece).not.toMatch(/\p{Cs}/u);
});

test('lines stay whole where they can', () => {
  const line = `${'x'.repeat(99)}\n`;
  const [first] = textPieces(line.repeat(1000), Number.POSITIVE_INFINITY);
  expect(first?.endsWith('\n')).toBe(true);
});
