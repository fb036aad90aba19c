import type { Budget } from '#shared/budget.ts';

/** Characters of a text that is not shortened. */
const MAX_LENGTH = 200;

/** Values of JSON as texts with sorted members, so that equal ones have the same text. Each object is written once. */
export class SortedTexts {
  readonly #known = new WeakMap<object, string>();
  readonly #short = new Map<string, string>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Empty for what is missing. */
  of(value: unknown): string {
    if (value === undefined) return '';
    if (typeof value !== 'object' || value === null) return this.#counted(JSON.stringify(value));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? `[${value.map((one) => this.of(one)).join(',')}]`
      : `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => `${JSON.stringify(key)}:${this.of(one)}`)
          .join(',')}}`;
    this.#known.set(value, this.#counted(text));
    return text;
  }

  /** A short text instead of a long one, the same for the same: what references stand for may be of any length. */
  shortened(text: string): string {
    if (text.length <= MAX_LENGTH) return text;
    const known = this.#short.get(text);
    if (known !== undefined) return known;
    const short = `<${this.#short.size}>`;
    this.#short.set(text, short);
    return short;
  }

  #counted(text: string): string {
    this.#budget.take(1, text.length);
    return text;
  }
}
