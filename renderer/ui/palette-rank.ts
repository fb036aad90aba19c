import type { Shortcut } from './shortcut.ts';

/** A line of the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly shortcut?: Shortcut;
  readonly keywords?: readonly string[];
  /** Whether it removes something: Enter runs it only after the user has moved to it. */
  readonly isDestructive?: true;
  readonly run: () => void;
}

export const searchedTexts = ({ title, group, keywords = [] }: PaletteEntry): string[] => [
  title,
  group,
  ...keywords,
];

/**
 * Ranks a command against the typed text; 0 hides it. Every typed word must occur in the command, at worst as letters of the
 * title in their order.
 */
export function rank(_id: string, typed: string, texts: readonly string[] = []): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const [title = '', ...others] = texts.map((text) => text.toLowerCase());
  let score = 1;
  for (const word of words) {
    if (title.startsWith(word)) continue;
    if (title.includes(` ${word}`)) score *= 0.9;
    else if (others.some((text) => text.startsWith(word))) score *= 0.6;
    else if (title.includes(word)) score *= 0.5;
    else if (others.some((text) => text.includes(word))) score *= 0.4;
    else if (hasLetters(title, word)) score *= 0.1;
    else return 0;
  }
  return score;
}

/** Shorter words are in nearly every title. */
const MIN_FUZZY = 3;

/**
 * Whether a title has the letters of a word in order. Letters of a title's word count only after its first one: `plt` and `plntrp`
 * find `Plan a trip`, `lnt` does not.
 */
function hasLetters(title: string, word: string): boolean {
  if (word.length < MIN_FUZZY) return false;
  const words = [...title.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  const starts = words.map(({ start }) => start);
  /** Where the next letter may be. */
  let places = new Set(starts);
  for (const letter of word.split('')) {
    const found = [...places].filter((place) => title.charAt(place) === letter);
    if (found.length === 0) return false;
    places = new Set();
    for (const place of found) {
      const end = words.find((one) => place < one.end)?.end ?? place;
      for (let later = place + 1; later < end; later++) places.add(later);
      for (const start of starts) if (start > place) places.add(start);
    }
  }
  return true;
}

/** The share by which the entry chosen last rises; the ones before it by less. */
const RECENT_RISE = 0.5;

/** A rank that lets entries rise that were chosen lately, the latest first in the list. */
export const rankWithRecent =
  (recent: readonly string[]) =>
  (id: string, typed: string, texts: readonly string[] = []): number => {
    const place = recent.indexOf(id);
    const rise = place === -1 ? 0 : RECENT_RISE * (1 - place / recent.length);
    return rank(id, typed, texts) * (1 + rise);
  };
