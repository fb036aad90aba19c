import type { Fault } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { similarWord } from '#shared/similar-word.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { HttpResponse } from './http-messages.ts';
import { type Redact, shortened } from './quote.ts';

/** What stands in endpoint events in place of an address: how it is recognized, what it is, and why it cannot be used. */
const noAddresses: readonly {
  readonly is: (data: string, stream: URL) => boolean;
  readonly what: string;
  readonly why: string;
}[] = [
  {
    // Before JSON, because an IPv6 address begins with a bracket, too.
    is: (data, stream) =>
      /^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}(?:[/?#]|$)/i.test(data) || isOwnHost(data, stream),
    what: 'an address without its scheme',
    why: 'Clients resolve it as a path, or take the host for a scheme. An address with a host begins with http:// or https://.',
  },
  {
    is: (data) => /^[{["]/.test(data),
    what: 'JSON text',
    why: 'Clients take its data as the URL, as it is: they would post to a path of braces and quotes.',
  },
  {
    is: (data) => /^['`‘’“”«<(]/.test(data),
    what: 'text in quotes or brackets',
    why: 'Clients take its data as the URL, as it is: they would post to a path with these characters in it.',
  },
  {
    is: (data) => /[\r\n]/.test(data),
    what: 'several lines',
    why: 'Clients take all of its data as one URL.',
  },
  {
    is: (data) => /^(?:GET|POST|PUT)\s/i.test(data),
    what: 'a method and an address',
    why: 'Clients take all of its data as the URL: they would post to a path with the method in it.',
  },
];

/** Whether data begins with the host of the stream, as an address without its scheme does. */
function isOwnHost(data: string, { hostname }: URL): boolean {
  const [first = ''] = data.split(/[/?#]/, 1);
  return first.toLowerCase() === hostname && (hostname === 'localhost' || /[.:]/.test(hostname));
}

/**
 * The URL that an endpoint event names (MCP 2024-11-05 transports, HTTP with SSE), or the fault if it names none. Almost any text can
 * be resolved as a relative URL, so what is no address is refused first.
 */
export function readEndpoint(text: string, stream: URL, redacted: Redact): URL | Fault {
  const data = text.trim();
  const next = 'Have the endpoint event hold the address alone, such as "data: /messages?sessionId=…".';
  const evidence = shortened(text, 2000, redacted);
  if (data === '') {
    return { code: 'endpoint-invalid', what: 'The endpoint event of the server is empty.', next };
  }
  const other = noAddresses.find(({ is }) => is(data, stream));
  if (other !== undefined) {
    const what = `The endpoint event of the server holds ${other.what} where a URL must be.`;
    return { code: 'endpoint-invalid', what, why: other.why, next, evidence };
  }
  const endpoint = URL.canParse(data, stream.href) ? new URL(data, stream) : null;
  if (endpoint === null) {
    return {
      code: 'endpoint-invalid',
      what: 'The server named an endpoint for messages that is not a URL.',
      next: 'Correct the endpoint event of the server, or connect to that address directly.',
      evidence,
    };
  }
  if (endpoint.protocol !== 'http:' && endpoint.protocol !== 'https:') {
    const scheme = shortened(endpoint.protocol, 40, redacted);
    return {
      code: 'endpoint-invalid',
      what: `The endpoint event of the server holds an address with the scheme ${scheme} where an http or https address must be.`,
      why: 'Messages are sent by HTTP POST. Nothing was sent to that address.',
      next,
      evidence,
    };
  }
  if (endpoint.origin === stream.origin) return endpoint;
  return {
    code: 'endpoint-cross-origin',
    what: `The server wants messages at ${endpoint.origin}, which is another origin than ${stream.origin}.`,
    why: 'Your headers would go there, so it is not followed.',
    next: 'Correct the endpoint event of the server, or connect to that address directly.',
    evidence,
  };
}

/** The stream did not name an endpoint. */
export function endpointMissing({
  url,
  isOpen,
  events,
  quote,
  redacted,
}: {
  readonly url: URL;
  /** Whether the stream was still open when the time was over. */
  readonly isOpen: boolean;
  /** The names of the events that came instead; null for one without a name. */
  readonly events: readonly (string | null)[];
  readonly quote: string | undefined;
  readonly redacted: Redact;
}): Fault {
  const address = withoutUrlSecrets(url.href);
  const [first] = events;
  const similar = events.find((name) => name !== null && isNearlyEndpoint(name)) ?? null;
  return {
    code: 'endpoint-missing',
    what: isOpen
      ? `${address} opened an event stream but did not say where to send messages.`
      : `${address} closed its event stream before it said where to send messages.`,
    ...(quote !== undefined && { quote }),
    why:
      similar !== null
        ? `The server sent an event "${shortened(similar, 100, redacted)}", which is probably meant to be the endpoint event. Its name must be "endpoint", letter by letter, so clients ignore it.`
        : first === undefined
          ? 'The first event of HTTP+SSE must be "endpoint". This may be no MCP server, or a page behind a proxy that buffers.'
          : `The first event of HTTP+SSE must be "endpoint". ${formatQuantity(events.length, 'other event')} came: the first ${first === null ? 'has no name' : `is "${shortened(first, 100, redacted)}"`}.`,
    next:
      similar !== null
        ? 'Have the server send "event: endpoint".'
        : first === undefined
          ? 'Look at the stream in the trace, and check the path of the URL.'
          : 'Have the server send "event: endpoint" first. If this is no MCP server, check the path of the URL.',
  };
}

/** Whether the name of an event is "endpoint" in another case, with other characters around or in it, or with a mistake. */
function isNearlyEndpoint(name: string): boolean {
  const letters = name.slice(0, MAX_NAME).replaceAll(/[^a-z]/gi, '');
  return letters.length >= 6 && similarWord(letters, ['endpoint']) !== null;
}

/** Characters of the name of an event that are compared. */
const MAX_NAME = 40;

/**
 * The fault of a POST that was refused at the address that the endpoint event named: then the event is wrong, and not the URL of the
 * user. A server that does not know the prefix under which a proxy or a framework serves it leaves it out.
 */
export function explainEndpointStatus(
  fault: Fault,
  { status, redirects }: HttpResponse,
  { stream, endpoint }: { readonly stream: URL; readonly endpoint: URL },
): Fault {
  if ((status !== 404 && status !== 405 && status !== 501) || redirects.length > 0) return fault;
  const named = `The endpoint event of the server named this address: ${withoutUrlSecrets(endpoint.href)}.`;
  const prefix = missingPrefix(stream, endpoint);
  if (prefix === null) {
    return {
      ...fault,
      why: `${named} It does not accept messages.`,
      next: 'Correct the endpoint event of the server. The URL of the stream is right: it answered.',
    };
  }
  return {
    ...fault,
    why: `${named} It lacks ${prefix}, under which the stream is: the server does not know that it is served there.`,
    next: `Have the endpoint event name ${prefix}${endpoint.pathname}: set the root path or mount path of the server. The URL of the stream is right.`,
  };
}

/** The folder of the stream's path, if the endpoint is not in it; null if it is, or if there is none. */
function missingPrefix(stream: URL, endpoint: URL): string | null {
  const prefix = stream.pathname.replace(/\/[^/]*\/?$/, '');
  return prefix === '' || endpoint.pathname.startsWith(`${prefix}/`) ? null : prefix;
}
