const KEPT = 1000;

/** The newest durations, for a median that costs the same however long a session runs. */
export class DurationSample {
  readonly #durations: number[] = [];
  #next = 0;

  add(microseconds: number): void {
    this.#durations[this.#next] = microseconds;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** Median microseconds; null before the first. */
  median(): number | null {
    if (this.#durations.length === 0) return null;
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const upper = sorted[sorted.length >> 1] ?? 0;
    const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
    return (lower + upper) / 2;
  }
}
