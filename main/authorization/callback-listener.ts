import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FaultError, systemCodeOf } from '#shared/contract/fault.ts';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { withResolvers } from '#transports/async.ts';
import { linesOf } from '#transports/http-messages.ts';
import { answerRequests, closeListener, listen, type Listener, urlOfRequest } from '#transports/listener.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import { type ArrivedCallback, isAnswerLike, recordableUrl } from './received-callback.ts';

type Redirect = AuthorizationSettings['redirect'];

/** Which redirect is waited for. */
export interface AwaitedRedirect {
  /** Whether a URL at the redirect URI answers the request that was sent; nothing else ends the wait. */
  readonly isAnswer: (url: string) => boolean;
  /** Why what comes is not to be believed; null for what answers the request. It is recorded with it. */
  readonly whyUntrusted: (request: Pick<ArrivedCallback, 'method' | 'url'>) => string | null;
  /** Called with everything else that comes to the redirect URI. */
  readonly onStray: (stray: ArrivedCallback) => void;
}

/** Records a request at the redirect URI before anything acts on it; returns its row, or null if there were too many. */
export type RecordCallback = (request: ReceivedRequest, isAnswer: boolean) => number | null;

/** Limit of bytes of the head of a request: a callback has a short URL. */
const MAX_HEAD = 32 * 1024;

/** Limit of header lines that are recorded. */
const MAX_HEADERS = 50;

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
  readonly #record: RecordCallback;
  /** Redirects that came before someone waited. */
  #early: Taken[] = [];
  #isAnswered = false;
  #waiting: (AwaitedRedirect & { readonly resolve: (answer: ArrivedCallback) => void }) | null = null;
  #closing: Promise<void> | undefined;

  private constructor({ server, port }: Listener, { host, path }: Redirect, record: RecordCallback) {
    this.#server = server;
    this.#record = record;
    this.redirectUri = `http://${host}:${port}${path}`;
    answerRequests(server, (request, response) => show(response, this.#take(request)));
  }

  /**
   * @param preferred ports to try before a free one is taken, the last one first
   * @throws FaultError if the chosen port is busy, or none can be used
   */
  static async open(
    redirect: Redirect,
    record: RecordCallback,
    preferred: readonly number[] = [],
  ): Promise<CallbackListener> {
    const last = redirect.port === null ? preferred.at(-1) : undefined;
    if (last === undefined) return CallbackListener.#listen(redirect, record);
    try {
      return await CallbackListener.#listen({ ...redirect, port: last }, record);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return CallbackListener.open(redirect, record, preferred.slice(0, -1));
    }
  }

  static async #listen(redirect: Redirect, record: RecordCallback): Promise<CallbackListener> {
    const host = redirect.host === '[::1]' ? '::1' : redirect.host;
    const listener = await listen({ host, port: redirect.port ?? 0, maxHead: MAX_HEAD }).catch(
      (error: unknown) => {
        throw new FaultError(cannotListen(redirect, error));
      },
    );
    return new CallbackListener(listener, redirect, record);
  }

  /** The redirect that is waited for; it may have come already. Rejects when the signal aborts. */
  next(signal: AbortSignal, awaited: AwaitedRedirect): Promise<ArrivedCallback> {
    const { promise, resolve, reject } = withResolvers<ArrivedCallback>();
    this.#waiting = { ...awaited, resolve };
    for (const taken of this.#early.splice(0)) this.#hand(taken, this.#pageFor(taken));
    signal.addEventListener('abort', () => reject(new Error('the wait for the callback was ended')), {
      once: true,
    });
    return promise;
  }

  /** Takes one redirect more, for another authorization request. */
  reset(): void {
    this.#dropEarly();
    this.#isAnswered = false;
    this.#waiting = null;
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#dropEarly();
    this.#closing ??= closeListener(this.#server);
    return this.#closing;
  }

  #take(request: IncomingMessage): Page {
    const own = new URL(this.redirectUri);
    const url = urlOfRequest(request, own.origin);
    if (url === null) return 'noTarget';
    if (url.pathname !== own.pathname) return 'elsewhere';
    const { method = '', rawHeaders } = request;
    const asked = { method, url: url.href };
    const answered = this.#pageFor(asked);
    const taken = { ...asked, answered, headers: linesOf(rawHeaders).slice(0, MAX_HEADERS) };
    if (answered === 'early') this.#keepEarly(taken);
    else this.#hand(taken, answered);
    return answered;
  }

  #pageFor({ method, url: text }: Pick<Taken, 'method' | 'url'>): Page {
    const url = new URL(text);
    // A HEAD is a look at the address, not the redirect itself.
    if (method !== 'GET') return 'method';
    if (!isAnswerLike(url)) return 'empty';
    if (this.#isAnswered) return 'used';
    if (this.#waiting === null) return 'early';
    if (this.#waiting.isAnswer(text)) return 'answer';
    return url.searchParams.has('state') ? 'otherState' : 'noState';
  }

  /** Records a request, then acts on it. @param page what it counts as now, which is later than the answer for an early one */
  #hand({ answered, ...taken }: Taken, page: Page): void {
    const untrusted =
      page === 'used'
        ? 'The request was answered before it came.'
        : (this.#waiting?.whyUntrusted(taken) ?? (this.#waiting === null ? 'Nobody waited for it.' : null));
    const request: ReceivedRequest = {
      ...taken,
      url: recordableUrl(taken.url),
      received: { by: 'listener', ...(untrusted !== null && { untrusted }) },
      response: { status: pages[answered][0], headers: headersOf(answered) },
    };
    const row = this.#record(request, page === 'answer');
    if (this.#waiting === null || page === 'used') return;
    const arrived: ArrivedCallback = { by: 'listener', method: taken.method, url: taken.url, row };
    if (page !== 'answer') return this.#waiting.onStray(arrived);
    this.#isAnswered = true;
    this.#waiting.resolve(arrived);
  }

  #keepEarly(taken: Taken): void {
    const dropped = this.#early.length < MAX_EARLY ? [] : this.#early.splice(0, 1);
    this.#early.push(taken);
    for (const one of dropped) this.#hand(one, 'early');
  }

  /** Records those that nobody waited for. */
  #dropEarly(): void {
    this.#waiting = null;
    for (const taken of this.#early.splice(0)) this.#hand(taken, 'early');
  }
}

type Page = keyof typeof pages;

/** A request at the redirect URI, and the page that it got. */
interface Taken extends Pick<ReceivedRequest, 'method' | 'url' | 'headers'> {
  readonly answered: Page;
}

function show(response: ServerResponse, name: Page): void {
  const [status, title, text] = pages[name];
  response.writeHead(status, headersOf(name).flat());
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`,
  );
}

const headersOf = (name: Page): [string, string][] => [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['Content-Security-Policy', "default-src 'none'"],
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'no-referrer'],
  ['Connection', 'close'],
  ...(name === 'method' ? [['Allow', 'GET'] satisfies [string, string]] : []),
];

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
