/** What is never made lower case: the lower case of these holds an ASCII letter, which they are not. */
const APART = /([\u0130\u212a])/;

/**
 * A text without the difference of upper and lower case. Works on each character by itself, so that a text holds
 * another one exactly when it does folded; ASCII comes of ASCII alone, so that it can be looked for in bytes.
 */
export function fold(text: string): string {
  if (!APART.test(text)) return lower(text);
  return text
    .split(APART)
    .map((part) => (APART.test(part) ? part : lower(part)))
    .join('');
}

// The only lower case that depends on what stands around it is that of sigma.
const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
