/** Numbers that look random and are the same for the same seed, on every machine (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 to `count` - 1. */
  below(count: number): number {
    return this.next() % count;
  }

  /** From 0 up to, but not including, 1. */
  fraction(): number {
    return this.next() / 2 ** 32;
  }
}
