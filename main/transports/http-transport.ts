import type { Fault } from '#shared/contract/fault.ts';
import type { HttpSettings } from '#shared/contract/servers.ts';
import { type OutOfBandRequest, type OutOfBandResponse, exchangeOutOfBand } from './http-out-of-band.ts';
import { HttpClient } from './http-client.ts';
import { HttpSse } from './http-sse.ts';
import { ReceivedBodies, Streams, type WireStream } from './responses.ts';
import type { ReceivedRequest } from './received-request.ts';
import { type StreamHeaders, StreamableHttp, type StreamableHttpOptions } from './streamable-http.ts';
import { readTlsFiles } from './tls-files.ts';
import type { Ending, Outgoing, Sending, Transport, WireSink } from './transport.ts';
import { withResolvers } from './async.ts';

export interface HttpTransportOptions {
  readonly settings: Pick<HttpSettings, 'url' | 'tls' | 'proxy'>;
  readonly headers: StreamHeaders;
  /** Milliseconds to wait for the endpoint event of an HTTP+SSE server. */
  readonly endpointTimeout: number;
  /** Called when an event stream changed. */
  readonly onStreams: () => void;
  /** Replaces secrets in quoted text of the server. */
  readonly redacted: (text: string) => string;
  /** Authorizes a stream that was refused with status 401 or 403 in this exchange; returns whether to request it again. */
  readonly authorizeStream: (exchange: number, attempts: number) => Promise<boolean>;
}

/** A server behind a URL: Streamable HTTP, or HTTP+SSE after `openSse`. */
export class HttpTransport implements Transport {
  readonly ended: Promise<Ending>;
  readonly #options: HttpTransportOptions;
  readonly #sink: WireSink;
  readonly #url: URL;
  readonly #streams: Streams;
  readonly #bodies: ReceivedBodies;
  readonly #settle: (ending: Ending) => void;
  #client: HttpClient | undefined;
  #streamable: StreamableHttp | undefined;
  #sse: HttpSse | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions, sink: WireSink) {
    this.#options = options;
    this.#sink = sink;
    this.#url = new URL(options.settings.url);
    this.#streams = new Streams(options.onStreams);
    this.#bodies = new ReceivedBodies(options.redacted);
    const { promise, resolve } = withResolvers<Ending>();
    this.ended = promise;
    this.#settle = resolve;
  }

  /** Which of the two HTTP transports is in use. */
  get mode(): 'streamable-http' | 'http-sse' {
    return this.#sse === undefined ? 'streamable-http' : 'http-sse';
  }

  /** The URL to which HTTP+SSE messages are sent; null on Streamable HTTP. */
  get endpoint(): string | null {
    return this.#sse?.endpoint?.href ?? null;
  }

  /** The URL to which messages are sent. */
  get target(): URL {
    return this.#sse?.endpoint ?? this.#url;
  }

  get streams(): readonly WireStream[] {
    return this.#streams.all;
  }

  /** The server's WWW-Authenticate challenge in this exchange; undefined if it sent none. */
  challengeOf(exchange: number): string | undefined {
    return this.#bodies.challenge(exchange);
  }

  /** How the response of this exchange came: after redirects, or encoded; undefined if neither. */
  deliveryOf(exchange: number): string | undefined {
    return this.#bodies.delivery(exchange);
  }

  /** Prepares for sending without connecting. @throws FaultError if a certificate file cannot be used */
  async open(): Promise<void> {
    const { tls, proxy } = this.#options.settings;
    const files = await readTlsFiles(tls);
    if (this.#closing !== undefined) return;
    this.#client = new HttpClient(this.#sink, { tls: files, proxy, origin: this.#url.origin });
    this.#streamable = new StreamableHttp(this.#optionsWith(this.#client));
  }

  /** Switches to HTTP+SSE: opens the stream and waits for the endpoint. @throws FaultError */
  async openSse(): Promise<void> {
    this.#sse = new HttpSse({
      ...this.#optionsWith(this.#mustBeOpen(this.#client)),
      endpointTimeout: this.#options.endpointTimeout,
      onEnded: (ending) => this.#settle(ending),
    });
    await this.#sse.open();
  }

  /**
   * Makes an exchange that carries no MCP message, with any URL. Redirects are not followed.
   *
   * @throws FaultError if there is no response
   */
  exchangeOutOfBand(request: OutOfBandRequest): Promise<OutOfBandResponse> {
    return exchangeOutOfBand(this.#mustBeOpen(this.#client), this.#sink, request);
  }

  /** As `HttpClient` has it. */
  reportReceived(request: ReceivedRequest): number {
    return this.#mustBeOpen(this.#client).reportReceived(request);
  }

  /** As `HttpClient` has it. */
  faultOfPrivate(url: URL): Promise<Fault | null> {
    return this.#mustBeOpen(this.#client).faultOfPrivate(url);
  }

  send(unit: Outgoing): Sending {
    return this.#mustBeOpen(this.#sse ?? this.#streamable).send(unit);
  }

  /**
   * Opens the standing stream (server-initiated messages), replacing an open one. Resolves once the server has responded.
   */
  async openStanding(): Promise<void> {
    if (this.#sse === undefined) await this.#streamable?.openStanding();
  }

  /** Requests the events after the one with this id; returns false if streams cannot be resumed. */
  resumeFrom(lastEventId: string): boolean {
    return this.#sse === undefined && (this.#streamable?.resumeFrom(lastEventId) ?? false);
  }

  closeStanding(): void {
    this.#streamable?.closeStanding();
  }

  /** Drops one exchange without notice, to test how the server reacts. */
  drop(exchange: number): void {
    this.#sse?.drop(exchange);
    this.#streamable?.drop(exchange);
  }

  pause(): void {
    this.#client?.pause();
  }

  resume(): void {
    this.#client?.resume();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#streamable?.close();
    this.#sse?.close();
    if (this.#sse === undefined) await this.#streamable?.leave();
    await this.#client?.close();
    this.#settle({ clean: true, reason: 'Disconnected.' });
  }

  #optionsWith(client: HttpClient): StreamableHttpOptions {
    const { headers, authorizeStream } = this.#options;
    return {
      client,
      url: this.#url,
      sink: this.#sink,
      headers,
      streams: this.#streams,
      bodies: this.#bodies,
      authorizeStream,
    };
  }

  #mustBeOpen<T>(part: T | undefined): T {
    if (part === undefined) throw new Error('the transport was not opened');
    return part;
  }
}
