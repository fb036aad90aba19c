import { isSameJson } from '#shared/json/same-json.ts';
import { isJson } from '#shared/json/tokens.ts';

/** What a client sent in a recording, and how much of it a client has sent now. */
export interface Sent {
  /** The place of its record in the file. */
  readonly seq: number;
}

/** Holds back what the server did until the client has sent what the recording has before it. */
export class Gate<S extends Sent> {
  readonly #all: readonly S[];
  readonly #come = new Set<S>();
  /** All before this place have come. */
  #first = 0;
  #waiting: { readonly before: number; readonly pass: () => void }[] = [];

  /** @param all in the order of the recording */
  constructor(all: readonly S[]) {
    this.#all = all;
  }

  /** What has not come, in the order of the recording. @param most limit of how many */
  missing(most = Number.POSITIVE_INFINITY): S[] {
    const missing: S[] = [];
    for (let place = this.#first; place < this.#all.length && missing.length < most; place++) {
      const one = this.#all[place];
      if (one !== undefined && !this.#come.has(one)) missing.push(one);
    }
    return missing;
  }

  come(sent: S): void {
    this.#come.add(sent);
    for (
      let one = this.#all[this.#first];
      one !== undefined && this.#come.has(one);
      one = this.#all[this.#first]
    )
      this.#first++;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ before }) => !this.isPassed(before));
    for (const { before, pass } of waiting) if (this.isPassed(before)) pass();
  }

  /** Whether everything that is recorded before this place has come. */
  isPassed(before: number): boolean {
    const first = this.#all[this.#first];
    return first === undefined || first.seq > before;
  }

  /** Resolves once everything that is recorded before this place has come. */
  passed(before: number): Promise<void> {
    if (this.isPassed(before)) return Promise.resolve();
    return new Promise((pass) => this.#waiting.push({ before, pass }));
  }
}

/** Whether two texts are equal, as JSON if they are JSON. */
export const isSameText = (one: string, other: string): boolean =>
  one === other || (isJson(one) && isJson(other) && isSameJson(one, other));
