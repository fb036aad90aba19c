import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { type HttpResponse, redirectTarget } from './http-client.ts';

/** What a status says that is no success, for the user. @param quote what the server said with it */
export function explainStatus(response: HttpResponse, method: string, url: URL, quote?: string): Fault {
  const { status, reason } = response;
  const target = redirectTarget(response, url);
  if (target !== null) return redirected(status, url, target);
  const said = `${status}${reason === '' ? '' : ` ${reason}`}`;
  return statusFault(
    status,
    `The server answered ${method} ${url.pathname} with HTTP status ${said}.`,
    quote,
  );
}

/** The same for an answer that is told of in other words. */
export const statusFault = (status: number, what: string, quote?: string): Fault => ({
  code: `http-status-${status}`,
  what,
  ...(quote !== undefined && { quote }),
  ...(advice[status] ?? adviceFor(status)),
});

const redirected = (status: number, url: URL, target: URL): Fault => ({
  code: 'http-redirect',
  what: `The server redirects (HTTP status ${status}) to ${withoutUrlSecrets(target.href)}.`,
  ...(target.origin === url.origin
    ? {
        why: 'A POST cannot be repeated there for this status, or it leads in a circle.',
        next: 'Make that address the URL of the server, unless it leads in a circle.',
      }
    : {
        why: 'That is another origin. It is not followed by itself, because your headers would go there.',
        next: 'If you trust that address, make it the URL of the server.',
      }),
});

type Advice = Pick<Fault, 'why' | 'next'>;

const advice: Readonly<Record<number, Advice>> = {
  400: { why: 'It did not like the request; the answer in the trace may say what.' },
  401: {
    why: 'It wants authorization, which was missing or not valid.',
    next: 'Set the header it wants, such as Authorization. WWW-Authenticate, in the trace, says which.',
  },
  403: {
    why: 'It knows who you are but does not allow this, or it does not like the Host or Origin of the request.',
    next: 'Check the headers that carry credentials.',
  },
  404: {
    why: 'There is no MCP endpoint at this path.',
    next: 'Check the path of the URL, such as /mcp or /sse.',
  },
  405: {
    why: 'It does not take this method at this path.',
    next: 'Check the path of the URL; a server of the older HTTP+SSE transport takes only GET there.',
  },
  406: { why: 'It does not like our Accept header.' },
  415: { why: 'It does not like our Content-Type header.' },
  429: { why: 'It was asked too often.', next: 'Wait, then try again.' },
};

const adviceFor = (status: number): Advice =>
  status >= 500
    ? { why: 'It failed inside, or a gateway in front of it did.', next: 'Look at the log of the server.' }
    : {};
