const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Walks the JSON value at a place without parsing it, so that a text of many megabytes takes little time.
 *
 * @returns where the value ends, null when the text ends first; and how many levels deep it is nested
 */
export function walkValue(text: string, from: number): { end: number | null; depth: number } {
  let level = 0;
  let depth = 0;
  for (let place = from; place < text.length; place++) {
    switch (text.charCodeAt(place)) {
      case QUOTE: {
        const end = endOfString(text, place);
        if (end === null) return { end: null, depth };
        if (level === 0) return { end, depth };
        place = end - 1;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth = Math.max(depth, ++level);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (--level <= 0) return { end: place + 1, depth };
        break;
      default:
        if (level === 0) return { end: endOfWord(text, place), depth };
    }
  }
  return { end: null, depth };
}

/** Whether the JSON value that a text stands for is nested deeper than so many levels. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Every level takes a bracket to open it, and these are found quickly where there are few.
  let opened = 0;
  for (const bracket of '[{') {
    for (let place = text.indexOf(bracket); place !== -1; place = text.indexOf(bracket, place + 1)) {
      if (++opened > levels) return walkValue(text, skipSpace(text, 0)).depth > levels;
    }
  }
  return false;
}

/** Where the string ends that begins at this quote; null when it never does. */
export function endOfString(text: string, quote: number): number | null {
  const next = text.indexOf('"', quote + 1);
  if (next === -1) return null;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next + 1;
  for (let place = quote + 1; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === BACKSLASH) place++;
    else if (code === QUOTE) return place + 1;
  }
  return null;
}

/** The first place from here on that is no white space; a byte order mark counts as white space. */
export function skipSpace(text: string, from: number): number {
  let place = from;
  while (' \t\r\n\ufeff'.includes(text.charAt(place)) && place < text.length) place++;
  return place;
}

/** Where a number, `true`, `false` or `null` ends. */
function endOfWord(text: string, from: number): number {
  const word = /[^\s,:[\]{}"]*/y;
  word.lastIndex = from;
  word.exec(text);
  return word.lastIndex;
}
