import type { WireEvent } from './transport.ts';
import type { HeaderLines, HttpEndRecord, HttpFailure, Origin } from '#shared/trace/record.ts';
import type { BodyReader } from './body-readers.ts';

/** One request as its caller wants it on the wire. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /**
   * Lines as they go out, order and case kept. Host, Content-Length (when there is a body) and Connection are
   * added unless present in any case.
   */
  readonly headers: HeaderLines;
  readonly body: Buffer | null;
  readonly origin: Origin;
  /** Takes the report of the body; the sink of the transport if undefined. */
  readonly sink?: ((event: WireEvent) => void) | undefined;
  /** Chooses who takes the body, by the head of the final response. */
  readonly read: (response: HttpResponse) => BodyReader;
}

/** The head of a response that is no informational one. */
export interface HttpResponse {
  readonly exchange: number;
  readonly status: number;
  readonly reason: string;
  /** A character a byte (Latin-1), as HTTP has it. */
  readonly headers: HeaderLines;
  /** First value of a header, by lower-case name. */
  header(name: string): string | null;
}

/** How an exchange ended. */
export interface HttpEnd {
  readonly how: HttpEndRecord['how'];
  readonly failure: HttpFailure | null;
  readonly response: HttpResponse | null;
}

/** A request on its way, redirects and all. */
export interface Exchange {
  /** Number of the exchange; of the last one when it was redirected. */
  readonly id: number;
  /** The head of the final response; null when it ended before one. Never rejects. */
  readonly response: Promise<HttpResponse | null>;
  /** Never rejects. Settles after the body was read to its end and everything is on record. */
  readonly ended: Promise<HttpEnd>;
  /** Breaks it off. */
  drop(): void;
}
