import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Seen } from '#trace/rows/row-index.ts';
import { outcomeFault } from './rpc/outcome.ts';
import type { Peer, RequestOptions } from './rpc/peer.ts';
import type { Fault } from '#shared/contract/fault.ts';

/** Requests by which a client tells a server of the legacy era what it wants from then on. */
const wishMethods: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

interface Wish {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * What the server was told to keep in mind for its session: the log level and subscriptions. When it forgets the
 * session, it is told again (MCP 2025-06-18 transports, session management).
 */
export class KeptWishes {
  /** Asked for and not answered yet, by the row of the request. */
  readonly #asked = new Map<number, Wish>();
  #level: Wish | null = null;
  readonly #subscriptions = new Map<string, Wish>();

  /** Takes a message of either direction. */
  see({ row, direction, envelope, pair }: Seen): void {
    if ('fault' in envelope) return;
    const { message } = envelope;
    if (direction === 'out' && message.type === 'request' && wishMethods.has(message.method)) {
      const { method, params } = message;
      if (isObject(params)) this.#asked.set(row, { method, params });
      return;
    }
    if (direction === 'out' || pair === null) return;
    const wish = this.#asked.get(pair);
    this.#asked.delete(pair);
    if (wish !== undefined && message.type === 'result') this.#keep(wish);
  }

  /** Tells a new session of the server what the old one knew; gives what it refused. */
  async restore(peer: Peer, options: RequestOptions): Promise<Fault[]> {
    const faults: Fault[] = [];
    const wishes = [...(this.#level === null ? [] : [this.#level]), ...this.#subscriptions.values()];
    for (const { method, params } of wishes) {
      const { _meta, ...own } = params;
      const outcome = await peer.request(method, JSON.stringify(own), options).outcome;
      if (outcome.type !== 'result') faults.push(outcomeFault(method, outcome));
    }
    return faults;
  }

  #keep(wish: Wish): void {
    const uri = String(wish.params.uri);
    if (wish.method === 'logging/setLevel') this.#level = wish;
    else if (wish.method === 'resources/subscribe') this.#subscriptions.set(uri, wish);
    else this.#subscriptions.delete(uri);
  }
}
