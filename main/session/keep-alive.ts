import type { KeepAlive } from '#shared/contract/servers.ts';
import type { Peer } from './rpc/peer.ts';

/** Pings in a row that may stay unanswered before a connection counts as lost. */
const MOST_MISSED = 3;

export interface PingerOptions {
  readonly peer: Peer;
  readonly settings: KeepAlive;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
  /** How many pings in a row were not answered. */
  readonly onMissed: (missed: number) => void;
  /** The server is silent, and is to be reconnected to. */
  readonly onSilent: () => void;
}

/** Sends `ping` now and then, one at a time, to see whether the other side is still there (MCP ping). */
export class Pinger {
  readonly #options: PingerOptions;
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;

  constructor(options: PingerOptions) {
    this.#options = options;
  }

  start(): void {
    const { every } = this.#options.settings;
    this.stop();
    if (every !== null) this.#timer = setTimeout(() => void this.#ping(), every).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #ping(): Promise<void> {
    const { peer, timeout, settings, onMissed, onSilent } = this.#options;
    const timer = this.#timer;
    const options = { origin: 'automatic' as const, timeout, maxTimeout: timeout };
    const { type } = await peer.request('ping', null, options).outcome;
    // Stopped, or started again, meanwhile.
    if (this.#timer !== timer || type === 'closed') return;
    // An error is an answer too: somebody is there.
    const missed = type === 'timeout' || type === 'undelivered' ? this.#missed + 1 : 0;
    if (missed !== this.#missed) onMissed(missed);
    this.#missed = missed;
    if (missed >= MOST_MISSED && settings.onSilence === 'reconnect') onSilent();
    else this.start();
  }
}
