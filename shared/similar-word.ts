/** Limit of characters of a word; longer ones are not compared. */
const MAX_LENGTH = 32;

/**
 * The word that was probably meant: one that begins with the written text or contains it, or else the one with the
 * fewest changes, at most one in three characters. Ignores case. Null if none is similar.
 */
export function similarWord(written: string, words: readonly string[]): string | null {
  const wanted = written.toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return null;
  const begun =
    words.find((word) => word.startsWith(wanted)) ??
    (wanted.length > 2 ? words.find((word) => word.includes(wanted)) : undefined);
  if (begun !== undefined) return begun;
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const word of words) {
    // Every character more or less is a change.
    if (Math.abs(word.length - wanted.length) >= fewest) continue;
    const changes = distance(wanted, word.toLowerCase());
    if (changes >= fewest) continue;
    best = word;
    fewest = changes;
  }
  return best;
}

/** How many characters must be inserted, removed, replaced or swapped with their neighbor (Damerau-Levenshtein). */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const swapped = line > 1 && column > 1 && isSwap ? (before[column - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? Number.POSITIVE_INFINITY;
}
