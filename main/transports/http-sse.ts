import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import {
  eventStream,
  isEventStream,
  hasJsonType,
  isSuccess,
  wholeBody,
  type WireStream,
} from './responses.ts';
import type { BodyReader } from './body-readers.ts';
import type { Exchange, HttpEnd, HttpResponse } from './http-client.ts';
import { endpointMissing, explainEndpointStatus, readEndpoint } from './http-sse-endpoint.ts';
import { explainStatus, withDelivery } from './http-response-faults.ts';
import type { StreamableHttpOptions } from './streamable-http.ts';
import type { Ending, Outgoing, Sending } from './transport.ts';
import { withResolvers } from './async.ts';

export interface HttpSseOptions extends StreamableHttpOptions {
  /** Milliseconds to wait for the endpoint event. */
  readonly endpointTimeout: number;
  readonly onEnded: (ending: Ending) => void;
}

/**
 * The transport of revision 2024-11-05: one event stream from the server, whose first event says where messages
 * are POSTed to. When the stream ends, so does the session (MCP 2024-11-05 transports, HTTP with SSE).
 */
export class HttpSse {
  readonly #options: HttpSseOptions;
  #endpoint: URL | null = null;
  /** Names of the events before the endpoint, the first few; null for one without a name. */
  readonly #eventsBefore: (string | null)[] = [];
  #stream: Exchange | undefined;
  /** The URL of the stream, after redirects. */
  #streamUrl: URL;
  #isClosed = false;

  constructor(options: HttpSseOptions) {
    this.#options = options;
    this.#streamUrl = options.url;
  }

  /** The URL to which messages are sent; null until the server has named it. */
  get endpoint(): URL | null {
    return this.#endpoint;
  }

  /** Opens the stream and waits for its `endpoint` event. @throws FaultError */
  async open(): Promise<void> {
    const { client, url, headers, streams, bodies, endpointTimeout } = this.#options;
    const { promise: named, resolve: found } = withResolvers<string>();
    let entry: WireStream | null = null;
    const stream = client.start({
      method: 'GET',
      url,
      headers: headers('GET', null) ?? [],
      body: null,
      origin: 'automatic',
      read: (response): BodyReader => {
        if (!isEventStream(response)) {
          return bodies.capture(response, wholeBody(this.#options, response, 'body'));
        }
        this.#streamUrl = response.redirects.at(-1)?.to ?? url;
        entry = streams.add('standing', response.exchange);
        const reader = eventStream(this.#options, response, entry, (name, data) => {
          if (name === 'endpoint') found(data?.toString() ?? '');
          else if (this.#eventsBefore.length < MAX_EVENTS) this.#eventsBefore.push(name);
        });
        return bodies.capture(response, reader);
      },
    });
    this.#stream = stream;
    const ended = stream.ended.then((end) => {
      if (entry !== null) streams.change(entry, { state: 'closed' });
      return end;
    });
    this.#endpoint = await this.#waitForEndpoint(named, ended, endpointTimeout);
    void ended.then((end) => this.#lost(end));
  }

  send(unit: Outgoing): Sending {
    const { client, url, bodies } = this.#options;
    const endpoint = this.#endpoint ?? url;
    const exchange = client.start({
      method: 'POST',
      url: endpoint,
      headers: unit.headers ?? [],
      body: unit.bytes,
      origin: unit.origin,
      sink: unit.sink,
      // Responses belong on the stream, but one in this body must not be lost.
      read: (response) =>
        bodies.capture(
          response,
          wholeBody(this.#options, response, hasJsonType(response) ? 'message' : 'body'),
        ),
    });
    const finished = new Promise<Fault | null>((resolve) => {
      void exchange.ended.then((end) => {
        const fault = this.#faultOf(end, 'POST');
        // If the server accepted the request, the response comes on the stream.
        if (fault !== null || unit.isAwaited?.() !== true) resolve(fault);
      });
    });
    return { finished, drop: () => exchange.drop() };
  }

  drop(exchange: number): void {
    if (this.#stream?.id === exchange) this.#stream.drop();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #waitForEndpoint(named: Promise<string>, ended: Promise<HttpEnd>, timeout: number): Promise<URL> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), timeout);
    });
    const first = await Promise.race([named, ended, tooLong]);
    clearTimeout(timer);
    if (typeof first === 'string') return this.#readEndpoint(first);
    const exchange = this.#stream?.id;
    if (first === null) this.#stream?.drop();
    const { url, bodies } = this.#options;
    const quote = exchange === undefined ? undefined : bodies.quote(exchange);
    const { redacted } = bodies;
    const missing = { url, isOpen: first === null, events: this.#eventsBefore, quote, redacted };
    throw new FaultError((first && this.#faultOf(first, 'GET')) ?? endpointMissing(missing));
  }

  /** Parses the endpoint. It is untrusted, and our messages and headers go there: it must be of the same origin. */
  #readEndpoint(text: string): URL {
    const endpoint = readEndpoint(text, this.#streamUrl, this.#options.bodies.redacted);
    if (endpoint instanceof URL) return endpoint;
    this.#stream?.drop();
    throw new FaultError(endpoint);
  }

  #faultOf({ failure, response, received }: HttpEnd, method: 'GET' | 'POST'): Fault | null {
    const { bodies, client, url } = this.#options;
    const at = method === 'POST' ? (this.#endpoint ?? url) : url;
    const quote = (response && bodies.quote(response.exchange)) ?? bodies.quoteBytes(received);
    if (response !== null && !isSuccess(response)) {
      const fault = explainStatus(response, { method, url: at, quote, redacted: bodies.redacted });
      return method === 'POST'
        ? explainEndpointStatus(fault, response, { stream: this.#streamUrl, endpoint: at })
        : fault;
    }
    const isNoStream = method === 'GET' && response !== null && !isEventStream(response);
    const fault =
      failure === null ? (isNoStream ? noStream(url, response) : null) : client.explain(failure, at);
    return fault && withDelivery({ ...fault, ...(quote !== undefined && { quote }) }, response);
  }

  #lost({ failure }: HttpEnd): void {
    if (this.#isClosed) return;
    const why = failure === null ? 'the server closed it' : failure.message;
    this.#options.onEnded({
      clean: false,
      reason: `The event stream ended (${why}), and with it the session: HTTP+SSE has no other.`,
    });
  }
}

/** Names of events that are kept. */
const MAX_EVENTS = 5;

const noStream = (url: URL, response: HttpResponse): Fault => ({
  code: 'no-event-stream',
  what: `${withoutUrlSecrets(url.href)} answered GET with ${response.header('content-type') ?? 'no content type'}, not with an event stream.`,
  why: 'This is no MCP endpoint of HTTP+SSE.',
  next: 'Check the path of the URL, such as /mcp or /sse.',
});
