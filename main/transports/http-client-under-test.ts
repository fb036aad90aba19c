import type { HttpEndRecord } from '#shared/trace/record.ts';
import type { BodyReader } from './body-readers.ts';
import {
  HttpClient,
  type HttpClientOptions,
  type HttpEnd,
  type HttpRequest,
  type HttpResponse,
} from './http-client.ts';
import type { WireEvent } from './transport.ts';

/** What one request of a test led to. */
export interface Asked extends HttpEnd {
  readonly exchange: number;
  readonly body: string;
  /** How the reader of the body was told that it ended: null when it was not, or there was none. */
  readonly cut: boolean | null;
}

type WireEventOf<K extends WireEvent['kind']> = Extract<WireEvent, { kind: K }>;

/** A client for one test, and everything it reports. */
export class ClientUnderTest {
  readonly client: HttpClient;
  readonly events: WireEvent[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(options: Partial<HttpClientOptions> = {}) {
    const sink = (event: WireEvent) => {
      this.events.push(event);
      for (const look of this.#waiting) look();
    };
    this.client = new HttpClient(sink, { tls: { accepted: null }, proxy: 'none', ...options });
  }

  all<K extends WireEvent['kind']>(kind: K): WireEventOf<K>[] {
    return this.events.filter((event): event is WireEventOf<K> => event.kind === kind);
  }

  get ends(): Omit<HttpEndRecord, 'seq'>[] {
    return this.all('http-end');
  }

  /** Settles as soon as something of this kind was reported so many times. */
  seen(kind: WireEvent['kind'], count = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.all(kind).length < count) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  start(url: string, request: Partial<HttpRequest> = {}) {
    let body = '';
    let cut: boolean | null = null;
    const read = (_response: HttpResponse): BodyReader => ({
      push: (bytes) => {
        body += bytes.toString('latin1');
      },
      end: (_at, isCut) => {
        cut = isCut;
      },
    });
    const exchange = this.client.start({
      method: 'GET',
      url: new URL(url),
      headers: [],
      body: null,
      origin: 'user',
      read,
      ...request,
    });
    const asked = exchange.ended.then((end): Asked => ({ ...end, exchange: exchange.id, body, cut }));
    return { exchange, asked, bodySoFar: () => body };
  }

  /** Makes a request and waits for its end. */
  ask(url: string, request: Partial<HttpRequest> = {}): Promise<Asked> {
    return this.start(url, request).asked;
  }

  post(url: string, text: string, request: Partial<HttpRequest> = {}): Promise<Asked> {
    return this.ask(url, { method: 'POST', body: Buffer.from(text), ...request });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
