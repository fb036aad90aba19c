import type { Budget } from '#shared/budget.ts';

/** Values of JSON as texts with sorted members, so that equal ones have the same text. Each object is written once. */
export class SortedTexts {
  readonly #known = new WeakMap<object, string>();
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

  #counted(text: string): string {
    this.#budget.take(1, text.length);
    return text;
  }
}
