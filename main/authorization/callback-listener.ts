import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { withResolvers } from '#transports/async.ts';
import { answerRequests, closeListener, listen, type Listener, urlOfRequest } from '#transports/listener.ts';

type Redirect = AuthorizationSettings['redirect'];

/** Which redirect is waited for. */
export interface AwaitedRedirect {
  /** Whether a URL at the redirect URI answers the request that was sent; nothing else ends the wait. */
  readonly isAnswer: (url: string) => boolean;
  /** Called with each other URL at the redirect URI. */
  readonly onStray: (url: string) => void;
}

/** Limit of bytes of the head of a request: a callback has a short URL. */
const MAX_HEAD = 32 * 1024;

/** Limit of redirects that are kept until someone waits for one. */
const MAX_EARLY = 10;

/** The pages that the browser shows. They have no scripts, and nothing of the request. */
const pages = {
  answer: [200, 'Back to Sightglass', 'Sightglass has the answer. This page can be closed.'],
  early: [200, 'Back to Sightglass', 'Sightglass has received this. This page can be closed.'],
  noTarget: [400, 'Not an address of Sightglass', 'Sightglass waits for the redirect of an authorization.'],
  elsewhere: [
    404,
    'Not the redirect URI',
    'Sightglass waits for the redirect of an authorization, at another path. It goes on waiting.',
  ],
  method: [
    405,
    'Not a redirect',
    'The answer of an authorization server is a GET. Sightglass goes on waiting for it.',
  ],
  empty: [
    400,
    'No answer',
    'This address has no answer of an authorization server in its query. Sightglass goes on waiting. If the answer is behind a # of the address, paste the whole address into Sightglass.',
  ],
  noState: [
    400,
    'The state is missing',
    'This answer has no state, so it may be of another request. It was not used, and Sightglass goes on waiting.',
  ],
  otherState: [
    400,
    'The state is of another request',
    'This answer does not belong to the request of Sightglass. It was not used, and Sightglass goes on waiting.',
  ],
  used: [410, 'Nothing to do', 'This address takes one redirect of an authorization only.'],
} as const satisfies Record<string, readonly [status: number, title: string, text: string]>;

/** Listens on loopback for the redirect of one flow (RFC 8252 section 7.3). */
export class CallbackListener {
  readonly redirectUri: string;
  readonly #server: Server;
  /** Redirects that came before someone waited. */
  #early: string[] = [];
  #isAnswered = false;
  #waiting: (AwaitedRedirect & { readonly resolve: (url: string) => void }) | null = null;
  #closing: Promise<void> | undefined;

  private constructor({ server, port }: Listener, { host, path }: Redirect) {
    this.#server = server;
    this.redirectUri = `http://${host}:${port}${path}`;
    answerRequests(server, (request, response) => show(response, this.#take(request)));
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
    const host = redirect.host === '[::1]' ? '::1' : redirect.host;
    const listener = await listen({ host, port: redirect.port ?? 0, maxHead: MAX_HEAD }).catch(
      (error: unknown) => {
        throw new FaultError(cannotListen(redirect, error));
      },
    );
    return new CallbackListener(listener, redirect);
  }

  /** The URL of the redirect that is waited for; it may have come already. Rejects when the signal aborts. */
  next(signal: AbortSignal, awaited: AwaitedRedirect): Promise<string> {
    const { promise, resolve, reject } = withResolvers<string>();
    this.#waiting = { ...awaited, resolve };
    for (const url of this.#early.splice(0)) this.#check(url);
    signal.addEventListener('abort', () => reject(new Error('the wait for the callback was ended')), {
      once: true,
    });
    return promise;
  }

  /** Takes one redirect more, for another authorization request. */
  reset(): void {
    this.#early = [];
    this.#isAnswered = false;
    this.#waiting = null;
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= closeListener(this.#server);
    return this.#closing;
  }

  #take(request: IncomingMessage): keyof typeof pages {
    const own = new URL(this.redirectUri);
    const url = urlOfRequest(request, own.origin);
    if (url === null) return 'noTarget';
    if (url.pathname !== own.pathname) return 'elsewhere';
    // A HEAD is a look at the address, not the redirect itself.
    if (request.method !== 'GET') return 'method';
    if (!['code', 'error', 'state'].some((name) => url.searchParams.has(name))) return 'empty';
    if (this.#isAnswered) return 'used';
    if (this.#waiting !== null) return this.#check(url.href);
    this.#early = [...this.#early.slice(1 - MAX_EARLY), url.href];
    return 'early';
  }

  #check(url: string): keyof typeof pages {
    if (this.#waiting === null || this.#isAnswered) return 'used';
    const { isAnswer, onStray, resolve } = this.#waiting;
    if (!isAnswer(url)) {
      onStray(url);
      return new URL(url).searchParams.get('state') === null ? 'noState' : 'otherState';
    }
    this.#isAnswered = true;
    resolve(url);
    return 'answer';
  }
}

function show(response: ServerResponse, name: keyof typeof pages): void {
  const [status, title, text] = pages[name];
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
    ...(name === 'method' && { Allow: 'GET' }),
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`,
  );
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
