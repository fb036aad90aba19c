import { withResolvers } from './async.ts';
import type { BodyReader } from './body-readers.ts';
import type { HttpAttempt, WireExchange } from './http-exchange.ts';
import type { Exchange, HttpEnd, HttpRequest, HttpResponse } from './http-messages.ts';

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
  #redirects = 0;
  #target: URL | null = null;
  #isDropped = false;

  constructor(request: HttpRequest, runner: Runner) {
    this.#request = request;
    this.#runner = runner;
    const { promise, resolve } = withResolvers<HttpResponse | null>();
    this.response = promise;
    this.#answer = resolve;
    const first = this.#attempt(request.url, { redirectOf: null, isRepeated: false, isFresh: false });
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
      const { how, failure, response, wasStale }: Awaited<WireExchange['ended']> = await this.#current.ended;
      attempt = this.#next(attempt, wasStale && !hasRepeated && isIdempotent(this.#request));
      hasRepeated ||= wasStale;
      if (attempt === null || how === 'dropped' || this.#isDropped) {
        this.#answer(response);
        return { how, failure, response };
      }
      this.#current = this.#runner.run(attempt);
    }
  }

  #next(attempt: FollowedAttempt, isToRepeat: boolean): FollowedAttempt | null {
    const target = this.#target;
    this.#target = null;
    if (isToRepeat) return { ...attempt, isRepeated: true, isFresh: true };
    if (target === null) return null;
    this.#redirects++;
    return this.#attempt(target, { redirectOf: this.#current.id, isRepeated: true, isFresh: false });
  }

  #attempt(url: URL, how: Omit<FollowedAttempt, 'request'>): FollowedAttempt {
    const request = { ...this.#request, url };
    const read = (response: HttpResponse) => {
      const isFollowed = request.isOutOfBand !== true && this.#redirects < MAX_REDIRECTS;
      this.#target = isFollowed ? followedTarget(response, request) : null;
      if (this.#target !== null) return this.#runner.readRedirect(response);
      this.#answer(response);
      return this.#request.read(response);
    };
    return { ...how, request: { ...request, read } };
  }
}

/** Which methods each redirect status allows to repeat; a POST is never turned into a GET. */
const followedMethods: Readonly<Record<number, 'any' | 'safe'>> = {
  301: 'safe',
  302: 'safe',
  303: 'safe',
  307: 'any',
  308: 'any',
};

/** Where a response redirects to; null if it does not. Untrusted: the server chose the URL. */
export function redirectTarget(response: HttpResponse, url: URL): URL | null {
  const location = response.header('location');
  if (followedMethods[response.status] === undefined || location === null) return null;
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
