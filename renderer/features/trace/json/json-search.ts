/** Matches found at most. */
export const MOST_MATCHES = 10_000;
/** Characters looked through between two looks at the clock. */
const SLICE = 256 * 1024;

export interface Match {
  readonly from: number;
  readonly end: number;
}

/** Finds a text, whatever its case, in raw JSON: as it is, or as JSON would write it in a string. */
export class JsonSearch {
  readonly #raw: string;
  readonly #pattern: RegExp;
  readonly #longest: number;
  #from = 0;
  readonly matches: Match[] = [];

  constructor(raw: string, text: string) {
    this.#raw = raw;
    const written = JSON.stringify(text).slice(1, -1);
    const forms = written === text ? [text] : [text, written];
    this.#longest = written.length;
    this.#pattern = new RegExp(
      forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
      'gi',
    );
  }

  get isDone(): boolean {
    return this.#from >= this.#raw.length || this.matches.length >= MOST_MATCHES;
  }

  /** Looks on for so long at most. */
  read(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (!this.isDone) {
      this.#readSlice();
      if (performance.now() >= end) return;
    }
  }

  #readSlice(): void {
    const sliceEnd = this.#from + SLICE;
    // A match may reach beyond the slice.
    const slice = this.#raw.slice(this.#from, sliceEnd + this.#longest);
    let next = sliceEnd;
    for (const { 0: found, index } of slice.matchAll(this.#pattern)) {
      const from = this.#from + index;
      if (from >= sliceEnd) break;
      this.matches.push({ from, end: from + found.length });
      next = Math.max(sliceEnd, from + found.length);
      if (this.matches.length >= MOST_MATCHES) break;
    }
    this.#from = next;
  }
}

/** Which of the matches touch a stretch of the text; they stand in order. */
export function matchesWithin(
  matches: readonly Match[],
  from: number,
  end: number,
): { first: number; end: number } {
  const first = firstWhere(matches, (match) => match.end > from);
  return {
    first,
    end: Math.max(
      first,
      firstWhere(matches, (match) => match.from >= end),
    ),
  };
}

/** The first match for which this holds, as it does for all after it. */
export function firstWhere(matches: readonly Match[], holds: (match: Match) => boolean): number {
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const match = matches[middle];
    if (match !== undefined && !holds(match)) low = middle + 1;
    else high = middle;
  }
  return low;
}
