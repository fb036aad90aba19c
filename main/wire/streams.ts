import type { Stream } from '#shared/contract/sessions.ts';

/** Streams that have ended, kept to be shown. */
const MOST_ENDED = 20;

/** An event stream as it stands. Of the exchanges it took, `exchange` is the present or the last one. */
export type WireStream = { -readonly [K in keyof Omit<Stream, 'row'>]: Stream[K] };

/** The event streams of one session, those that are open and the last that have ended. */
export class Streams {
  readonly #onChange: () => void;
  #streams: WireStream[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get all(): readonly WireStream[] {
    return this.#streams;
  }

  add(kind: WireStream['kind'], exchange: number): WireStream {
    const stream: WireStream = {
      exchange,
      kind,
      state: 'open',
      events: 0,
      lastEventId: null,
      retry: null,
      resumed: 0,
    };
    const ended = this.#streams.filter(isEnded);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - MOST_ENDED)));
    this.#streams = [...this.#streams.filter((one) => !forgotten.has(one)), stream];
    this.#onChange();
    return stream;
  }

  change(stream: WireStream, change: Partial<WireStream>): void {
    Object.assign(stream, change);
    this.#onChange();
  }
}

const isEnded = ({ state }: WireStream): boolean => state === 'closed' || state === 'refused';
