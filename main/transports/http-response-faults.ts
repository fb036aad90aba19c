import type { Fault } from '#shared/contract/fault.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { codingsOf, isDecodable } from './content-coding.ts';
import type { HttpResponse, Redirect } from './http-messages.ts';
import { isRedirect, redirectTarget } from './http-redirects.ts';
import { type Redact, shortened } from './quote.ts';

/** What is known of an exchange whose response has a status other than success. */
interface StatusContext {
  readonly method: string;
  /** Where the request was sent first. */
  readonly url: URL;
  /** Text of the server's response. */
  readonly quote: string | undefined;
  readonly redacted: Redact;
}

/** The fault for a status other than success. Names the address that answered, which redirects may have led to. */
export function explainStatus(
  response: HttpResponse,
  { method, url, quote, redacted }: StatusContext,
): Fault {
  const { status, reason, redirects } = response;
  const at = redirects.at(-1)?.to ?? url;
  const target = redirectTarget(response, at);
  const fault =
    target === null
      ? statusFault(
          status,
          `The server answered ${method} ${at.pathname} with HTTP status ${status}${reason === '' ? '' : ` ${reason}`}.`,
          quote,
        )
      : redirected(response, method, at, target);
  if (target === null)
    return withDelivery(isRedirect(status) ? withoutTarget(fault, response, redacted) : fault, response);
  // The redirect of this response is named by the fault, and did not lead to an answer.
  const before = hopsOf(redirects).filter(({ from, to }) => from.href !== at.href || to.href !== target.href);
  return before.length === 0
    ? fault
    : { ...fault, why: [`${redirectsSentence(before)}.`, fault.why].join(' ') };
}

/** The fault of an HTTP status, with another description of the response. */
export const statusFault = (status: number, what: string, quote?: string): Fault => ({
  code: `http-status-${status}`,
  what,
  ...(quote !== undefined && { quote }),
  ...(advice[status] ?? adviceFor(status)),
});

/** A fault of a response, which says first how the response came. */
export function withDelivery(fault: Fault, response: HttpResponse | null): Fault {
  const isFailure = fault.code === 'http-body';
  const delivery =
    response === null ? undefined : deliveryOf(isFailure ? { ...response, headers: [] } : response);
  return delivery === undefined ? fault : { ...fault, why: [delivery, fault.why].filter(Boolean).join(' ') };
}

/** How a response came, in sentences: after redirects, or encoded; undefined if neither. */
export function deliveryOf({ redirects, headers }: HttpResponse): string | undefined {
  const codings = codingsOf(headers);
  const sentences = [
    ...(redirects.length === 0 ? [] : [`${redirectsSentence(hopsOf(redirects))}, which answered.`]),
    ...(codings.length === 0 || !isDecodable(headers)
      ? []
      : [`The response came encoded (Content-Encoding: ${codings.join(', ')}) and was decoded.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** The redirects, each named once, also if they lead in a circle. */
const hopsOf = (redirects: readonly Redirect[]): readonly Redirect[] => [
  ...new Map(redirects.map((one) => [`${one.from.href} ${one.to.href}`, one])).values(),
];

/** Where redirects lead, each address once, without the period. */
const redirectsSentence = (redirects: readonly Redirect[]): string =>
  redirects
    .map(({ status, from, to }, index) =>
      [
        index === 0 ? withoutUrlSecrets(from.href) : ', which',
        ` redirects (HTTP status ${status}) to ${withoutUrlSecrets(to.href)}`,
      ].join(''),
    )
    .join('');

function redirected({ status, redirects }: HttpResponse, method: string, url: URL, target: URL): Fault {
  const isCircle = [url, ...redirects.map(({ from }) => from)].some(({ href }) => href === target.href);
  const what = `The server redirects ${method} ${withoutUrlSecrets(url.href)} (HTTP status ${status}) to ${withoutUrlSecrets(target.href)}.`;
  if (target.origin !== url.origin) {
    return {
      code: 'http-redirect',
      what,
      why: 'That is another origin. It is not followed automatically, because your headers would go there.',
      next: 'If you trust that address, make it the URL of the server.',
    };
  }
  if (isCircle || redirects.length > 0) {
    return {
      code: 'http-redirect',
      what,
      why: isCircle ? 'It leads in a circle.' : 'There were too many redirects before it.',
      next: 'Correct the redirects of the server, or of what is in front of it.',
    };
  }
  return {
    code: 'http-redirect',
    what,
    why: `A ${method} is not repeated there for this status: clients turn it into a GET.`,
    next: 'Make that address the URL of the server, or have the server redirect with status 307 or 308.',
  };
}

/** A redirect that leads nowhere. */
function withoutTarget(fault: Fault, response: HttpResponse, redacted: Redact): Fault {
  const location = response.header('location');
  return {
    ...fault,
    why:
      location === null
        ? 'It redirects, but its response has no Location header.'
        : `It redirects, but its Location header is not an HTTP address: ${shortened(location, 200, redacted)}`,
    next: 'Correct the redirect of the server, or of what is in front of it.',
  };
}

/** The event stream ended before the response. @param quote how it begins */
export const streamEndedFault = (response: HttpResponse | null, quote: string | undefined): Fault =>
  withDelivery(
    {
      code: 'stream-ended',
      what: 'The event stream ended before it carried the answer.',
      ...(quote !== undefined && { quote }),
      why: 'The server closed it, or the connection broke; it gave no event ids to resume from, or could not be reached again.',
      next: 'Look at the exchange in the trace. A server should close a stream only after the answer.',
    },
    response,
  );

/** The server refused to resume the stream of a response. */
export const resumeFault = (fault: Fault): Fault => ({
  ...fault,
  code: 'resume-refused',
  what: `The event stream broke off before the answer, and could not be resumed. ${fault.what}`,
});

interface NoResponseContext {
  /** The Accept-Encoding header of the request. */
  readonly accepted: string | null;
  /** What came instead. */
  readonly quote: string | undefined;
  readonly redacted: Redact;
}

/** The server accepted the request but did not respond to it. */
export const noResponseFault = (response: HttpResponse | null, context: NoResponseContext): Fault =>
  withDelivery(
    {
      code: 'no-answer',
      what: `The server took the request (HTTP status ${response?.status ?? 'unknown'}) but its response holds no answer to it.`,
      ...(context.quote !== undefined && { quote: context.quote }),
      ...noAnswerAdvice(response, context),
    },
    response,
  );

/** How the quote of a compressed body begins. */
const signatures: readonly (readonly [begins: string, coding: string])[] = [
  ['\\x1F\\x8B', 'gzip'],
  ['(\\xB5/\\xFD', 'zstd'],
];

function noAnswerAdvice(
  response: HttpResponse | null,
  { accepted, quote, redacted }: NoResponseContext,
): Advice {
  if (/^text\/html\b/i.test(response?.header('content-type')?.trim() ?? '')) {
    return {
      why: 'It is a web page (text/html): there is no MCP endpoint at this path, or a gateway answered in its place.',
      next: 'Look at the page in the trace, and check the path of the URL, such as /mcp.',
    };
  }
  if (response !== null && !isDecodable(response.headers)) {
    const names = codingsOf(response.headers);
    const wasAsked = names.every((name) => accepted?.toLowerCase().includes(name));
    return {
      why: `Its body is encoded (Content-Encoding: ${shortened(names.join(', '), 100, redacted)}), which ${wasAsked ? 'the request asked for, but which' : 'was not asked for, and'} is not decoded here.`,
      next: wasAsked
        ? 'Remove the header Accept-Encoding from the settings of this server.'
        : 'Have the server, or what is in front of it, send only what Accept-Encoding names.',
    };
  }
  const coding = signatures.find(([begins]) => quote?.startsWith(begins))?.[1];
  if (coding !== undefined) {
    return {
      why: `Its body is compressed (it begins as ${coding} does), and no Content-Encoding header says so.`,
      next: `Have the server, or what is in front of it, send "Content-Encoding: ${coding}" with it.`,
    };
  }
  return {
    why:
      response?.status === 202
        ? '202 is for notifications and answers; a request must be answered with JSON or an event stream.'
        : 'The body is empty, is no JSON-RPC message, or answers another id.',
    next: 'Look at the exchange in the trace.',
  };
}

type Advice = Pick<Fault, 'why' | 'next'>;

const advice: Readonly<Record<number, Advice>> = {
  400: { why: 'It rejected the request; the response in the trace may say why.' },
  401: {
    why: 'It requires authorization, which was missing or invalid.',
    next: 'Set the required header, such as Authorization. WWW-Authenticate, in the trace, says which.',
  },
  403: {
    why: 'It knows who you are but does not allow this, or it rejects the Host or Origin of the request.',
    next: 'Check the headers that carry credentials.',
  },
  404: {
    why: 'There is no MCP endpoint at this path.',
    next: 'Check the path of the URL, such as /mcp or /sse.',
  },
  405: {
    why: 'It does not support this method at this path.',
    next: 'Check the path of the URL; a server of the older HTTP+SSE transport supports only GET there.',
  },
  406: { why: 'It rejects our Accept header.' },
  415: { why: 'It rejects our Content-Type header.' },
  501: {
    why: 'It does not know this method, so it is most likely no MCP server.',
    next: 'Check the host, the port and the path of the URL.',
  },
  429: { why: 'It received too many requests.', next: 'Wait, then try again.' },
};

const adviceFor = (status: number): Advice =>
  status >= 500
    ? { why: 'The server, or a gateway in front of it, failed.', next: 'Look at the log of the server.' }
    : {};
