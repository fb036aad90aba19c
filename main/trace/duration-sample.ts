/** How many durations are kept. */
const MAX_KEPT = 1000;

export interface DurationsState {
  readonly kept: readonly number[];
  /** Index of the next one. */
  readonly next: number;
}

/** The newest durations, for a median in constant time however long a session runs. */
export class DurationSample {
  readonly #durations: number[] = [];
  #next = 0;

  add(microseconds: number): void {
    this.#durations[this.#next] = microseconds;
    this.#next = (this.#next + 1) % MAX_KEPT;
  }

  /** The durations as plain values. */
  get state(): DurationsState {
    return { kept: this.#durations, next: this.#next };
  }

  /** Takes over earlier durations. This must be empty. */
  restore({ kept, next }: DurationsState): void {
    this.#durations.push(...kept.slice(0, MAX_KEPT));
    this.#next = next % MAX_KEPT;
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
