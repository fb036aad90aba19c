import type { HeaderLines, HttpRequestRecord } from '#shared/trace/record.ts';
import { now, type WireSink } from './transport.ts';

/** A request that came to a port of ours and carries no MCP message, such as the redirect of a browser. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderLines;
  readonly received: NonNullable<HttpRequestRecord['received']>;
  /** The head of our response; null if the user pasted the URL. */
  readonly response: { readonly status: number; readonly headers: HeaderLines } | null;
}

/** Reports a request that came to us as an exchange that has ended. Its body is not read. */
export function reportReceived(
  sink: WireSink,
  exchange: number,
  { method, url, headers, received, response }: ReceivedRequest,
): void {
  const at = now();
  const lines = (of: HeaderLines) => of.map(([name, value]): [string, string] => [name, value]);
  sink({
    kind: 'http-request',
    at,
    exchange,
    method,
    url,
    headers: lines(headers),
    bodySize: 0,
    origin: 'automatic',
    received,
    // A callback has a code.
    answers: 'tokens',
  });
  if (response !== null) {
    const { status, headers: own } = response;
    sink({
      kind: 'http-response',
      at,
      exchange,
      status,
      reason: '',
      httpVersion: '1.1',
      headers: lines(own),
    });
  }
  sink({ kind: 'http-end', at, exchange, how: 'complete', size: 0 });
}
