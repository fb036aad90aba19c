import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenCharacters, replaceHidden } from './hidden-characters.ts';

const shown = (text: string): string =>
  replaceHidden(text, (character) => `[${character.codePointAt(0)?.toString(16)}]`);

test.each([
  ['a control', 'a\u001bb', 'a[1b]b'],
  ['a soft hyphen', 'rm\u00ad', 'rm[ad]'],
  ['a bidirectional override', 'a\u202eb', 'a[202e]b'],
  ['a zero-width space', 'a\u200bb', 'a[200b]b'],
  ['a variation selector behind a letter', 'a\ufe0fb', 'a[fe0f]b'],
  ['a variation selector behind a digit', '1\ufe0f0', '1[fe0f]0'],
  ['a second variation selector behind an emoji', '❤\ufe0f\ufe0f', '❤\ufe0f[fe0f]'],
  ['a supplementary variation selector', '😀\u{e0100}\u{e01ef}', '😀[e0100][e01ef]'],
  ['the variation selectors 1 to 14', 'a\ufe00\ufe0d', 'a[fe00][fe0d]'],
  ['a Mongolian selector behind a letter of another script', 'a\u180b', 'a[180b]'],
  ['a joiner between Latin letters', 'a\u200db\u200cc', 'a[200d]b[200c]c'],
  ['a joiner at the end of a word', 'می\u200c', 'می[200c]'],
  ['a joiner between emojis that make none together', '😀\u200d😀', '😀[200d]😀'],
  ['a joiner behind an emoji', '👩\u200d', '👩[200d]'],
  ['a combining grapheme joiner', 'a\u034fb', 'a[34f]b'],
  ['Hangul fillers', '\u115f\u1160\u3164\uffa0', '[115f][1160][3164][ffa0]'],
  ['a Khmer inherent vowel', 'a\u17b4\u17b5', 'a[17b4][17b5]'],
  ['a blank of Braille', 'a\u2800b', 'a[2800]b'],
  ['no-break spaces', 'a\u00a0b\u202fc\u2007d', 'a[a0]b[202f]c[2007]d'],
  ['spaces of other widths', 'a\u2003b\u200ac\u205fd\u1680e', 'a[2003]b[200a]c[205f]d[1680]e'],
  ['an ideographic space in Latin text', 'a\u3000b', 'a[3000]b'],
  ['invisible operators', 'a\u2061\u2064b', 'a[2061][2064]b'],
  ['a byte order mark', '\ufeffx', '[feff]x'],
  ['an annotation', '\ufff9x', '[fff9]x'],
  ['unassigned default-ignorable characters', '\ufff0\u{e0000}\u{e0fff}', '[fff0][e0000][e0fff]'],
  ['noncharacters', '\uffff\u{1fffe}', '[ffff][1fffe]'],
  ['a blank of music, Khitan and Egyptian', '\u{1d159}\u{16fe4}\u{13441}', '[1d159][16fe4][13441]'],
  ['a tag by itself', 'a\u{e0041}', 'a[e0041]'],
  ['tags behind a black flag that make no flag', '🏴\u{e0068}\u{e0069}\u{e007f}', '🏴[e0068][e0069][e007f]'],
  [
    'a tag behind a flag that is complete',
    '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}\u{e0041}',
    '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}[e0041]',
  ],
  ['a lone surrogate', 'a\ud800b', 'a[d800]b'],
])('%s is hidden', (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  ['Latin and Greek', 'naïve Ωμέγα "Größe" <b>&amp;</b>'],
  ['a family', '👩‍👩‍👧'],
  ['a profession with a skin tone', '👩🏽‍🚀'],
  ['a heart on fire, with and without its selector', '❤️‍🔥 ❤‍🔥'],
  ['the rainbow flag, with and without its selector', '🏳️‍🌈 🏳‍🌈'],
  ['two emojis with joiners in a row', '👩‍👩‍👧🏳️‍🌈'],
  ['flags of countries', '🇩🇪🇮🇷'],
  ['the flags of Wales and Scotland', '🏴󠁧󠁢󠁷󠁬󠁳󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['keycaps', '1️⃣ #️⃣'],
  ['a sign as an emoji and as text', '☺️ ☺︎ ©️'],
  ['Persian', 'می\u200cخواهم کتاب\u200cها'],
  ['Hindi and Bengali', 'क्\u200dष र्\u200cय ক্\u200cষ'],
  ['Sinhala', 'ශ්\u200dරී'],
  ['Mongolian', 'ᠠ\u180bᠠ'],
  ['Japanese with its space', '東京都\u3000千代田区'],
  ['Arabic with a verse number', 'آية \u06dd١'],
  ['Hebrew and Chinese', 'שלום 日本語'],
])('what %s needs is kept', (_, text) => {
  expect(shown(text)).toBe(text);
});

test('each hidden character is given with its place', () => {
  expect([...hiddenCharacters('🙂\u2800a\u00a0')]).toEqual([
    { index: 2, character: '\u2800' },
    { index: 4, character: '\u00a0' },
  ]);
});

test('a text that was made visible has no hidden character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([...hiddenCharacters(shown(text))]).toEqual([]);
    }),
  );
});
