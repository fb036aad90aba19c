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
  /** Requests that name our session, by their method; the server answers 404 when it has forgotten it. */
  readonly #naming = new Map<number, string>();
  readonly #expired = new Set<number>();
  /** It has answered a GET, so that a later 404 to one does not mean that it has no such stream. */
  #hasStream = false;
  #isHonoured = false;

  get id(): string | null {
    return this.#id;
  }

  /** Whether a message that named it was taken at least once. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** From now on there is none, until `initialize` is answered again. What comes of requests under way is of the old one. */
  forget(): void {
    this.#id = null;
    this.#naming.clear();
    this.#expired.clear();
    this.#hasStream = false;
    this.#isHonoured = false;
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
        if (named !== undefined && named === this.#id) this.#naming.set(event.exchange, event.method);
        return false;
      }
      case 'http-response': {
        if (event.interim) return false;
        if (this.#opening.has(event.exchange)) {
          const id = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
          if (id !== undefined) this.#id = id;
        }
        this.#answered(event.exchange, event.status);
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
  #answered(exchange: number, status: number): void {
    const method = this.#naming.get(exchange);
    const isPost = method === 'POST';
    const isGet = method === 'GET';
    if (status === 404 && (isPost || (isGet && this.#hasStream))) this.#expired.add(exchange);
    if (status >= 400) return;
    this.#hasStream ||= isGet;
    this.#isHonoured ||= isPost;
  }
}
