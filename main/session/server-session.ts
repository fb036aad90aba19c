import type { WireEvent } from '#wire/transport.ts';

const SESSION_ID = 'mcp-session-id';

/**
 * The session that a server of the legacy era keeps for us behind HTTP: its id, from the answer to `initialize`
 * until the server has forgotten it (MCP 2025-06-18 transports, session management).
 */
export class ServerSession {
  #id: string | null = null;
  /** Exchanges that carry `initialize`; those they are redirected to as well. */
  readonly #opening = new Set<number>();
  /** POSTs that name our session; the server answers 404 when it has forgotten it. */
  readonly #naming = new Set<number>();
  readonly #expired = new Set<number>();

  get id(): string | null {
    return this.#id;
  }

  /** From now on there is none, until `initialize` is answered again. */
  forget(): void {
    this.#id = null;
  }

  /** The answer of this exchange may open a session. */
  opensBy(exchange: number): void {
    this.#opening.add(exchange);
  }

  /** It was answered as a request of a session is, whatever the status. */
  wasAnswered(exchange: number): void {
    this.#expired.delete(exchange);
  }

  /** Takes what the transport saw. True once the server has let the session expire. */
  see(event: WireEvent): boolean {
    switch (event.kind) {
      case 'http-request': {
        if (event.redirectOf !== undefined && this.#opening.has(event.redirectOf))
          this.opensBy(event.exchange);
        const named = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
        const isOurs = named !== undefined && named === this.#id && event.method === 'POST';
        if (isOurs) this.#naming.add(event.exchange);
        return false;
      }
      case 'http-response': {
        if (event.interim) return false;
        if (this.#opening.has(event.exchange)) {
          const id = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
          if (id !== undefined) this.#id = id;
        }
        if (event.status === 404 && this.#naming.has(event.exchange)) this.#expired.add(event.exchange);
        return false;
      }
      case 'http-end': {
        this.#naming.delete(event.exchange);
        return this.#expired.delete(event.exchange);
      }
      default:
        return false;
    }
  }
}
