import { setTimeout as delay } from 'node:timers/promises';
import { isJson } from '#shared/json/tokens.ts';
import { SeededRandom } from '#shared/seeded-random.ts';
import type { Recording } from '#replay/mock/recording.ts';
import type { InjectedFault } from './read-faults.ts';

/** A message of the server that is about to be sent. */
export interface OutgoingMessage {
  readonly recording: Recording;
  readonly row: number;
  /** Its method, or that of the request it responds to. */
  readonly method: string;
  /** The tool, prompt or URI of that request. */
  readonly target: string | null;
  readonly isResponse: boolean;
  readonly text: string;
  /** Called for each fault that is injected into it. */
  readonly onFault?: ((injected: Injected) => void) | undefined;
}

/** How it is sent. */
export interface Delivery {
  send(text: string): void;
  /** Sends a copy of it ahead. */
  sendBefore(text: string): void;
  /** Sends a part of it and ends the connection. */
  cut(text: string): void;
  /** Ends its request with an error of HTTP. */
  fail(status: number): void;
  /** Sends nothing. */
  drop(): void;
}

/** What is sent of a text when the connection is cut. */
export function firstHalf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return bytes.subarray(0, bytes.length >> 1);
}

/** A fault that was injected. */
export interface Injected {
  readonly do: InjectedFault['do'];
  /** The line of the file that says so. */
  readonly line: number;
  readonly file: string;
  readonly row: number;
}

/** Injects faults into what one client is sent. The same seed gives the same faults for the same messages. */
export class FaultInjector {
  readonly #faults: readonly InjectedFault[];
  readonly #random: SeededRandom;
  readonly #note: (injected: Injected) => void;
  /** Messages that wait for another one to be sent, by its key. */
  readonly #held = new Map<string, (() => void)[]>();
  /** Responses that wait to be sent in another order. */
  #shuffled: (() => void)[] = [];
  /** How many responses were sent together the last time. */
  #shuffleCount = 0;
  #flushing: NodeJS.Timeout | undefined;

  constructor(faults: readonly InjectedFault[], seed: number, note: (injected: Injected) => void) {
    this.#faults = faults;
    this.#random = new SeededRandom(seed);
    this.#note = note;
  }

  /**
   * Sends a message as the faults want it; resolves once what follows it for the same request may be sent, with whether the message is
   * held until another one is sent.
   *
   * @param pending the number of requests that have no response yet, this one included
   */
  async deliver(
    message: OutgoingMessage,
    to: Delivery,
    pending: () => number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const own = this.#faults.filter((fault) => this.#applies(fault, message));
    for (const fault of own) this.#noteOf(fault, message);
    for (const fault of own) {
      if (fault.do === 'delay') await delay(fault.by, undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return false;
    const reordering = this.#faults.find((fault) => fault.do === 'reorder');
    if (reordering?.do === 'reorder' && message.isResponse && own.length === 0) {
      await this.#reorder(pending, reordering.within);
      if (this.#shuffleCount > 1) this.#noteOf(reordering, message);
    }
    const hold = own.find((fault) => fault.do === 'hold');
    const send = (): void => {
      this.#send(own, message.text, to);
      this.#release(keyOf(message.recording, message.row));
    };
    if (hold?.do === 'hold') put(this.#held, keyOf(message.recording, hold.until - 1), send);
    else send();
    return hold !== undefined;
  }

  #noteOf({ do: what, line }: InjectedFault, { recording, row, onFault }: OutgoingMessage): void {
    const injected = { do: what, line, file: recording.name, row };
    this.#note(injected);
    onFault?.(injected);
  }

  #applies(fault: InjectedFault, { recording, row, method, target }: OutgoingMessage): boolean {
    if (fault.do === 'reorder') return false;
    if (fault.file !== undefined && fault.file !== recording.name) return false;
    if (fault.at !== undefined && fault.at !== row + 1) return false;
    if (fault.do === 'hold') return true;
    if (fault.method !== undefined && fault.method !== method) return false;
    if (fault.name !== undefined && fault.name !== target) return false;
    return fault.chance === undefined || this.#random.fraction() < fault.chance;
  }

  #send(own: readonly InjectedFault[], text: string, to: Delivery): void {
    const has = (what: InjectedFault['do']): boolean => own.some((fault) => fault.do === what);
    const failing = own.find((fault) => fault.do === 'status');
    if (has('drop')) {
      to.drop();
      return;
    }
    if (failing?.do === 'status') {
      to.fail(failing.status);
      return;
    }
    const sent = has('corrupt') ? this.#corrupted(text) : text;
    if (has('cut')) {
      to.cut(sent);
      return;
    }
    if (has('duplicate')) to.sendBefore(sent);
    to.send(sent);
  }

  /** The text with one of its brackets, quotes and the like replaced, so that it is no JSON. */
  #corrupted(text: string): string {
    const places = [...text.matchAll(/^[{[]|[}\]]$/g)].map(({ index }) => index);
    const inner = [...text.matchAll(/":/g)].map(({ index }) => index + 1);
    const all = [...places, ...inner];
    const place = all[this.#random.below(Math.max(1, all.length))] ?? 0;
    const corrupted = `${text.slice(0, place)}#${text.slice(place + 1)}`;
    // A colon inside a string changes nothing.
    return isJson(corrupted) ? `#${text.slice(1)}` : corrupted;
  }

  #release(key: string): void {
    const held = this.#held.get(key) ?? [];
    this.#held.delete(key);
    for (const send of held) send();
  }

  /** Resolves in an order of chance with the other responses that wait, once all pending requests have one or the time is over. */
  #reorder(pending: () => number, within: number): Promise<void> {
    return new Promise((pass) => {
      this.#shuffled.push(pass);
      clearTimeout(this.#flushing);
      // Once this one waits like the others, so that their order is the order of resolving.
      if (this.#shuffled.length >= pending()) queueMicrotask(() => this.#flush());
      else this.#flushing = setTimeout(() => this.#flush(), within);
    });
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    const waiting = this.#shuffled.splice(0);
    this.#shuffleCount = waiting.length;
    while (waiting.length > 0) waiting.splice(this.#random.below(waiting.length), 1)[0]?.();
  }
}

const keyOf = ({ name }: Recording, row: number): string => `${name} ${row}`;

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
