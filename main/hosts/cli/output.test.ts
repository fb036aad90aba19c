import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleJson, visibleLines, visibleText } from './output.ts';

/** What no script needs. Which joiners and selectors one does: `shared/hidden-characters.test.ts`. */
const hidden =
  /[\u034f\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}\u00a0\u00ad\u200b\u2060-\u206f\u2800\u3164\ufeff]/u;

test('plain text of any language stays as it is', () => {
  const text = 'node server.js --name "Größe" 日本語 🙂 שלום 👩‍🚀 می‌خواهم';
  expect(visibleText(text)).toBe(text);
});

test.each([
  ['an escape sequence', '\x1b[2Jgone', '\\x1b[2Jgone'],
  ['a carriage return', 'rm -rf /\rls', 'rm -rf /\\x0dls'],
  ['an 8-bit control', '\x9b31m', '\\x9b31m'],
  ['a line break', 'a\nb', 'a\\x0ab'],
  ['a bidirectional override', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['a tag character', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['a variation selector', 'a\ufe0fb', 'a\\u{fe0f}b'],
  ['a joiner of graphemes', 'a\u034fb', 'a\\u{34f}b'],
  ['a blank of Braille', 'a\u2800b', 'a\\u{2800}b'],
  ['a no-break space', 'a\u00a0b', 'a\\xa0b'],
])('%s is shown, not obeyed', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('line breaks and tabs may be kept, and nothing else', () => {
  expect(visibleLines('a\n\tb\r\x07')).toBe('a\n\tb\\x0d\\x07');
});

test('no text reaches the terminal with a control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(hidden);
      expect(visibleLines(text).replace(/[\n\t]/g, '')).not.toMatch(hidden);
    }),
  );
});

test('JSON that is made safe means the same', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const safe = visibleJson(json);
      expect(JSON.parse(safe)).toEqual(JSON.parse(json));
      expect(safe).not.toMatch(hidden);
    }),
  );
  expect(visibleJson('{\r\n\t"a\x9b\u{e0041}":1}')).toBe('{ \n\t"a\\u009b\\udb40\\udc41":1}');
});
