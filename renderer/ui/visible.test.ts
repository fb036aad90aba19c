import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleLine, visiblePieces, visibleText } from './visible.ts';

test.each([
  ['\u001b[2J', '[ESC][2J'],
  ['a\0b\u007f', 'a[NUL]b[DEL]'],
  ['\r\n', '[CR]\n'],
  ['a\u202eb', 'a[U+202E]b'],
  ['\ufeffx', '[U+FEFF]x'],
  ['\u{e0041}', '[U+E0041]'],
  ['\ud800', '[U+D800]'],
  ['\u009b31m', '[U+009B]31m'],
  ['rm\ufe0f', 'rm[U+FE0F]'],
  ['rm\u200d\u034f\u3164', 'rm[U+200D][U+034F][U+3164]'],
  ['a\u2800b\u00a0c', 'a[U+2800]b[U+00A0]c'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('ordinary text of any script stays as it is', () => {
  for (const text of ['tab\there\nnext', 'naïve 日本語 العربية', '👩‍👩‍👧 🇩🇪', '<b>&amp;</b>']) {
    expect(visibleText(text)).toBe(text);
  }
});

test('a line has no line ends and no tabs', () => {
  expect(visibleLine('a\n\tb')).toBe('a⏎⇥b');
});

test('pieces put together are the visible text, and no hidden character is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const joined = visiblePieces(text)
        .map((piece) => piece.text)
        .join('');
      expect(joined).toBe(visibleText(text));
      expect(visibleText(joined)).toBe(joined);
    }),
  );
});
