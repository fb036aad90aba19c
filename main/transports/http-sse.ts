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
import { explainStatus } from './http-fault-explanations.ts';
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
  #stream: Exchange | undefined;
  #isClosed = false;

  constructor(options: HttpSseOptions) {
    this.#options = options;
  }

  /** The URL to which messages are sent; null until the server has named it. */
  get endpoint(): URL | null {
    return this.#endpoint;
  }

  /** Opens the stream and waits for its `endpoint` event. @throws FaultError */
  async open(): Promise<void> {
    const { client, url, headers, streams, rejections, endpointTimeout } = this.#options;
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
          return rejections.capture(response, wholeBody(this.#options, response, 'body'));
        }
        entry = streams.add('standing', response.exchange);
        return eventStream(this.#options, response, entry, (name, data) => {
          if (name === 'endpoint') found(data?.toString() ?? '');
        });
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
    const { client, url, rejections } = this.#options;
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
        rejections.capture(
          response,
          wholeBody(this.#options, response, hasJsonType(response) ? 'message' : 'body'),
        ),
    });
    const finished = new Promise<Fault | null>((resolve) => {
      void exchange.ended.then((end) => {
        const fault = this.#faultOf(end, 'POST', endpoint);
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
    if (first === null) this.#stream?.drop();
    const { url } = this.#options;
    throw new FaultError((first && this.#faultOf(first, 'GET', url)) ?? noEndpoint(url, first));
  }

  /** Parses the endpoint. It is untrusted, and our messages and headers go there: it must be of the same origin. */
  #readEndpoint(text: string): URL {
    const { url } = this.#options;
    const endpoint = URL.canParse(text, url.href) ? new URL(text, url) : null;
    if (endpoint?.origin === url.origin) return endpoint;
    this.#stream?.drop();
    throw new FaultError(badEndpoint(text, url, endpoint));
  }

  #faultOf({ failure, response }: HttpEnd, method: string, url: URL): Fault | null {
    const { rejections } = this.#options;
    if (response !== null && !isSuccess(response)) {
      return explainStatus(response, method, url, rejections.quote(response.exchange));
    }
    if (failure !== null) return this.#options.client.explain(failure, url);
    return method === 'GET' && response !== null && !isEventStream(response) ? noStream(url, response) : null;
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

const noEndpoint = (url: URL, end: HttpEnd | null): Fault => ({
  code: 'endpoint-missing',
  what:
    end === null
      ? `${withoutUrlSecrets(url.href)} opened an event stream but did not say where to send messages.`
      : `${withoutUrlSecrets(url.href)} closed its event stream before it said where to send messages.`,
  why: 'The first event of HTTP+SSE must be "endpoint". This may be no MCP server, or a page behind a proxy that buffers.',
  next: 'Look at the stream in the trace, and check the path of the URL.',
});

const noStream = (url: URL, response: HttpResponse): Fault => ({
  code: 'no-event-stream',
  what: `${withoutUrlSecrets(url.href)} answered GET with ${response.header('content-type') ?? 'no content type'}, not with an event stream.`,
  why: 'This is no MCP endpoint of HTTP+SSE.',
  next: 'Check the path of the URL, such as /mcp or /sse.',
});

const badEndpoint = (text: string, url: URL, endpoint: URL | null): Fault => ({
  code: endpoint === null ? 'endpoint-invalid' : 'endpoint-cross-origin',
  what:
    endpoint === null
      ? 'The server named an endpoint for messages that is no URL.'
      : `The server wants messages at ${endpoint.origin}, which is another origin than ${url.origin}.`,
  ...(endpoint !== null && { why: 'Your headers would go there, so it is not followed.' }),
  next: 'Correct the endpoint event of the server, or connect to that address directly.',
  evidence: text.slice(0, 2000),
});
