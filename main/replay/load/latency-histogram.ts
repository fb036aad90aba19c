import type { StepLatency } from '#shared/contract/load.ts';

/** Buckets for each doubling: a percentile is at most 2.2 % above the value. */
const PER_DOUBLING = 32;
const DOUBLINGS = 40;

/** Latencies in buckets that grow with them, so that a million calls take no more memory than one. */
export class LatencyHistogram {
  readonly #buckets = new Uint32Array(PER_DOUBLING * DOUBLINGS);
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** @param microseconds one latency */
  add(microseconds: number): void {
    const value = Math.max(0, microseconds);
    const place = Math.min(this.#buckets.length - 1, Math.floor(Math.log2(value + 1) * PER_DOUBLING));
    this.#buckets[place] = (this.#buckets[place] ?? 0) + 1;
    this.#count++;
    this.#max = Math.max(this.#max, value);
  }

  /** The latency that this share of the calls does not exceed. @param share from 0 to 1 */
  percentile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.#count));
    for (const [place, count] of this.#buckets.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, endOf(place));
    }
    return this.#max;
  }

  view(step: StepLatency['step']): StepLatency {
    return {
      step,
      count: this.#count,
      p50: this.percentile(0.5),
      p90: this.percentile(0.9),
      p95: this.percentile(0.95),
      p99: this.percentile(0.99),
      max: this.#max,
      buckets: this.#doublings(),
    };
  }

  /** The counts of each doubling, without the empty ones at both ends. */
  #doublings(): StepLatency['buckets'] {
    const all = Array.from({ length: DOUBLINGS }, (_, doubling) => {
      const part = this.#buckets.subarray(doubling * PER_DOUBLING, (doubling + 1) * PER_DOUBLING);
      return { below: 2 ** (doubling + 1) - 1, count: part.reduce((sum, count) => sum + count, 0) };
    });
    const first = all.findIndex(({ count }) => count > 0);
    const last = all.findLastIndex(({ count }) => count > 0);
    return first === -1 ? [] : all.slice(first, last + 1);
  }
}

const endOf = (place: number): number => 2 ** ((place + 1) / PER_DOUBLING) - 1;
