import { createServer, type Server } from 'node:http';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { withResolvers } from '#transports/async.ts';

type Redirect = AuthorizationSettings['redirect'];

/** Limit of bytes of the head of a request: a callback has a short URL. */
const MAX_HEAD = 32 * 1024;

/** The page that the browser shows after the redirect. It has no scripts, and nothing of the request. */
const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;

/** Listens on loopback for the redirect of one flow (RFC 8252 section 7.3). */
export class CallbackListener {
  readonly redirectUri: string;
  readonly #server: Server;
  #received: string | null = null;
  #waiting: ((url: string) => void) | null = null;
  #closing: Promise<void> | undefined;

  private constructor(server: Server, { host, path }: Redirect, port: number) {
    this.#server = server;
    this.redirectUri = `http://${host}:${port}${path}`;
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', this.redirectUri);
      const isCallback = request.method === 'GET' && url.pathname === new URL(this.redirectUri).pathname;
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Security-Policy', "default-src 'none'");
      response.setHeader('Cache-Control', 'no-store');
      response.setHeader('Referrer-Policy', 'no-referrer');
      response.setHeader('Connection', 'close');
      if (!isCallback || this.#received !== null) {
        response.statusCode = isCallback ? 410 : 404;
        response.end(page('Nothing to do', 'This address takes one redirect of an authorization only.'));
        return;
      }
      response.end(page('Back to Sightglass', 'Sightglass has the answer. This page can be closed.'));
      this.#received = url.href;
      this.#waiting?.(url.href);
    });
  }

  /**
   * @param preferred ports to try before a free one is taken, the last one first
   * @throws FaultError if the chosen port is busy, or none can be used
   */
  static async open(redirect: Redirect, preferred: readonly number[] = []): Promise<CallbackListener> {
    const last = redirect.port === null ? preferred.at(-1) : undefined;
    if (last === undefined) return CallbackListener.#listen(redirect);
    try {
      return await CallbackListener.#listen({ ...redirect, port: last });
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return CallbackListener.open(redirect, preferred.slice(0, -1));
    }
  }

  static async #listen(redirect: Redirect): Promise<CallbackListener> {
    const server = createServer({ maxHeaderSize: MAX_HEAD });
    const { promise, resolve, reject } = withResolvers<void>();
    server.once('error', reject);
    const host = redirect.host === '[::1]' ? '::1' : redirect.host;
    server.listen({ host, port: redirect.port ?? 0 }, resolve);
    try {
      await promise;
    } catch (error) {
      throw new FaultError(cannotListen(redirect, error));
    }
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return new CallbackListener(server, redirect, port);
  }

  /** The URL of the next redirect; it may have come already. Rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = withResolvers<string>();
    if (this.#received !== null) resolve(this.#received);
    this.#waiting = resolve;
    signal.addEventListener('abort', () => reject(new Error('the wait for the callback was ended')), {
      once: true,
    });
    return promise;
  }

  /** Takes one redirect more, for another authorization request. */
  reset(): void {
    this.#received = null;
    this.#waiting = null;
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    return this.#closing;
  }
}

function cannotListen({ host, port }: Redirect, error: unknown) {
  const code = systemCodeOf(error);
  return code === 'EADDRINUSE'
    ? {
        code: 'redirect-port-busy',
        what: `Port ${port ?? ''} of ${host}, for the redirect of the browser, is busy.`,
        why: 'Another program listens there, or another flow of this app.',
        next: 'End it, or choose another port in the settings of the server, and register the new redirect URI.',
      }
    : {
        code: 'redirect-listener',
        what: `No redirect of the browser can be taken at ${host}${port === null ? '' : `:${port}`} (${code ?? 'unknown'}).`,
        next: 'Choose another host or port in the settings of the server.',
      };
}
