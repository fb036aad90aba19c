/**
 * A map whose entries come and go fast, in the order in which they were added.
 *
 * V8 gives a `Map` a new table every few insertions, and the old table refers to the new one and to all it held. Once a table is
 * in the old generation, everything that was deleted since is kept and copied until the next full garbage collection. Here the
 * tables hold numbers only, and a deleted value is gone at once.
 */
export class ShortLivedMap<K, V> {
  /** Where in `#values` the value of each key is. */
  readonly #places = new Map<K, number>();
  readonly #values: (V | undefined)[] = [];
  readonly #freePlaces: number[] = [];

  get size(): number {
    return this.#places.size;
  }

  get(key: K): V | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#values[place];
  }

  set(key: K, value: V): void {
    const place = this.#places.get(key) ?? this.#freePlaces.pop() ?? this.#values.length;
    this.#places.set(key, place);
    this.#values[place] = value;
  }

  /** Returns the value that was deleted; undefined if there was none. */
  delete(key: K): V | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const value = this.#values[place];
    this.#places.delete(key);
    this.#values[place] = undefined;
    this.#freePlaces.push(place);
    return value;
  }

  /** Entries may be deleted while the keys are walked. */
  keys(): IterableIterator<K> {
    return this.#places.keys();
  }

  *values(): Generator<V> {
    for (const place of this.#places.values()) {
      const value = this.#values[place];
      if (value !== undefined) yield value;
    }
  }
}
