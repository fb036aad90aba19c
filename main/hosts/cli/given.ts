import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './exit-codes.ts';

/** Characters of a given text that a message quotes: enough to recognize it, and the message stays readable. */
const LONGEST_QUOTE = 80;

/** What the user typed, in quotation marks for a message; only the beginning of a long text. */
export function quoted(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST_QUOTE) return `"${text}"`;
  return `"${characters.slice(0, LONGEST_QUOTE).join('')}…" (${characters.length} characters)`;
}

/** Shortens everything long that a message of the argument parser quotes. */
export const withShortQuotes = (message: string): string =>
  message.replace(/'([^']+)'/g, (whole, text: string) =>
    text.length > LONGEST_QUOTE ? `'${text.slice(0, LONGEST_QUOTE)}…' (${text.length} characters)` : whole,
  );

/** An option as the user writes it: `--answer-delay` for `answerDelay`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * The full path of a folder that must exist.
 *
 * @param option what it was given for, to name it in the message
 * @throws UsageError
 */
export function existingFolder(option: string, folder: string): string {
  const path = resolve(folder);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return path;
  throw new UsageError(
    `${option}: ${found === undefined ? 'there is no folder' : 'this is a file, not a folder:'} ${quoted(path)}`,
  );
}

/** The word among these that was probably meant, or null. */
export function closest(word: string, words: readonly string[]): string | null {
  // A word that was half typed, or mistyped in a third of its letters.
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = words
    .map((one) => ({ one, distance: one.startsWith(word) ? 0 : distanceOf(word, one) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.one ?? null;
}

/** How many letters have to be added, left out, replaced or swapped with their neighbor. */
function distanceOf(from: string, to: string): number {
  // A longer word is not similar to any of ours, however long its comparison would take.
  if (Math.abs(from.length - to.length) > to.length) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const cost = from[line - 1] === to[column - 1] ? 0 : 1;
      let least = Math.min(
        (row[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (row[column - 1] ?? 0) + cost,
      );
      if (line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1);
      }
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? Number.POSITIVE_INFINITY;
}
