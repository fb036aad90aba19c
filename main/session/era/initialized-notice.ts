import type { Switches } from '#shared/contract/sessions.ts';
import type { Peer } from '#session/rpc/peer.ts';

/** Says `notifications/initialized` (MCP lifecycle, initialization): at once, later or never, as the switches are. */
export class InitializedNotice {
  readonly #peer: Peer;
  readonly #switches: () => Switches;
  #delay: NodeJS.Timeout | undefined;

  constructor(peer: Peer, switches: () => Switches) {
    this.#peer = peer;
    this.#switches = switches;
  }

  /** Gives what settles once the server has taken it; null when that is not to be waited for. */
  say(): Promise<unknown> | null {
    const { initialized } = this.#switches();
    const say = () => this.#peer.notify('notifications/initialized', undefined, 'automatic');
    this.stop();
    if (initialized.how === 'send') return say();
    if (initialized.how === 'delay') this.#delay = setTimeout(() => void say(), initialized.milliseconds);
    return null;
  }

  /** It is not said any more. */
  stop(): void {
    clearTimeout(this.#delay);
  }
}
