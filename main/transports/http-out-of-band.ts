import type { BodyKind } from '#shared/body-secrets.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { WholeBody } from './body-readers.ts';
import type { HttpClient } from './http-client.ts';
import { now, type WireSink } from './transport.ts';

/** A request to any URL that carries no MCP message. */
export interface OutOfBandRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderLines;
  readonly body: Buffer | null;
  /** The most bytes to return of the response's body. The trace has every byte that was read. */
  readonly maxBody: number;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** Whether it fails if the URL leads to this machine or its network, and the server is elsewhere. */
  readonly refusesPrivate: boolean;
  /** What the response may hold, which decides how much of it is recorded. */
  readonly answers: BodyKind;
  /** Whether it has a connection of its own, which ends with it. */
  readonly isAlone?: boolean;
  /**
   * Whether enough has come; the rest is then not read, and the response counts as complete. For event streams, which may have no end.
   * Asked at the head and after each piece of the body.
   */
  readonly isEnough?: (head: ResponseHead, body: Buffer) => boolean;
  /** Ends the exchange, which counts as complete if its head has come. */
  readonly end?: AbortSignal;
}

/** The head of a response, while its body is read. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderLines;
}

export interface OutOfBandResponse {
  readonly exchange: number;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Buffer;
  /** Whether the body was longer than `maxBody`, so that the rest was not read. */
  readonly isCut: boolean;
  /** Microseconds from the request to the end of the body. */
  readonly duration: number;
}

/**
 * Makes one exchange that carries no MCP message, such as with an authorization server.
 *
 * @throws FaultError if there is no complete response in time
 */
export async function exchangeOutOfBand(
  client: HttpClient,
  sink: WireSink,
  { method, url, headers, body, maxBody, timeout, refusesPrivate, answers, ...more }: OutOfBandRequest,
): Promise<OutOfBandResponse> {
  const { isAlone = false, isEnough = () => false, end } = more;
  const startedAt = now();
  const pieces: Buffer[] = [];
  let size = 0;
  const exchange = client.start({
    method,
    url,
    headers: isAlone ? [...headers, ['Connection', 'close']] : headers,
    body,
    origin: 'automatic',
    isOutOfBand: true,
    refusesPrivate,
    answers,
    isAlone,
    read: (response) => {
      const reader = new WholeBody({
        sink,
        unit: () => client.nextUnit(),
        exchange: response.exchange,
        as: 'body',
      });
      const dropIfEnough = () => {
        if (isEnough(response, Buffer.concat(pieces))) exchange.drop();
      };
      // Its head is being read, which a drop would interrupt.
      queueMicrotask(dropIfEnough);
      return {
        push: (bytes, at) => {
          reader.push(bytes, at);
          const piece = bytes.subarray(0, Math.max(0, maxBody - size));
          if (piece.length > 0) pieces.push(Buffer.from(piece));
          size += bytes.length;
          if (size > maxBody) exchange.drop();
          else if (piece.length > 0) dropIfEnough();
        },
        end: (at, isCut) => reader.end(at, isCut),
      };
    },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    exchange.drop();
  }, timeout);
  const drop = () => exchange.drop();
  if (end?.aborted === true) drop();
  end?.addEventListener('abort', drop);
  const { response, failure, how } = await exchange.ended;
  clearTimeout(timer);
  end?.removeEventListener('abort', drop);
  if (isLate) throw new FaultError(tooSlow(url, timeout));
  if (failure !== null && (response === null || how === 'failed' || how === 'cut')) {
    throw new FaultError(client.explain(failure, url));
  }
  if (response === null) throw new FaultError(wasDropped(url));
  const { exchange: id, status, headers: lines } = response;
  return {
    exchange: id,
    status,
    headers: lines,
    body: Buffer.concat(pieces),
    isCut: size > maxBody,
    duration: now() - startedAt,
  };
}

const tooSlow = (url: URL, timeout: number) => ({
  code: 'http-timeout',
  what: `${url.host} did not answer completely within ${timeout / 1000} seconds.`,
  why: 'The server is slow, or its response has no end.',
  next: 'Look at the exchange in the trace, and at the log of the server.',
});

const wasDropped = (url: URL) => ({
  code: 'http-dropped',
  what: `The exchange with ${url.host} was ended before there was a response.`,
});
