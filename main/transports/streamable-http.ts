import type { Fault } from '#shared/contract/fault.ts';
import type { HeaderLines, Origin } from '#shared/trace/record.ts';
import { withResolvers } from './async.ts';
import type { BodyReader } from './body-readers.ts';
import { firstValue } from './http-messages.ts';
import type { Exchange, HttpClient, HttpEnd, HttpRequest, HttpResponse } from './http-client.ts';
import { Reconnects } from './reconnects.ts';
import {
  eventStream,
  isEventStream,
  hasJsonType,
  isSuccess,
  wholeBody,
  type ReceivedBodies,
  type Streams,
  type WireStream,
} from './responses.ts';
import {
  explainStatus,
  noResponseFault,
  resumeFault,
  streamEndedFault,
  withDelivery,
} from './http-response-faults.ts';
import type { Outgoing, Sending, WireSink } from './transport.ts';

/** The header lines of the GET that opens a stream, or of the DELETE that ends the session; null if it must not be sent. */
export type StreamHeaders = (method: 'GET' | 'DELETE', lastEventId: string | null) => HeaderLines | null;

export interface StreamableHttpOptions {
  readonly client: HttpClient;
  readonly url: URL;
  readonly sink: WireSink;
  readonly headers: StreamHeaders;
  readonly streams: Streams;
  readonly bodies: ReceivedBodies;
  /** Authorizes a stream that was refused with status 401 or 403 in this exchange; returns whether to request it again. */
  readonly authorizeStream: (exchange: number, attempts: number) => Promise<boolean>;
}

/** Milliseconds to wait for the response to DELETE. */
const LEAVING_TIME = 2000;
/** Failed attempts to reconnect before giving up on a response. */
const MAX_FAILED_RESUMES = 5;

/** The response that a sent unit waits for. */
interface PendingAnswer {
  /** The header lines of its request. */
  readonly headers: HeaderLines;
  readonly isAwaited: () => boolean;
  /** Aborted when the response is no longer needed. */
  readonly stop: AbortSignal;
  /** The event stream that should carry the response. */
  stream: WireStream | null;
}

/**
 * Streamable HTTP in both eras: one POST per unit, answered with JSON or an event stream; a standing GET stream;
 * interrupted streams are resumed (MCP 2025-06-18 and 2026-07-28 transports).
 */
export class StreamableHttp {
  readonly #options: StreamableHttpOptions;
  readonly #running = new Set<Exchange>();
  /** Aborts each running operation. */
  readonly #operations = new Set<AbortController>();
  #standing: AbortController | undefined;
  #isClosed = false;

  constructor(options: StreamableHttpOptions) {
    this.#options = options;
  }

  send(unit: Outgoing): Sending {
    const stopping = this.#begin();
    const stop = stopping.signal;
    const isAwaited = () => !stop.aborted && (unit.isAwaited?.() ?? false);
    const headers = unit.headers ?? [];
    const pending: PendingAnswer = { headers, isAwaited, stop, stream: null };
    const exchange = this.#start({
      method: 'POST',
      headers,
      body: unit.bytes,
      origin: unit.origin,
      sink: unit.sink,
      read: (response) => this.#options.bodies.capture(response, this.#readAnswer(response, pending)),
    });
    const drop = () => {
      stopping.abort();
      this.drop(pending.stream?.exchange ?? exchange.id);
    };
    return {
      finished: this.#follow(exchange, pending).finally(() => this.#operations.delete(stopping)),
      drop,
    };
  }

  /**
   * Opens the standing stream for server-initiated messages and keeps it open (legacy era). Resolves once the server
   * has responded: it cannot send messages before.
   */
  openStanding(): Promise<void> {
    this.closeStanding();
    const stopping = this.#begin();
    this.#standing = stopping;
    const { promise, resolve } = withResolvers<void>();
    void this.#keepStanding(stopping.signal, resolve).finally(() => {
      resolve();
      this.#operations.delete(stopping);
    });
    return promise;
  }

  /** Closes the standing stream. */
  closeStanding(): void {
    this.#standing?.abort();
  }

  /** Requests, once, the events after the one with this id; returns false if the era has no GET streams. */
  resumeFrom(lastEventId: string): boolean {
    const { streams, headers } = this.#options;
    if (this.#isClosed || headers('GET', lastEventId) === null) return false;
    const stopping = this.#begin();
    const stream = streams.add('answer', 0);
    streams.change(stream, { lastEventId });
    const attempt = this.#get(stream, stopping.signal, 'user');
    void attempt?.end.then(({ response }) => {
      const isRefused = response !== null && !isEventStream(response);
      streams.change(stream, { state: isRefused ? 'refused' : 'closed' });
      this.#operations.delete(stopping);
    });
    return attempt !== null;
  }

  /** Ends the server's session with DELETE, and waits briefly for the response. */
  async leave(): Promise<void> {
    const headers = this.#options.headers('DELETE', null);
    if (headers === null) return;
    const exchange = this.#start({
      method: 'DELETE',
      headers,
      body: null,
      origin: 'automatic',
      read: (response) => wholeBody(this.#options, response, 'body'),
    });
    const timer = setTimeout(() => exchange.drop(), LEAVING_TIME);
    await exchange.ended;
    clearTimeout(timer);
  }

  /** Aborts one exchange without sending a cancellation. */
  drop(exchange: number): void {
    // Compares the current number: a redirect changes it.
    for (const running of this.#running) if (running.id === exchange) running.drop();
  }

  /** Stops all streams and retries; afterwards none are opened. */
  close(): void {
    this.#isClosed = true;
    for (const stopping of this.#operations) stopping.abort();
  }

  #begin(): AbortController {
    const stopping = new AbortController();
    if (this.#isClosed) stopping.abort();
    else this.#operations.add(stopping);
    return stopping;
  }

  #start(request: Omit<HttpRequest, 'url'>): Exchange {
    const { client, url } = this.#options;
    const exchange = client.start({ ...request, url });
    this.#running.add(exchange);
    void exchange.ended.then(() => this.#running.delete(exchange));
    return exchange;
  }

  #readAnswer(response: HttpResponse, pending: PendingAnswer): BodyReader {
    if (isEventStream(response)) {
      pending.stream = this.#options.streams.add('answer', response.exchange);
      return eventStream(this.#options, response, pending.stream);
    }
    // A wrong content type must not hide an expected response.
    const mayAnswer = hasJsonType(response) || (isSuccess(response) && pending.isAwaited());
    return wholeBody(this.#options, response, mayAnswer ? 'message' : 'body');
  }

  /** Waits until no response can come any more; returns the fault if none came. */
  async #follow(exchange: Exchange, pending: PendingAnswer): Promise<Fault | null> {
    const end = await exchange.ended;
    const { stream } = pending;
    if (stream !== null) this.#options.streams.change(stream, { state: 'closed' });
    const { response } = end;
    if (response !== null && !isSuccess(response)) {
      return this.#explain(response, 'POST');
    }
    const failure = this.#failureOf(end);
    if (!pending.isAwaited()) return failure;
    const quote = response === null ? undefined : this.#options.bodies.quote(response.exchange);
    if (stream === null) {
      const accepted = firstValue(pending.headers, 'accept-encoding');
      const { redacted } = this.#options.bodies;
      return failure ?? noResponseFault(response, { accepted, quote, redacted });
    }
    const ended = streamEndedFault(response, quote);
    return this.#canResume(stream) ? this.#resume(stream, pending, ended) : (failure ?? ended);
  }

  #explain(response: HttpResponse, method: string): Fault {
    const { url, bodies } = this.#options;
    const quote = bodies.quote(response.exchange);
    return explainStatus(response, { method, url, quote, redacted: bodies.redacted });
  }

  #failureOf({ failure, response, received }: HttpEnd): Fault | null {
    const { client, url, bodies } = this.#options;
    if (failure === null) return null;
    const quote = (response && bodies.quote(response.exchange)) ?? bodies.quoteBytes(received);
    return withDelivery({ ...client.explain(failure, url), ...(quote !== undefined && { quote }) }, response);
  }

  /** The modern era has no GET, even if the server sends event ids (MCP 2026-07-28 Streamable HTTP, receiving messages). */
  #canResume({ lastEventId }: WireStream): boolean {
    return lastEventId !== null && this.#options.headers('GET', lastEventId) !== null;
  }

  /** Resumes a stream after its last event (MCP 2025-06-18 transports, resumability and redelivery). */
  async #resume(stream: WireStream, { isAwaited, stop }: PendingAnswer, ended: Fault): Promise<Fault | null> {
    const { streams } = this.#options;
    const reconnects = new Reconnects(stream, MAX_FAILED_RESUMES);
    let wasReached = true;
    for (;;) {
      streams.change(stream, { state: 'waiting' });
      const shouldReconnect = await reconnects.wait(wasReached, stop);
      streams.change(stream, { state: 'closed' });
      if (!isAwaited()) return null;
      const attempt = shouldReconnect ? this.#get(stream, stop) : null;
      if (attempt === null) return ended;
      const { response } = await attempt.end;
      streams.change(stream, { state: 'closed' });
      if (!isAwaited()) return null;
      if (response !== null && !isEventStream(response)) {
        return resumeFault(this.#explain(response, 'GET'));
      }
      wasReached = response !== null;
    }
  }

  async #keepStanding(stop: AbortSignal, onAnswered: () => void): Promise<void> {
    const { streams } = this.#options;
    const first = this.#get(null, stop, 'automatic', onAnswered);
    if (first === null) return;
    const { stream } = first;
    const reconnects = new Reconnects(stream, Number.POSITIVE_INFINITY);
    let authorizations = 0;
    for (let attempt: StreamAttempt | null = first; attempt !== null; attempt = this.#get(stream, stop)) {
      const { response } = await attempt.end;
      onAnswered();
      const isRefused = response !== null && !isEventStream(response);
      streams.change(stream, { state: isRefused ? 'refused' : 'closed' });
      if (stop.aborted) return;
      if (isRefused) {
        if (!(await this.#authorizeAfter(response, authorizations++))) return;
        continue;
      }
      authorizations = 0;
      streams.change(stream, { state: 'waiting' });
      const shouldReconnect = await reconnects.wait(response !== null, stop);
      streams.change(stream, { state: 'closed' });
      if (!shouldReconnect) return;
    }
  }

  /** Authorizes if the response to the GET of a stream demands it; returns whether to request the stream again. */
  async #authorizeAfter({ status, exchange }: HttpResponse, attempts: number): Promise<boolean> {
    return (status === 401 || status === 403) && this.#options.authorizeStream(exchange, attempts);
  }

  /** Opens a GET stream: a new standing stream, or a known one after its last event. */
  #get(
    known: WireStream | null,
    stop: AbortSignal,
    origin: Origin = 'automatic',
    onAnswered: () => void = () => undefined,
  ): StreamAttempt | null {
    const headers = this.#options.headers('GET', known?.lastEventId ?? null);
    if (headers === null || stop.aborted) return null;
    let stream = known;
    const exchange = this.#start({
      method: 'GET',
      headers,
      body: null,
      origin,
      read: (response) => {
        onAnswered();
        const reader =
          isEventStream(response) && stream !== null
            ? eventStream(this.#options, response, stream)
            : wholeBody(this.#options, response, hasJsonType(response) ? 'message' : 'body');
        return this.#options.bodies.capture(response, reader);
      },
    });
    stream ??= this.#options.streams.add('standing', exchange.id);
    if (known !== null) {
      const resumed = known.resumed + 1;
      this.#options.streams.change(known, { exchange: exchange.id, state: 'open', resumed });
    }
    const drop = () => exchange.drop();
    stop.addEventListener('abort', drop, { once: true });
    const end = exchange.ended.finally(() => stop.removeEventListener('abort', drop));
    return { stream, end };
  }
}

interface StreamAttempt {
  readonly stream: WireStream;
  readonly end: Promise<HttpEnd>;
}
