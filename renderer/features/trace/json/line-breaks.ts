import { visibleText } from '#ui/visible.ts';

/** Characters of no width of their own, or of two columns; the first and the last of each range. */
const combining: readonly (readonly [number, number])[] = [
  [0x300, 0x36f],
  [0xfe00, 0xfe0f],
];
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
/** Where characters stand that are made visible by a word. */
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
/** Fonts that stand in for ours draw them a little wider than two of its characters. */
const WIDE = 2.4;

const SPACE = 0x20;
const LETTER_N = 0x6e;
const BACKSLASH = 0x5c;

const isWithin = (code: number, ranges: readonly (readonly [number, number])[]): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last);

/** How many columns of a fixed-width font a character takes up, as it is shown. */
function columnsOf(code: number): number {
  if (code >= 0x20 && code < 0x7f) return 1;
  if (code < 0x20 || isWithin(code, hidden)) return visibleText(String.fromCodePoint(code)).length;
  if (isWithin(code, combining)) return 0;
  return isWithin(code, wide) ? WIDE : 1;
}

/** A row may stay this much shorter so that it ends with a word. */
const MOST_LEFT_OUT = 0.35;

/**
 * Where a text breaks that is too long for one row: the places of its rows but the first. It breaks behind a space or
 * an escaped line end where there is one near the end of the row.
 *
 * @param first columns of the first row
 * @param further columns of each row after it
 */
export function breaksOf(text: string, first: number, further: number): number[] {
  const breaks: number[] = [];
  let room = first;
  let used = 0;
  /** The last place in the row where it may end, and the columns before it. */
  let end = { at: 0, used: 0 };
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const columns = columnsOf(code);
    if (used + columns > room && used > 0) {
      const isNear = end.used > room * (1 - MOST_LEFT_OUT);
      breaks.push(isNear ? end.at : at);
      room = further;
      used = isNear ? used - end.used : 0;
      end = { at: 0, used: 0 };
    }
    used += columns;
    if (code > 0xffff) at++;
    if (code === SPACE || (code === LETTER_N && text.charCodeAt(at - 1) === BACKSLASH))
      end = { at: at + 1, used };
  }
  return breaks;
}

/**
 * The same of text whose characters are one column each, without a look at those that are far from a break.
 *
 * @param charAt the character at a place
 */
export function plainBreaksOf(
  charAt: (at: number) => number,
  length: number,
  first: number,
  further: number,
): number[] {
  const breaks: number[] = [];
  let start = 0;
  for (let room = first; length - start > room; room = further) {
    const full = start + room;
    const nearest = full - Math.ceil(room * MOST_LEFT_OUT);
    let end = full;
    while (end > nearest && !mayEndBefore(charAt, end)) end--;
    start = end > nearest ? end : full;
    breaks.push(start);
  }
  return breaks;
}

/** Whether a row may end before this character. */
const mayEndBefore = (charAt: (at: number) => number, at: number): boolean =>
  charAt(at - 1) === SPACE || (charAt(at - 1) === LETTER_N && charAt(at - 2) === BACKSLASH);
