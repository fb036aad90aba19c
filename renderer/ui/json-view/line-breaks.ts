import { visibleText } from '#ui/visible.ts';
import { endsWord } from '#ui/word-breaks.ts';

/** Code points without a width of their own; first and last of each range. */
const combining: readonly (readonly [number, number])[] = [
  [0x300, 0x36f],
  [0xfe00, 0xfe0f],
];
/** Code points that take two columns. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];
/** Ranges with invisible characters, which are shown as a word. */
const hidden: readonly (readonly [number, number])[] = [
  [0x7f, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x2000, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
];
/** Fallback fonts draw wide characters slightly wider than two columns. */
const WIDE = 2.4;

const SPACE = 0x20;
const SLASH = 0x2f;
const DOT = 0x2e;
const LETTER_N = 0x6e;
const BACKSLASH = 0x5c;

const isWithin = (code: number, ranges: readonly (readonly [number, number])[]): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last);

/** Width of a character as it is shown, in columns. */
function columnsOf(code: number): number {
  if (code >= 0x20 && code < 0x7f) return 1;
  if (code < 0x20 || isWithin(code, hidden)) return visibleText(String.fromCodePoint(code)).length;
  if (isWithin(code, combining)) return 0;
  return isWithin(code, wide) ? WIDE : 1;
}

/** Share of a row that may stay empty to end it with a word. */
const MAX_EMPTY = 0.5;

/**
 * Wraps a line: the offsets of its rows after the first. Breaks after a space, a slash, a dot or an escaped line break when one
 * is near the end of the row, so that keys such as `io.example/name` are not broken within a word. A key also breaks between
 * the words of a name such as `schemaVersion`; in a value these would be words of base64.
 *
 * @param first columns of the first row
 * @param further columns of each row after it
 * @param key length of the key that the line begins with
 */
export function breaksOf(text: string, first: number, further: number, key: number): number[] {
  const breaks: number[] = [];
  let room = first;
  let used = 0;
  /** The last possible break in the row, and the columns before it. */
  let end = { at: 0, used: 0 };
  /** The same between the words of a name. */
  let word = end;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const columns = columnsOf(code);
    if (at > 0 && at < key && endsWord(text.charCodeAt(at - 1), code)) word = { at, used };
    if (used + columns > room && used > 0) {
      const near = [end, word].find((one) => one.used > room * (1 - MAX_EMPTY)) ?? { at, used };
      breaks.push(near.at);
      room = further;
      used -= near.used;
      end = { at: 0, used: 0 };
      word = end;
    }
    used += columns;
    if (code > 0xffff) at++;
    if (
      code === SPACE ||
      code === SLASH ||
      code === DOT ||
      (code === LETTER_N && text.charCodeAt(at - 1) === BACKSLASH)
    )
      end = { at: at + 1, used };
  }
  return breaks;
}

/**
 * The same for text of one column per character, which looks only at characters near a break.
 *
 * @param charAt the character code at an offset
 * @param key length of the key that the line begins with
 */
export function plainBreaksOf(
  charAt: (at: number) => number,
  length: number,
  first: number,
  further: number,
  key: number,
): number[] {
  const breaks: number[] = [];
  let start = 0;
  for (let room = first; length - start > room; room = further) {
    const full = start + room;
    const nearest = full - Math.ceil(room * MAX_EMPTY);
    const lastWhere = (from: number, mayEnd: (at: number) => boolean): number | null => {
      for (let at = from; at > nearest; at--) if (mayEnd(at)) return at;
      return null;
    };
    start =
      lastWhere(full, (at) => mayEndBefore(charAt, at)) ??
      lastWhere(Math.min(full, key - 1), (at) => endsWord(charAt(at - 1), charAt(at))) ??
      full;
    breaks.push(start);
  }
  return breaks;
}

/** Whether a row may break before this character. */
const mayEndBefore = (charAt: (at: number) => number, at: number): boolean =>
  charAt(at - 1) === SPACE ||
  charAt(at - 1) === SLASH ||
  charAt(at - 1) === DOT ||
  (charAt(at - 1) === LETTER_N && charAt(at - 2) === BACKSLASH);
