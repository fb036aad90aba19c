import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { type CallComparison, MAX_COMPARED_CALLS } from '#shared/contract/comparison.ts';
import { reportFault } from '#ui/toaster.tsx';

/** Calls of a comparison that are held; more than a screen shows. */
const MAX_HELD = 2000;

/** Reads calls of a comparison that the engine keeps, as far as they are shown. */
export class ComparedCalls {
  readonly #comparisonId: string;
  readonly #held = new Map<number, CallComparison>();
  readonly #wanted = new Set<number>();
  #isReading = false;
  #onRead: () => void = () => undefined;

  constructor(comparisonId: string) {
    this.#comparisonId = comparisonId;
  }

  /** A call by its index; undefined until it is read. */
  at(place: number): CallComparison | undefined {
    return this.#held.get(place);
  }

  /** Reads calls that are not held yet, and keeps the others: those that were not wanted for the longest time go first. */
  want(places: readonly number[]): void {
    for (const place of places) {
      const held = this.#held.get(place);
      if (held === undefined) {
        this.#wanted.add(place);
        continue;
      }
      this.#held.delete(place);
      this.#held.set(place, held);
    }
    if (this.#wanted.size > 0 && !this.#isReading) reportFault(this.#read());
  }

  /** Calls back when calls were read, until the function it returns is called. */
  listen(onRead: () => void): () => void {
    this.#onRead = onRead;
    return () => {
      this.#onRead = () => undefined;
    };
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted.size > 0) {
        // The latest places first: earlier ones may be out of view.
        const places = [...this.#wanted].slice(-MAX_COMPARED_CALLS);
        for (const place of places) this.#wanted.delete(place);
        const calls = await call('comparison/calls', { comparisonId: this.#comparisonId, places });
        for (const [index, place] of places.entries()) {
          const one = calls[index];
          if (one !== undefined) this.#held.set(place, one);
        }
        for (const oldest of this.#held.keys()) {
          if (this.#held.size <= MAX_HELD) break;
          this.#held.delete(oldest);
        }
        this.#onRead();
      }
    } finally {
      this.#wanted.clear();
      this.#isReading = false;
    }
  }
}

/** The calls of a comparison; renders again when some were read. */
export function useComparedCalls(comparisonId: string): ComparedCalls {
  const [calls, setCalls] = useState(() => new ComparedCalls(comparisonId));
  const [of, setOf] = useState(comparisonId);
  const [, setReads] = useState(0);
  if (of !== comparisonId) {
    setOf(comparisonId);
    setCalls(new ComparedCalls(comparisonId));
  }
  useEffect(() => calls.listen(() => setReads((reads) => reads + 1)), [calls]);
  return calls;
}
