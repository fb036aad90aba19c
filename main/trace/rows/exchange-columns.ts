import type { LinePlace } from '#trace/file/line-source.ts';

/** What an exchange has one record of, beside its request. */
export const exchangeSteps = ['connected', 'response', 'end'] as const;
export type ExchangeStep = (typeof exchangeSteps)[number];

const FIRST_CAPACITY = 64;

/** All exchanges as plain values, as a file can keep them. */
export interface ExchangesState {
  readonly row: Uint32Array<ArrayBuffer>;
  readonly isAtHome: Uint8Array<ArrayBuffer>;
  readonly offset: Readonly<Record<ExchangeStep, Float64Array<ArrayBuffer>>>;
  readonly length: Readonly<Record<ExchangeStep, Uint32Array<ArrayBuffer>>>;
  readonly elsewhere: readonly (readonly [exchange: number, place: number])[];
  readonly interim: readonly (readonly [exchange: number, places: LinePlace[]])[];
}

/** Where the records of each HTTP exchange stand, as typed columns: about 40 bytes an exchange. */
export class ExchangeColumns {
  #count = 0;
  #row = new Uint32Array(FIRST_CAPACITY);
  /** Whether the exchange stands where its id says. */
  #isAtHome = new Uint8Array(FIRST_CAPACITY);
  readonly #offset = ofEachStep(() => new Float64Array(FIRST_CAPACITY));
  /** 0 when there is no such record. */
  readonly #length = ofEachStep(() => new Uint32Array(FIRST_CAPACITY));
  /** Ids count from 1, so their order tells the place; in a file that somebody else wrote they may not. */
  readonly #elsewhere = new Map<number, number>();
  /** Informational responses, which are rare. */
  readonly #interim = new Map<number, LinePlace[]>();

  /** All there is, as views of these columns. */
  get state(): ExchangesState {
    const count = this.#count;
    return {
      row: this.#row.subarray(0, count),
      isAtHome: this.#isAtHome.subarray(0, count),
      offset: ofEachStep((step) => this.#offset[step].subarray(0, count)),
      length: ofEachStep((step) => this.#length[step].subarray(0, count)),
      elsewhere: [...this.#elsewhere],
      interim: [...this.#interim],
    };
  }

  /** Takes over all exchanges of a trace, in place of none. Nobody else may use these columns. */
  restore(state: ExchangesState): void {
    // What has no capacity cannot be doubled.
    if (state.row.length === 0) return;
    this.#count = state.row.length;
    this.#row = state.row;
    this.#isAtHome = state.isAtHome;
    for (const step of exchangeSteps) {
      this.#offset[step] = state.offset[step];
      this.#length[step] = state.length[step];
    }
    for (const [exchange, place] of state.elsewhere) this.#elsewhere.set(exchange, place);
    for (const [exchange, places] of state.interim) this.#interim.set(exchange, [...places]);
  }

  /** Adds an exchange with the row it is. */
  add(exchange: number, row: number): void {
    if (this.#count === this.#row.length) this.#grow();
    const place = this.#count++;
    this.#row[place] = row;
    if (exchange - 1 === place) this.#isAtHome[place] = 1;
    else this.#elsewhere.set(exchange, place);
  }

  /** The exchange's own row; null when its request is not on record. */
  row(exchange: number): number | null {
    const place = this.#placeOf(exchange);
    return place === null ? null : (this.#row[place] ?? null);
  }

  /** The exchange that a row is; null when that is not known without its record. */
  idOf(row: number): number | null {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#row[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && this.#row[low] === row && this.#isAtHome[low] === 1 ? low + 1 : null;
  }

  setRecord(exchange: number, step: ExchangeStep, { offset, length }: LinePlace): void {
    const place = this.#placeOf(exchange);
    if (place === null) return;
    this.#offset[step][place] = offset;
    this.#length[step][place] = length;
  }

  /** Where the record of a step stands; null when it has not come. */
  record(exchange: number, step: ExchangeStep): LinePlace | null {
    const place = this.#placeOf(exchange);
    const length = place === null ? 0 : (this.#length[step][place] ?? 0);
    if (place === null || length === 0) return null;
    return { offset: this.#offset[step][place] ?? 0, length };
  }

  addInterim(exchange: number, { offset, length }: LinePlace): void {
    const known = this.#interim.get(exchange);
    if (known === undefined) this.#interim.set(exchange, [{ offset, length }]);
    else known.push({ offset, length });
  }

  /** All responses in their order, the final one last. */
  responses(exchange: number): LinePlace[] {
    const final = this.record(exchange, 'response');
    return [...(this.#interim.get(exchange) ?? []), ...(final === null ? [] : [final])];
  }

  #placeOf(exchange: number): number | null {
    // An id that came twice means the later exchange.
    const place = this.#elsewhere.get(exchange) ?? exchange - 1;
    if (place < this.#count && (this.#isAtHome[place] === 1 || this.#elsewhere.has(exchange))) return place;
    return null;
  }

  #grow(): void {
    const capacity = this.#row.length * 2;
    this.#row = grown(this.#row, new Uint32Array(capacity));
    this.#isAtHome = grown(this.#isAtHome, new Uint8Array(capacity));
    for (const step of exchangeSteps) {
      this.#offset[step] = grown(this.#offset[step], new Float64Array(capacity));
      this.#length[step] = grown(this.#length[step], new Uint32Array(capacity));
    }
  }
}

export const ofEachStep = <C>(make: (step: ExchangeStep) => C): Record<ExchangeStep, C> => ({
  connected: make('connected'),
  response: make('response'),
  end: make('end'),
});

function grown<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
