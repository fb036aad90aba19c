/**
 * Characters of untrusted text that nobody would see: they have no glyph, look like a space, or reorder what is around them.
 * Window, terminal and reports show them by this one set.
 *
 * Controls, format characters, lone surrogates, noncharacters and line separators; everything that Unicode declares
 * Default_Ignorable_Code_Point (UAX #44), such as variation selectors, joiners, fillers and tags; every space but U+0020; and
 * the signs that are drawn as a blank: Braille, the musical null notehead, Khitan and Egyptian fillers.
 */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/** A hidden character and where it begins in the text, in UTF-16 code units. */
interface HiddenCharacter {
  readonly index: number;
  readonly character: string;
}

/** The hidden characters of a text, in order, without those that an emoji or a script needs. */
export function* hiddenCharacters(text: string): Generator<HiddenCharacter> {
  const emojis = new EmojiSequences(text);
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (!isNeeded(text, index, character) && !emojis.contain(index, character)) yield { index, character };
  }
}

/** Replaces each hidden character, but not those that an emoji or a script needs. */
export function replaceHidden(text: string, replacement: (character: string) => string): string {
  let shown = '';
  let from = 0;
  for (const { index, character } of hiddenCharacters(text)) {
    shown += text.slice(from, index) + replacement(character);
    from = index + character.length;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** How Unicode writes a code point: `U+200B`. */
export const codePointName = (code: number): string =>
  `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** Whether the characters beside a character need it: without it a sign or a word would be another one. */
function isNeeded(text: string, index: number, character: string): boolean {
  if (character < '\u0600') return false;
  if (hasGlyph.test(character)) return true;
  if (variationSelector.test(character)) return isPresentation(text, index);
  const before = characterBefore(text, index);
  const after = characterAt(text, index + character.length);
  if (joiner.test(character)) return joiningLetter.test(before) && joiningLetter.test(after);
  if (mongolianSelector.test(character)) return mongolianLetter.test(before);
  return character === '\u3000' && wideCharacter.test(before) && wideCharacter.test(after);
}

const joiner = /^[\u200c\u200d]$/;
const variationSelector = /^[\ufe0e\ufe0f]$/;
const mongolianSelector = /^[\u180b-\u180f]$/;

/** Format characters that are drawn: number signs and the like of Arabic, Syriac and Kaithi, and Egyptian joiners. */
const hasGlyph = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{13440}]$/u;

/** Letters and marks of the scripts in which a joiner changes how a word is written, such as Persian and Hindi. */
const joiningLetter =
  /^(?=[\p{L}\p{M}])[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Inherited}]$/u;

const mongolianLetter = /^(?=[\p{L}\p{M}])\p{Script=Mongolian}$/u;

/** Characters beside which Chinese, Japanese and Korean put an ideographic space. */
const wideCharacter =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3001-\u303f\uff01-\uff60\u30fc]$/u;

/** Whether a variation selector chooses how the emoji before it is drawn (UTS #51, emoji presentation sequences). */
function isPresentation(text: string, index: number): boolean {
  const before = characterBefore(text, index);
  if (/^[0-9#*]$/.test(before)) return characterAt(text, index + 1) === '\u20e3';
  return /^\p{Extended_Pictographic}$/u.test(before);
}

/**
 * The emojis of a text that Unicode recommends for interchange (UTS #51, RGI) and that contain joiners or tags, such as a family
 * or the flag of Wales. Others are not drawn as one, so their joiners and tags would hide something.
 */
class EmojiSequences {
  readonly #text: string;
  /** Where the run of emoji characters ends that was read last. Each character is read once. */
  #runEnd = 0;
  /** The emojis of that run, the last first. */
  #emojis: { readonly from: number; readonly end: number }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether an emoji contains the character at an index, which must be larger at each call. */
  contain(index: number, character: string): boolean {
    if (!emojiPart.test(character)) return false;
    if (index >= this.#runEnd) this.#readRun(index);
    let emoji = this.#emojis.at(-1);
    while (emoji !== undefined && emoji.end <= index) {
      this.#emojis.pop();
      emoji = this.#emojis.at(-1);
    }
    return emoji !== undefined && emoji.from <= index;
  }

  /** Reads all emoji characters around an index. */
  #readRun(index: number): void {
    const text = this.#text;
    let at = index;
    for (let before = characterBefore(text, at); at > this.#runEnd && emojiPart.test(before); ) {
      at -= before.length;
      before = characterBefore(text, at);
    }
    const emojis = [];
    for (let next = characterAt(text, at); emojiPart.test(next); next = characterAt(text, at)) {
      const end = at + emojiLength(text, at);
      if (end > at) emojis.push({ from: at, end });
      at = Math.max(end, at + next.length);
    }
    this.#runEnd = at;
    this.#emojis = emojis.toReversed();
  }
}

const emojiPart = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{e0020}-\u{e007f}]|\u200d|\ufe0f)$/u;
const continuesEmoji = /^(?:[\p{Emoji_Modifier}\u{e0020}-\u{e007f}]|\u200d|\ufe0f)$/u;
const emoji = /\p{RGI_Emoji}/vy;
/** The longest sequence has ten characters without selectors. */
const joinedEmojis =
  /\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?(?:\u200d\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?){1,4}/uy;

/** The length of the emoji of several characters that begins at an index, in UTF-16 code units; 0 without one. */
function emojiLength(text: string, index: number): number {
  if (!continuesEmoji.test(characterAt(text, index + characterAt(text, index).length))) return 0;
  emoji.lastIndex = index;
  const complete = emoji.exec(text)?.[0].length ?? 0;
  // Many programs leave out selectors, of some or all of its parts.
  joinedEmojis.lastIndex = index;
  const [joined = ''] = joinedEmojis.exec(text) ?? [];
  if (joined.length <= complete) return complete;
  emoji.lastIndex = 0;
  const isEmoji = emoji.exec(withSelectors(joined))?.[0] === withSelectors(joined);
  return isEmoji ? joined.length : complete;
}

/** An emoji with the selectors of all parts that are not drawn as emojis without one. */
const withSelectors = (sequence: string): string =>
  sequence
    .replaceAll('\ufe0f', '')
    .replaceAll(/\p{Extended_Pictographic}(?!\p{Emoji_Modifier})/gu, (part) =>
      /^\p{Emoji_Presentation}$/u.test(part) ? part : `${part}\ufe0f`,
    );

/** The character that begins at an index; empty at the end of the text. */
function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** The character that ends before an index; empty at the start of the text. */
function characterBefore(text: string, index: number): string {
  const pair = text.slice(Math.max(0, index - 2), index);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}
