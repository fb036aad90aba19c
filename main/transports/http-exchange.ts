import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as sendRequest,
} from 'node:http';
import type { Socket } from 'node:net';
import { systemCodeOf } from '#shared/contract/fault.ts';
import type { HttpFailure } from '#shared/trace/record.ts';
import type { BodyReader } from './body-readers.ts';
import { now, reportTogether, type WireSink } from './transport.ts';
import { cutIntoPieces, BufferedBytes } from './pieces.ts';
import type { HttpAgent, Routed, Route } from './http-connect.ts';
import { rejectedBytes, StepError, bodyFailure, noResponseFailure } from './http-step-failure.ts';
import {
  completeHeaders,
  firstValue,
  linesOf,
  type HttpEnd,
  type HttpRequest,
  type HttpResponse,
} from './http-messages.ts';
import { withResolvers } from './async.ts';
import { ContentDecoder } from './content-coding.ts';

/** Options that all exchanges of a client share. */
export interface ExchangeContext {
  readonly sink: WireSink;
  readonly agent: HttpAgent;
  readonly nextUnit: () => number;
  readonly isPaused: () => boolean;
  readonly isClosed: () => boolean;
}

/** One attempt at a request. */
export interface HttpAttempt {
  readonly id: number;
  readonly request: HttpRequest;
  /** The route, or why there is none. */
  readonly route: Route | StepError;
  /** The exchange whose response redirected to this one. */
  readonly redirectOf: number | null;
  /** Whether an earlier exchange has already recorded the body. */
  readonly isRepeated: boolean;
}

/** How an attempt ended. */
export interface HttpAttemptEnd extends HttpEnd {
  /** Whether it reused a connection that the server had already closed. */
  readonly wasStale: boolean;
}

/** The longest head of a response, in bytes. */
const MAX_HEAD = 256 * 1024;

/** One request and its response on the wire; reports each step as it happens. */
export class WireExchange {
  /** Never rejects. */
  readonly ended: Promise<HttpAttemptEnd>;
  readonly #context: ExchangeContext;
  readonly #attempt: HttpAttempt;
  readonly #stop = new AbortController();
  readonly #settle: (end: HttpAttemptEnd) => void;
  /** The bytes of the response until its head is complete. */
  readonly #head = new BufferedBytes();
  #isHolding = false;
  #sent: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #response: HttpResponse | null = null;
  #reader: BodyReader | undefined;
  /** Null if the body is read as it comes. */
  #decoder: ContentDecoder | null = null;
  /** When the last bytes were read. */
  #readAt = 0;
  #size = 0;
  #isEnding = false;
  #broken: Error | undefined;
  #isOver = false;

  constructor(context: ExchangeContext, attempt: HttpAttempt) {
    this.#context = context;
    this.#attempt = attempt;
    const { promise, resolve } = withResolvers<HttpAttemptEnd>();
    this.ended = promise;
    this.#settle = resolve;
  }

  get id(): number {
    return this.#attempt.id;
  }

  /** The request and its body have been recorded when this returns. */
  begin(): void {
    const { request, route } = this.#attempt;
    const proxy = route instanceof StepError ? null : route.proxy;
    const isForwarded = proxy !== null && request.url.protocol === 'http:';
    const headers = completeHeaders(request, isForwarded ? proxy.authorization : null);
    this.#reportRequest(headers);
    if (this.#context.isClosed()) return this.drop();
    if (route instanceof StepError) return this.#fail(route);
    const { origin, pathname, search } = request.url;
    const options: RequestOptions & Routed = {
      agent: this.#context.agent,
      method: request.method,
      host: request.url.hostname,
      // A forwarding proxy gets the absolute URL (RFC 9112 section 3.2.2).
      path: `${isForwarded ? origin : ''}${pathname}${search}`,
      headers: headers.flat(),
      maxHeaderSize: MAX_HEAD,
      route,
      stop: this.#stop.signal,
    };
    try {
      this.#sent = this.#listenTo(sendRequest(options));
      this.#sent.end(request.body ?? undefined);
    } catch (error) {
      // Header lines that Node refuses to write.
      this.#fail(error);
    }
  }

  /** Aborts the exchange. */
  drop(): void {
    if (this.#isOver || this.#isEnding) return;
    this.#takeLeftOver();
    this.#end('dropped', null);
    this.#stop.abort();
    this.#sent?.destroy();
  }

  pause(): void {
    this.#incoming?.pause();
  }

  resume(): void {
    this.#incoming?.resume();
  }

  #reportRequest(headers: [string, string][]): void {
    const { sink } = this.#context;
    const { request, redirectOf, isRepeated } = this.#attempt;
    // Receives the bytes of the message only.
    const messageSink = request.sink ?? sink;
    const { method, url, body, origin } = request;
    const at = now();
    sink({
      kind: 'http-request',
      at,
      exchange: this.id,
      method: method.toUpperCase(),
      url: `${url.origin}${url.pathname}${url.search}`,
      headers,
      bodySize: body?.length ?? 0,
      origin,
      ...(request.isOutOfBand === true && { answers: request.answers ?? 'tokens' }),
      ...(redirectOf !== null && { redirectOf }),
    });
    if (body === null || body.length === 0) return;
    if (isRepeated || request.isOutOfBand === true) return this.#reportBytes('out', body, at);
    const unit = this.#context.nextUnit();
    const message = { kind: 'message-bytes', direction: 'out', channel: 'http', origin, at, unit } as const;
    for (const piece of cutIntoPieces(body)) messageSink({ ...message, exchange: this.id, ...piece });
  }

  /** Reports bytes of this exchange that are not a message, or a repeated message. */
  #reportBytes(direction: 'in' | 'out', bytes: Buffer, at: number): void {
    if (bytes.length === 0) return;
    const unit = this.#context.nextUnit();
    for (const piece of cutIntoPieces(bytes)) {
      const isStray = direction === 'in';
      this.#context.sink({ kind: 'body-bytes', direction, exchange: this.id, at, unit, isStray, ...piece });
    }
  }

  #listenTo(sent: ClientRequest): ClientRequest {
    sent.maxHeadersCount = 0;
    sent.on('socket', (socket) => this.#connected(sent, socket));
    sent.on('information', ({ statusCode, statusMessage, httpVersion, rawHeaders }) =>
      this.#reportHead({ statusCode, statusMessage, httpVersion, rawHeaders }, true),
    );
    sent.on('response', (incoming) => this.#receive(incoming));
    sent.on('upgrade', (incoming, socket, rest) => this.#refuseUpgrade(incoming, socket, rest));
    sent.on('error', (error) => this.#errorCame(error));
    sent.on('close', () => {
      if (this.#incoming === undefined) this.#fail(new Error('the connection was closed'));
    });
    return sent;
  }

  #connected(sent: ClientRequest, socket: Socket): void {
    const facts = this.#context.agent.factsOf(socket);
    if (this.#isOver || facts === undefined) return;
    const reused = sent.reusedSocket;
    this.#context.sink({
      kind: 'http-connected',
      at: now(),
      exchange: this.id,
      reused,
      ...facts,
      took: reused ? {} : facts.took,
    });
    this.#isHolding = true;
    const hold = (bytes: Buffer) => {
      if (this.#isHolding && this.#head.length < MAX_HEAD) this.#head.add(bytes);
    };
    // Before Node's own listener, so that bytes its parser rejects have been kept.
    socket.prependListener('data', hold);
    sent.once('close', () => socket.off('data', hold));
  }

  #reportHead(head: Head, isInterim: boolean): [string, string][] {
    const headers = linesOf(head.rawHeaders);
    if (this.#isOver) return headers;
    this.#context.sink({
      kind: 'http-response',
      at: now(),
      exchange: this.id,
      status: head.statusCode ?? 0,
      reason: head.statusMessage ?? '',
      httpVersion: head.httpVersion,
      headers,
      ...(isInterim && { interim: true }),
    });
    return headers;
  }

  /** The head of the final response is complete. */
  #takeHead(incoming: IncomingMessage): HttpResponse {
    this.#incoming = incoming;
    this.#isHolding = false;
    this.#head.take();
    const headers = this.#reportHead(incoming, false);
    const response = {
      exchange: this.id,
      status: incoming.statusCode ?? 0,
      reason: incoming.statusMessage ?? '',
      headers,
      redirects: [],
      header: (name: string) => firstValue(headers, name),
    };
    this.#response = response;
    return response;
  }

  #receive(incoming: IncomingMessage): void {
    if (this.#isOver) return;
    const response = this.#takeHead(incoming);
    incoming.on('error', (error) => {
      this.#broken ??= error;
    });
    this.#reader = this.#attempt.request.read(response);
    // What reads the bodies of an authorization flow decodes them itself.
    if (this.#attempt.request.isOutOfBand !== true) this.#decoder = this.#decoderOf(response);
    incoming.on('data', this.#take);
    incoming.on('end', () => this.#bodyEnded(incoming));
    incoming.on('close', () => this.#bodyEnded(incoming));
    if (this.#context.isPaused()) incoming.pause();
  }

  #decoderOf({ headers }: HttpResponse): ContentDecoder | null {
    return ContentDecoder.of(headers, {
      decoded: (bytes) => this.#read(bytes),
      failed: (failure) => {
        if (this.#isOver) return;
        this.#finish('cut', failure);
        this.#stop.abort();
        this.#sent?.destroy();
      },
    });
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#isOver) return;
    this.#size += bytes.length;
    this.#readAt = now();
    const decoder = this.#decoder;
    if (decoder === null) return this.#read(bytes);
    decoder.push(bytes);
    // The decoder is asynchronous, and must not be overrun.
    this.#incoming?.pause();
    void decoder.idle().then(() => {
      if (!this.#isOver && !this.#context.isPaused()) this.#incoming?.resume();
    });
  };

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    reportTogether(this.#context.sink, () => this.#reader?.push(bytes, this.#readAt));
  }

  #bodyEnded(incoming: IncomingMessage): void {
    if (this.#isOver || this.#isEnding) return;
    this.#takeLeftOver();
    if (incoming.complete) this.#end('complete', null);
    else this.#end('cut', bodyFailure(this.#broken));
  }

  /** Ends the exchange once all that came of an encoded body has been decoded. */
  #end(how: HttpEnd['how'], failure: HttpFailure | null): void {
    const decoder = this.#decoder;
    if (decoder === null) return this.#finish(how, failure);
    this.#isEnding = true;
    void decoder.end(how === 'complete').then(() => {
      if (!this.#isOver) this.#finish(how, failure);
    });
  }

  /** Bytes that were read from the connection while the body was paused must not be lost. */
  #takeLeftOver(): void {
    const incoming = this.#incoming;
    if (incoming === undefined) return;
    incoming.off('data', this.#take);
    for (;;) {
      const bytes: unknown = incoming.read();
      if (!Buffer.isBuffer(bytes)) return;
      this.#take(bytes);
    }
  }

  /** We never request an upgrade and speak no other protocol. */
  #refuseUpgrade(incoming: IncomingMessage, socket: Socket, rest: Buffer): void {
    socket.destroy();
    if (this.#isOver) return;
    this.#takeHead(incoming);
    this.#reportBytes('in', rest, now());
    this.#finish('failed', {
      step: 'response',
      code: 'HTTP_UPGRADE',
      message: 'the server switched to another protocol without being asked',
    });
  }

  #errorCame(error: Error): void {
    if (this.#incoming === undefined) return this.#fail(error);
    if (this.#isOver) return;
    this.#broken ??= error;
    // Bytes that are not a valid chunk, or that follow a complete response.
    this.#reportBytes('in', rejectedBytes(error), now());
  }

  /** Ends the exchange without a response. */
  #fail(error: unknown): void {
    if (this.#isOver || this.#isEnding) return;
    const isReused = this.#sent?.reusedSocket ?? false;
    const wasStale = isReused && this.#head.length === 0 && staleCodes.has(systemCodeOf(error) ?? '');
    const received = error instanceof StepError ? error.rejected : this.#head.take();
    this.#reportBytes('in', received, now());
    const isSent = this.#sent?.writableFinished ?? false;
    this.#finish('failed', noResponseFailure(error, isSent, received), { wasStale, received });
  }

  #finish(
    how: HttpEnd['how'],
    failure: HttpFailure | null,
    { wasStale = false, received = NOTHING }: { wasStale?: boolean; received?: Buffer } = {},
  ): void {
    this.#isOver = true;
    const at = now();
    this.#reader?.end(at, how !== 'complete');
    const rest = this.#decoder?.takeRest() ?? received;
    if (rest !== received) this.#reportBytes('in', rest, at);
    const trailers = linesOf(this.#incoming?.rawTrailers ?? []);
    this.#context.sink({
      kind: 'http-end',
      at,
      exchange: this.id,
      how,
      size: this.#size,
      ...(failure !== null && { failure }),
      ...(trailers.length > 0 && { trailers }),
    });
    this.#settle({ how, failure, response: this.#response, received: rest, wasStale });
  }
}

const NOTHING = Buffer.alloc(0);

type Head = Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'httpVersion' | 'rawHeaders'>;

/** The errors of writing to a connection that the other side has closed. */
const staleCodes = new Set(['ECONNRESET', 'EPIPE']);
