/** Scans single JSON tokens in a text. */

/** Characters of a truncated number or word that are checked. */
export const MAX_CUT_WORD_LENGTH = 400;

/** Whether a text may be a truncated number or literal. */
export const isCutWord = (text: string): boolean =>
  /^[-+.\deE]+$/.test(text) || ['true', 'false', 'null'].some((word) => word.startsWith(text));

/** Finds the end of the string that starts at this quote (RFC 8259 section 7). */
export function scanString(raw: string, quote: number): { end: number; isWhole: boolean; isPlain: boolean } {
  let isPlain = true;
  for (let at = quote + 1; at < raw.length; at++) {
    const char = raw.charCodeAt(at);
    if (char === 0x22) return { end: at + 1, isWhole: true, isPlain };
    if (char < 0x20) return { end: at, isWhole: false, isPlain };
    if (char > 0x7e) isPlain = false;
    if (char !== 0x5c) continue;
    const escaped = raw.charCodeAt(++at);
    if (escaped === 0x75) {
      for (let digit = 1; digit <= 4; digit++) {
        if (at + digit >= raw.length) return { end: raw.length, isWhole: false, isPlain };
        if (!isHexDigit(raw.charCodeAt(at + digit))) return { end: at, isWhole: false, isPlain };
      }
      at += 4;
    } else if (at < raw.length && !'"\\/bfnrt'.includes(raw.charAt(at))) {
      return { end: at, isWhole: false, isPlain };
    }
  }
  return { end: raw.length, isWhole: false, isPlain };
}

const isHexDigit = (char: number): boolean =>
  (char >= 0x30 && char <= 0x39) || (char >= 0x41 && char <= 0x46) || (char >= 0x61 && char <= 0x66);
