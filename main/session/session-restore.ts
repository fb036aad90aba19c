import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { outcomeFault } from './rpc/request.ts';
import type { Peer, RequestOptions } from './rpc/peer.ts';
import type { Fault } from '#shared/contract/fault.ts';

/** Requests whose effect a server of the legacy era keeps for the session. */
const restoredMethods: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

interface RestoredRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request that the server answered in the old session and refuses in the new one. */
export interface NotRestored extends RestoredRequest {
  readonly fault: Fault;
}

/**
 * Restores the state of a session that the server has forgotten: its log level and subscriptions (MCP 2025-06-18
 * transports, session management).
 */
export class SessionRestore {
  /** Requests without an answer yet, by row. */
  readonly #asked = new Map<number, RestoredRequest>();
  #level: RestoredRequest | null = null;
  readonly #subscriptions = new Map<string, RestoredRequest>();

  /** Reads a message of either direction. */
  see({ row, direction, envelope, pair }: RecordedMessage): void {
    if ('fault' in envelope) return;
    const { message } = envelope;
    if (direction === 'out' && message.type === 'request' && restoredMethods.has(message.method)) {
      const { method, params } = message;
      if (isObject(params)) this.#asked.set(row, { method, params });
      return;
    }
    if (direction === 'out' || pair === null) return;
    const request = this.#asked.get(pair);
    this.#asked.delete(pair);
    if (request !== undefined && message.type === 'result') this.#keep(request);
  }

  /** Repeats the requests in a new session. Returns those that the server refuses. */
  async restore(peer: Peer, options: RequestOptions): Promise<NotRestored[]> {
    const refused: NotRestored[] = [];
    const requests = [...(this.#level === null ? [] : [this.#level]), ...this.#subscriptions.values()];
    for (const { method, params } of requests) {
      const { _meta, ...own } = params;
      const outcome = await peer.request(method, JSON.stringify(own), options).outcome;
      if (outcome.type === 'result') continue;
      refused.push({ method, params, fault: outcomeFault(method, outcome) });
      if (method === 'resources/subscribe') this.#subscriptions.delete(String(params.uri));
    }
    return refused;
  }

  #keep(request: RestoredRequest): void {
    const uri = String(request.params.uri);
    if (request.method === 'logging/setLevel') this.#level = request;
    else if (request.method === 'resources/subscribe') this.#subscriptions.set(uri, request);
    else this.#subscriptions.delete(uri);
  }
}
