/** More changes than this are no slip of the pen; of short words even one in three letters. */
const MAX_CHANGES = 2;
/** Longer words are not compared. */
const LONGEST = 32;

/** The most similar word; null if none is similar. */
export function nearest(written: string, words: readonly string[]): string | null {
  const wanted = written.toLowerCase();
  if (wanted === '' || wanted.length > LONGEST) return null;
  const begun = words.find((word) => word.startsWith(wanted) || (wanted.length > 2 && word.includes(wanted)));
  if (begun !== undefined) return begun;
  let best: string | null = null;
  let fewest = Math.min(MAX_CHANGES, Math.floor(wanted.length / 3)) + 1;
  for (const word of words) {
    const changes = distance(wanted, word);
    if (changes >= fewest) continue;
    best = word;
    fewest = changes;
  }
  return best;
}

/** How many characters must be put in, taken out or replaced to make one of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (const [down, character] of [...a].entries()) {
    const next = [down + 1];
    for (let across = 1; across <= b.length; across++) {
      const replaced = (row[across - 1] ?? 0) + (character === b.charAt(across - 1) ? 0 : 1);
      next.push(Math.min(replaced, (row[across] ?? 0) + 1, (next[across - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
