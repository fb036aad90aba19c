import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Fault } from '#shared/contract/fault.ts';
import { isPrivateAddress, isPrivateHost } from '#shared/private-address.ts';
import type { HttpFailure } from '#shared/trace/record.ts';
import { WholeBody } from './body-readers.ts';
import { HttpAgent, type Lookup, privateRoute, type Route } from './http-connect.ts';
import { WireExchange } from './http-exchange.ts';
import { StepError } from './http-step-failure.ts';
import { explainHttpFailure } from './http-fault-explanations.ts';
import { FollowedExchange, type FollowedAttempt } from './http-redirects.ts';
import type { Exchange, HttpRequest } from './http-messages.ts';
import { proxyFor } from './http-proxy.ts';
import { type ReceivedRequest, reportReceived } from './received-request.ts';
import { TlsIdentity, type TlsOptions } from './tls-handshake.ts';
import type { WireSink } from './transport.ts';

export type { Exchange, HttpEnd, HttpRequest, HttpResponse } from './http-messages.ts';
export { redirectTarget } from './http-redirects.ts';

export interface HttpClientOptions {
  readonly tls: TlsOptions;
  /** `environment`: use HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY of this process. */
  readonly proxy: 'environment' | 'none';
  /**
   * The only origin that gets our TLS certificate, and for which a certificate that the user accepted is valid. If left
   * out, both apply to every origin.
   */
  readonly origin?: string;
  /** Finds the addresses of names; that of the system by default. */
  readonly lookup?: Lookup;
}

/** Milliseconds for each step of opening a connection; a response may take any time. */
const STEP_LIMIT = 30_000;

/** Makes HTTP exchanges (HTTP/1.1), and reports each step and every byte of them. */
export class HttpClient {
  readonly #sink: WireSink;
  readonly #proxy: HttpClientOptions['proxy'];
  readonly #origin: string | undefined;
  readonly #lookup: Lookup | undefined;
  /** Where connections to the origin went. One to a public address counts, whatever its name leads to later. */
  #originIs: 'private' | 'public' | null = null;
  readonly #agent: HttpAgent;
  /** For out-of-band exchanges with other origins, which do not get our TLS certificate. */
  readonly #otherOriginAgent: HttpAgent;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<WireExchange>();
  #exchanges = 0;
  #units = 0;
  #isPaused = false;
  #closing: Promise<void> | undefined;

  constructor(sink: WireSink, options: HttpClientOptions) {
    this.#sink = sink;
    this.#proxy = options.proxy;
    this.#origin = options.origin;
    this.#lookup = options.lookup;
    const { ca } = options.tls;
    this.#agent = this.#makeAgent(options.tls);
    this.#otherOriginAgent = this.#makeAgent({ accepted: null, ...(ca !== undefined && { ca }) });
  }

  #makeAgent(options: TlsOptions): HttpAgent {
    return new HttpAgent({
      identity: new TlsIdentity(options),
      stepLimit: STEP_LIMIT,
      onSocket: (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
      onReached: ({ url }, address) => {
        if (url.origin !== this.#origin) return;
        const isPublic = this.#originIs === 'public' || !isPrivateAddress(address);
        this.#originIs = isPublic ? 'public' : 'private';
      },
      lookup: this.#lookup,
    });
  }

  /** The number of open sockets. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** The next unit number; shared by everything this client reports. */
  nextUnit(): number {
    return this.#units++;
  }

  /** Starts an exchange; its request and body have been recorded when this returns. */
  start(request: HttpRequest): Exchange {
    return new FollowedExchange(request, {
      run: (attempt) => this.#run(attempt),
      readRedirect: ({ exchange }) =>
        new WholeBody({ sink: this.#sink, unit: () => this.nextUnit(), exchange, as: 'body' }),
    });
  }

  /** Reports a request that came to us, in an exchange of its own; returns its id. */
  reportReceived(request: ReceivedRequest): number {
    const exchange = ++this.#exchanges;
    reportReceived(this.#sink, exchange, request);
    return exchange;
  }

  /** The fault to show for a failed exchange with this URL. */
  explain(failure: HttpFailure, url: URL): Fault {
    const route = this.#routeTo(url);
    const proxy = route instanceof StepError ? null : (route.proxy?.address ?? null);
    return explainHttpFailure(failure, { url, proxy });
  }

  /**
   * The fault of a URL that leads to this machine or its network although the server is elsewhere; null if it does not. For URLs
   * that others open: an exchange of this client refuses them with `refusesPrivate`.
   */
  async faultOfPrivate(url: URL): Promise<Fault | null> {
    if (url.origin === this.#origin || this.#isOriginPrivate()) return null;
    const route = this.#routeTo(url);
    const found = await privateRoute(route instanceof StepError ? { url, proxy: null } : route, this.#lookup);
    return found === null ? null : this.explain(found.failure, url);
  }

  /** Stops reading all bodies, including those of responses that arrive while paused. */
  pause(): void {
    this.#isPaused = true;
    for (const exchange of this.#running) exchange.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const exchange of this.#running) exchange.resume();
  }

  /** Drops running exchanges and waits until every socket is closed. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    const running = [...this.#running];
    for (const exchange of running) exchange.drop();
    // An encoded body is decoded to its end.
    await Promise.all(running.map(({ ended }) => ended));
    await Promise.all(
      [...this.#sockets].map(async (socket) => {
        const closed = once(socket, 'close');
        socket.destroy();
        await closed;
      }),
    );
  }

  #run({ request, isFresh, ...attempt }: FollowedAttempt): WireExchange {
    const isOtherOrigin =
      request.isOutOfBand === true && this.#origin !== undefined && request.url.origin !== this.#origin;
    const found = this.#routeTo(request.url);
    const refusesPrivate = isOtherOrigin && request.refusesPrivate === true && !this.#isOriginPrivate();
    const route = found instanceof StepError ? found : { ...found, refusesPrivate };
    const agent = isOtherOrigin ? this.#otherOriginAgent : this.#agent;
    if (isFresh && !(route instanceof StepError)) agent.closeIdle(route);
    const exchange = new WireExchange(
      {
        sink: this.#sink,
        agent,
        nextUnit: () => this.nextUnit(),
        isPaused: () => this.#isPaused,
        isClosed: () => this.#closing !== undefined,
      },
      { ...attempt, request, route, id: ++this.#exchanges },
    );
    this.#running.add(exchange);
    void exchange.ended.then(() => this.#running.delete(exchange));
    exchange.begin();
    return exchange;
  }

  /** Whether the server is on this machine or its network, so that it may send us there, too. */
  #isOriginPrivate(): boolean {
    if (this.#originIs !== null) return this.#originIs === 'private';
    return this.#origin !== undefined && isPrivateHost(new URL(this.#origin));
  }

  #routeTo(url: URL): Route | StepError {
    try {
      return { url, proxy: this.#proxy === 'none' ? null : proxyFor(url) };
    } catch (error) {
      if (error instanceof StepError) return error;
      throw error;
    }
  }
}
