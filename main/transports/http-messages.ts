import type { BodyKind } from '#shared/body-secrets.ts';
import type { HeaderLines, HttpEndRecord, HttpFailure, Origin } from '#shared/trace/record.ts';
import type { BodyReader } from './body-readers.ts';
import type { WireEvent } from './transport.ts';

/** A request as the caller wants it on the wire. */
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
  /**
   * Whether the exchange carries no MCP message, such as one with an authorization server: its body is not a message, its
   * redirects are not followed, and our TLS certificate is sent only to the origin of the MCP server.
   */
  readonly isOutOfBand?: boolean;
  /** What the response to an out-of-band exchange may hold, which decides how much of it is recorded; tokens by default. */
  readonly answers?: BodyKind;
  /**
   * Whether an out-of-band exchange fails before it reaches this machine or its network, unless the server of the
   * client is there as well: a public server could use us to reach what it cannot (MCP security best practices).
   */
  readonly refusesPrivate?: boolean;
  /** Whether it has a connection of its own: a new one, which the header `Connection: close` of the request ends. */
  readonly isAlone?: boolean;
  /** Receives the bytes of the body; the sink of the transport by default. */
  readonly sink?: ((event: WireEvent) => void) | undefined;
  /** Chooses the reader of the body by the head of the final response. */
  readonly read: (response: HttpResponse) => BodyReader;
}

/** The head of a final (not informational) response. */
export interface HttpResponse {
  readonly exchange: number;
  readonly status: number;
  readonly reason: string;
  /** Latin-1: one character per byte. */
  readonly headers: HeaderLines;
  /** The redirects that led to it, in order. */
  readonly redirects: readonly Redirect[];
  /** First value of a header, by lower-case name. */
  header(name: string): string | null;
}

/** A redirect that was followed. */
export interface Redirect {
  readonly status: number;
  readonly from: URL;
  readonly to: URL;
}

/** How an exchange ended. */
export interface HttpEnd {
  readonly how: HttpEndRecord['how'];
  readonly failure: HttpFailure | null;
  readonly response: HttpResponse | null;
  /** The bytes that came in place of a response, or that could not be decoded. */
  readonly received: Buffer;
}

/** A request in progress, with its redirects. */
export interface Exchange {
  /** Number of the exchange; of the last one after redirects. */
  readonly id: number;
  /** The head of the final response; null if there was none. Never rejects. */
  readonly response: Promise<HttpResponse | null>;
  /** Settles after the body was read to its end and everything was recorded. Never rejects. */
  readonly ended: Promise<HttpEnd>;
  /** Aborts the request. */
  drop(): void;
}

type Lines = [name: string, value: string][];

/** Methods whose requests send Content-Length even without a body (RFC 9110 section 8.6). */
const withContent = new Set(['POST', 'PUT', 'PATCH']);

/** The first value of a header, by its name in lower case. */
export const firstValue = (lines: HeaderLines, name: string): string | null =>
  lines.find((line) => line[0].toLowerCase() === name)?.[1] ?? null;

/** Node's flat list of names and values as header lines. */
export function linesOf(raw: readonly string[]): Lines {
  const lines: Lines = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    lines.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return lines;
}

/** All header lines of a request: those of the caller, and those that HTTP requires. */
export function completeHeaders(request: HttpRequest, proxyAuthorization: string | null): Lines {
  const { method, url, headers, body } = request;
  const length = body === null && !withContent.has(method.toUpperCase()) ? null : (body?.length ?? 0);
  const isChunked = firstValue(headers, 'transfer-encoding') !== null;
  const unlessPresent = (name: string, value: string | null): Lines =>
    value === null || firstValue(headers, name.toLowerCase()) !== null ? [] : [[name, value]];
  return [
    ...unlessPresent('Host', url.host),
    ...headers.map(([name, value]): [string, string] => [name, value]),
    ...unlessPresent('Authorization', basicCredentials(url)),
    ...unlessPresent('Proxy-Authorization', proxyAuthorization),
    ...unlessPresent('Content-Length', length === null || isChunked ? null : String(length)),
    ...unlessPresent('Connection', 'keep-alive'),
  ];
}

/** The credentials a URL carries, as the value of a header (RFC 7617); null when it has none. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // An invalid escape is kept as it is.
    return part;
  }
}
