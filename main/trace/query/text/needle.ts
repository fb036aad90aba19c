import { fold } from '#shared/trace/filter/fold.ts';

/** A text to look for, prepared so that it can be looked for in lines of the file before they are read. */
export interface Needle {
  /** Folded, as `fold` folds what it is compared with. */
  readonly text: string;
  /** The bytes it has on record within a JSON string, folded; null when it is not ASCII. */
  readonly escaped: Buffer | null;
  /**
   * Its longest run of characters that JSON leaves as they are and that no join of ours is made of, with
   * `FOLD_BIT` set in each byte. Where it is missing the text is missing too. Null when there is none.
   */
  readonly probe: Buffer | null;
  /** Where the probe begins in `escaped`. */
  readonly probeAt: number;
  /** The same run as text. */
  readonly probeText: string;
}

/** Makes a lower case letter of an upper case one, and of other bytes something that is checked later. */
export const FOLD_BIT = 0x20;

// Neither of a header line nor of a status line is the colon or the space between its parts on record.
const RUNS = /[!#-9;-[\]-~]+/g;
const NOT_ASCII = /[^\0-\x7f]/;

export function needleOf(written: string): Needle {
  const text = fold(written);
  const isAscii = !NOT_ASCII.test(text);
  const escaped = isAscii ? Buffer.from(escapedText(text)) : null;
  const runs = [...text.matchAll(RUNS)];
  const [longest] = runs.sort((a, b) => b[0].length - a[0].length);
  if (longest === undefined) return { text, escaped, probe: null, probeAt: 0, probeText: '' };
  const [probeText] = longest;
  const probe = Buffer.from(probeText).map((byte) => byte | FOLD_BIT);
  const probeAt = escapedText(text.slice(0, longest.index)).length;
  return { text, escaped, probe: Buffer.from(probe), probeAt, probeText };
}

/** As it stands between the quotes of a JSON string. */
export const escapedText = (text: string): string => JSON.stringify(text).slice(1, -1);
