import type { WireEvent } from '#transports/transport.ts';

const SESSION_ID = 'mcp-session-id';

/**
 * The session id of a legacy server over HTTP: from the response to `initialize`
 * until it expires (MCP 2025-06-18 transports, session management).
 */
export class ServerSession {
  #id: string | null = null;
  /** Exchanges that carry `initialize`, including redirected ones. */
  readonly #opening = new Set<number>();
  /** Exchanges whose request has our session id, with its HTTP method; a 404 means that the session has expired. */
  readonly #withSessionId = new Map<number, string>();
  readonly #expired = new Set<number>();
  /** Whether a GET has succeeded: a later 404 to a GET then means that the session expired, not that there is no stream. */
  #hasStream = false;
  #isHonoured = false;

  get id(): string | null {
    return this.#id;
  }

  /** Whether the server accepted its id at least once. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** Clears the session id until the next response to `initialize`. Pending responses belong to the old session. */
  forget(): void {
    this.#id = null;
    this.#withSessionId.clear();
    this.#expired.clear();
    this.#hasStream = false;
    this.#isHonoured = false;
  }

  /** The response of this exchange may open a session. */
  noteOpening(exchange: number): void {
    this.#opening.add(exchange);
  }

  /** The server knew the session in this exchange, so the session has not expired, even if the status is 404. */
  noteStillOpen(exchange: number): void {
    this.#expired.delete(exchange);
  }

  /** Handles an event of the transport; returns whether the server has let the session expire. */
  handle(event: WireEvent): boolean {
    switch (event.kind) {
      case 'http-request': {
        if (event.redirectOf !== undefined && this.#opening.has(event.redirectOf))
          this.noteOpening(event.exchange);
        const sent = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
        if (sent !== undefined && sent === this.#id) this.#withSessionId.set(event.exchange, event.method);
        return false;
      }
      case 'http-response': {
        if (event.interim) return false;
        if (this.#opening.has(event.exchange)) {
          const id = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
          if (id !== undefined) this.#id = id;
        }
        this.#noteStatus(event.exchange, event.status);
        return false;
      }
      case 'http-end': {
        this.#withSessionId.delete(event.exchange);
        return this.#expired.delete(event.exchange);
      }
      default:
        return false;
    }
  }
  #noteStatus(exchange: number, status: number): void {
    const method = this.#withSessionId.get(exchange);
    const isPost = method === 'POST';
    const isGet = method === 'GET';
    if (status === 404 && (isPost || (isGet && this.#hasStream))) this.#expired.add(exchange);
    if (status >= 400) return;
    this.#hasStream ||= isGet;
    this.#isHonoured ||= isPost;
  }
}
