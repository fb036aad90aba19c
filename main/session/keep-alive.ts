import type { KeepAlive } from '#shared/contract/servers.ts';
import type { Peer } from './rpc/peer.ts';
import type { SessionState } from './session-state.ts';

/** Pings in a row that may stay unanswered before a connection counts as lost. */
const MAX_MISSED = 3;

export interface PingerOptions {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly settings: KeepAlive;
  /** Called when the server does not respond any more, and its settings say to reconnect. */
  readonly onSilent: () => void;
}

/** Sends `ping` at the interval of the settings, one at a time, to check that the server still responds (MCP ping). */
export class Pinger {
  readonly #options: PingerOptions;
  #timer: NodeJS.Timeout | undefined;

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
    const { state, peer, settings, onSilent } = this.#options;
    const timer = this.#timer;
    const { type } = await peer.request('ping', null, state.requestOptions('automatic')).outcome;
    // It was stopped or restarted in the meantime.
    if (this.#timer !== timer || type === 'closed') return;
    // An error is a response, too: the server is alive.
    const missed = type === 'timeout' || type === 'failed' ? state.missedPings + 1 : 0;
    if (missed !== state.missedPings) {
      state.missedPings = missed;
      state.changed();
    }
    if (missed >= MAX_MISSED && settings.onSilence === 'reconnect') onSilent();
    else this.start();
  }
}
