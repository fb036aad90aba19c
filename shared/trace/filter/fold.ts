/** Never lowercased: the lower case of these characters contains an ASCII letter. */
const APART = /([\u0130\u212a])/;

/**
 * Folds the case of a text character by character, so that one text contains another, ignoring case, exactly if
 * the folded texts do. Only ASCII folds to ASCII, so that ASCII can be searched for in bytes.
 */
export function fold(text: string): string {
  if (!APART.test(text)) return lower(text);
  return text
    .split(APART)
    .map((part) => (APART.test(part) ? part : lower(part)))
    .join('');
}

// Sigma is the only letter whose lower case depends on its context.
const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
