/** Entries of each history that are compared, the latest ones. */
const WINDOW = 100;

/**
 * How alike what went before a recorded request and what went before now are, from 0 to 1: twice the longest common subsequence by
 * the length of both. 1 if both are empty.
 *
 * @param end the number of entries of `recorded` that count
 */
export function contextScore(recorded: readonly string[], end: number, now: readonly string[]): number {
  const left = recorded.slice(Math.max(0, end - WINDOW), end);
  const right = now.slice(-WINDOW);
  const total = left.length + right.length;
  return total === 0 ? 1 : (2 * commonLength(left, right)) / total;
}

/** The length of the longest common subsequence. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  let above = new Uint16Array(right.length + 1);
  for (const one of left) {
    const row = new Uint16Array(right.length + 1);
    for (let place = 1; place <= right.length; place++) {
      row[place] =
        one === right[place - 1]
          ? (above[place - 1] ?? 0) + 1
          : Math.max(above[place] ?? 0, row[place - 1] ?? 0);
    }
    above = row;
  }
  return above[right.length] ?? 0;
}
