import type { BodyKind } from '#shared/body-secrets.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { ResponseHead } from '#transports/http-out-of-band.ts';

/** A request as it goes out, order and case of its headers kept. */
export interface RawRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderLines;
  readonly body: Buffer | null;
  /** What the response may hold; tokens by default. */
  readonly answers?: BodyKind;
  /** As an out-of-band exchange has them (`http-out-of-band`). */
  readonly isAlone?: boolean;
  readonly isEnough?: (head: ResponseHead, body: Buffer) => boolean;
  readonly end?: AbortSignal;
  /** Milliseconds for the exchange, if not `EXCHANGE_LIMIT`. */
  readonly limit?: number;
}

/** What of a response may be kept, quoted and shown. */
export interface ShownResponse {
  readonly headers: HeaderLines;
  readonly text: string;
  /** Replaces the secrets of the response in a text about it. */
  readonly hide: (text: string) => string;
}

/** A response as it came in. Nothing of it has been judged. */
export interface RawResponse {
  /** The URL of the request. Redirects are not followed, so it is the URL of the response too. */
  readonly url: URL;
  readonly status: number;
  readonly headers: HeaderLines;
  /** The body, at most `MAX_RESPONSE` bytes of it. */
  readonly body: Buffer;
  /** Whether the body was longer. */
  readonly isCut: boolean;
  /** Row of the exchange in the trace. */
  readonly row: number;
  /** Microseconds from the request to the end of the body. */
  readonly duration: number;
}

/** A response with its copy without secrets. Nothing else of it is quoted or shown. */
export interface FlowResponse extends RawResponse {
  readonly shown: ShownResponse;
}

/** Limit of bytes read of the body of a response. */
export const MAX_RESPONSE = 1 << 20;

/** Limit of milliseconds for one exchange. */
export const EXCHANGE_LIMIT = 30_000;

/**
 * Sends one request over the recorded connection.
 *
 * @param isConfirmed whether the user has seen the request, and sent it: then it may reach this machine or its network,
 *   although a public server named the URL
 * @throws FaultError if there is no response
 */
export type SendRequest = (request: RawRequest, isConfirmed: boolean) => Promise<FlowResponse>;
