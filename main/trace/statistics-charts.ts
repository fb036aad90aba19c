import type { Statistics } from '#shared/contract/trace.ts';

type Durations = Statistics['durations'];
type Sizes = Statistics['sizes'];

/** Within each power of ten; every limit can be written as a filter. */
const STEPS = [1, 2, 5] as const;

/** How many requests took how long, in classes whose limits are 1, 2 and 5 of each power of ten. */
export class DurationHistogram {
  /** Counts by class: three for each power of ten of microseconds. */
  readonly #counts = new Map<number, number>();

  /** @param duration microseconds */
  add(duration: number): void {
    const at = classOf(duration);
    this.#counts.set(at, (this.#counts.get(at) ?? 0) + 1);
  }

  /** From the first class with a request to the last; the empty ones between are among them. */
  toView(): Durations {
    const used = [...this.#counts.keys()];
    if (used.length === 0) return [];
    const first = Math.min(...used);
    return Array.from({ length: Math.max(...used) - first + 1 }, (_, index) => ({
      from: limitOf(first + index),
      to: limitOf(first + index + 1),
      count: this.#counts.get(first + index) ?? 0,
    }));
  }
}

/** Less than a microsecond counts as one. */
function classOf(duration: number): number {
  const power = Math.floor(Math.log10(Math.max(1, duration)));
  // The logarithm of a power of ten may be a little less than it is.
  let at = Math.max(0, power * STEPS.length - 1);
  while (limitOf(at + 1) <= duration) at++;
  return at;
}

const limitOf = (at: number): number => (STEPS[at % STEPS.length] ?? 1) * 10 ** Math.floor(at / STEPS.length);

/** Bars of the chart of sizes. */
const MAX_PARTS = 60;

/** The bytes of messages in equal parts of a span of time. */
export class SizesOverTime {
  readonly #start: number;
  readonly #length: number;
  readonly #parts: { in: number; out: number }[];

  /** @param start microseconds, as rows have it @param span microseconds */
  constructor(start: number, span: number) {
    this.#start = start;
    const count = span === 0 ? 1 : MAX_PARTS;
    this.#length = span / count;
    this.#parts = Array.from({ length: count }, () => ({ in: 0, out: 0 }));
  }

  add(at: number, direction: 'in' | 'out', bytes: number): void {
    const index = this.#length === 0 ? 0 : Math.floor((at - this.#start) / this.#length);
    // The last row is at the very end, and a clock may have been set back.
    const part = this.#parts[Math.min(Math.max(0, index), this.#parts.length - 1)];
    if (part !== undefined) part[direction] += bytes;
  }

  toView(): Sizes {
    return this.#parts.map((part, index) => ({
      at: index * this.#length,
      bytesIn: part.in,
      bytesOut: part.out,
    }));
  }
}
