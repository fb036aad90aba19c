import { withResolvers } from './async.ts';
import type { BodyReader } from './body-readers.ts';
import type { HttpAttempt, WireExchange } from './http-exchange.ts';
import type { Exchange, HttpEnd, HttpRequest, HttpResponse, Redirect } from './http-messages.ts';

/** One of the attempts at a request. */
export interface FollowedAttempt extends Omit<HttpAttempt, 'id' | 'route'> {
  /** Whether to use a new connection. */
  readonly isFresh: boolean;
}

/** Runs the exchanges. */
interface Runner {
  readonly run: (attempt: FollowedAttempt) => WireExchange;
  /** Reads the body of a redirect, which the caller does not get. */
  readonly readRedirect: (response: HttpResponse) => BodyReader;
}

const MAX_REDIRECTS = 5;

/** Only idempotent requests are retried: a call must not run twice (RFC 9110 section 9.2.2). */
const isIdempotent = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'DELETE';

/**
 * A request with its redirects and retries: follows redirects within the origin, and repeats a GET or DELETE that was
 * sent on a connection which the server had already closed. Each attempt is recorded as an exchange of its own.
 */
export class FollowedExchange implements Exchange {
  readonly response: Promise<HttpResponse | null>;
  readonly ended: Promise<HttpEnd>;
  readonly #request: HttpRequest;
  readonly #runner: Runner;
  readonly #answer: (response: HttpResponse | null) => void;
  #current: WireExchange;
  #redirects: readonly Redirect[] = [];
  #target: Redirect | null = null;
  #isDropped = false;

  constructor(request: HttpRequest, runner: Runner) {
    this.#request = request;
    this.#runner = runner;
    const { promise, resolve } = withResolvers<HttpResponse | null>();
    this.response = promise;
    this.#answer = resolve;
    const first = this.#attempt(request.url, {
      redirectOf: null,
      isRepeated: false,
      isFresh: request.isAlone === true,
    });
    this.#current = runner.run(first);
    this.ended = this.#follow(first);
  }

  get id(): number {
    return this.#current.id;
  }

  drop(): void {
    this.#isDropped = true;
    this.#current.drop();
  }

  async #follow(first: FollowedAttempt): Promise<HttpEnd> {
    let attempt: FollowedAttempt | null = first;
    let hasRepeated = false;
    for (;;) {
      const { wasStale, ...end }: Awaited<WireExchange['ended']> = await this.#current.ended;
      const response = end.response && this.#redirected(end.response);
      attempt = this.#next(attempt, wasStale && !hasRepeated && isIdempotent(this.#request));
      hasRepeated ||= wasStale;
      if (attempt === null || end.how === 'dropped' || this.#isDropped) {
        this.#answer(response);
        return { ...end, response };
      }
      this.#current = this.#runner.run(attempt);
    }
  }

  #next(attempt: FollowedAttempt, isToRepeat: boolean): FollowedAttempt | null {
    const target = this.#target;
    this.#target = null;
    if (isToRepeat) return { ...attempt, isRepeated: true, isFresh: true };
    if (target === null) return null;
    this.#redirects = [...this.#redirects, target];
    return this.#attempt(target.to, { redirectOf: this.#current.id, isRepeated: true, isFresh: false });
  }

  #attempt(url: URL, how: Omit<FollowedAttempt, 'request'>): FollowedAttempt {
    const request = { ...this.#request, url };
    const read = (response: HttpResponse) => {
      const isFollowed = request.isOutOfBand !== true && this.#redirects.length < MAX_REDIRECTS;
      const to = isFollowed ? followedTarget(response, request) : null;
      this.#target = to && { status: response.status, from: url, to };
      if (to !== null) return this.#runner.readRedirect(response);
      const redirected = this.#redirected(response);
      this.#answer(redirected);
      return this.#request.read(redirected);
    };
    return { ...how, request: { ...request, read } };
  }

  #redirected = (response: HttpResponse): HttpResponse => ({ ...response, redirects: this.#redirects });
}

/** Which methods each redirect status allows to repeat; a POST is never turned into a GET. */
const followedMethods: Readonly<Record<number, 'any' | 'safe'>> = {
  301: 'safe',
  302: 'safe',
  303: 'safe',
  307: 'any',
  308: 'any',
};

/** Whether a status is that of a redirect. */
export const isRedirect = (status: number): boolean => followedMethods[status] !== undefined;

/** Where a response redirects to; null if it does not. Untrusted: the server chose the URL. */
export function redirectTarget(response: HttpResponse, url: URL): URL | null {
  const location = response.header('location');
  if (!isRedirect(response.status) || location === null) return null;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : null;
  return target?.protocol === 'http:' || target?.protocol === 'https:' ? target : null;
}

/** Where a redirect is followed: only within the origin, because the header lines go there too. */
function followedTarget(response: HttpResponse, request: HttpRequest): URL | null {
  const target = redirectTarget(response, request.url);
  if (target === null || target.origin !== request.url.origin) return null;
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  return isSafe || followedMethods[response.status] === 'any' ? target : null;
}
