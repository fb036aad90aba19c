import type { Fault } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { HttpResponse } from './http-messages.ts';
import { type Redact, shortened } from './quote.ts';

/**
 * The URL that an endpoint event names (MCP 2024-11-05 transports, HTTP with SSE), or the fault if it names none. Almost any text can
 * be resolved as a relative URL, so JSON text is refused first.
 */
export function readEndpoint(text: string, stream: URL, redacted: Redact): URL | Fault {
  const data = text.trim();
  const next = 'Have the endpoint event hold the address alone, such as "data: /messages?sessionId=…".';
  const evidence = shortened(text, 2000, redacted);
  if (data === '') {
    return { code: 'endpoint-invalid', what: 'The endpoint event of the server is empty.', next };
  }
  if (/^[{["]/.test(data)) {
    return {
      code: 'endpoint-invalid',
      what: 'The endpoint event of the server holds JSON text where a URL must be.',
      why: 'Clients take its data as the URL, as it is: they would post to a path of braces and quotes.',
      next,
      evidence,
    };
  }
  const endpoint = URL.canParse(data, stream.href) ? new URL(data, stream) : null;
  if (endpoint === null) {
    return {
      code: 'endpoint-invalid',
      what: 'The server named an endpoint for messages that is no URL.',
      next: 'Correct the endpoint event of the server, or connect to that address directly.',
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
  return {
    code: 'endpoint-missing',
    what: isOpen
      ? `${address} opened an event stream but did not say where to send messages.`
      : `${address} closed its event stream before it said where to send messages.`,
    ...(quote !== undefined && { quote }),
    why:
      first === undefined
        ? 'The first event of HTTP+SSE must be "endpoint". This may be no MCP server, or a page behind a proxy that buffers.'
        : `The first event of HTTP+SSE must be "endpoint". ${formatQuantity(events.length, 'other event')} came: the first ${first === null ? 'has no name' : `is "${shortened(first, 100, redacted)}"`}.`,
    next:
      first === undefined
        ? 'Look at the stream in the trace, and check the path of the URL.'
        : 'Have the server send "event: endpoint" first. If this is no MCP server, check the path of the URL.',
  };
}

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
