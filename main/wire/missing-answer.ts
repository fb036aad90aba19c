import type { Fault } from '#shared/contract/fault.ts';
import type { HttpResponse } from './http-client.ts';

/** The event stream of an answer ended before it. */
export const streamEnded: Fault = {
  code: 'stream-ended',
  what: 'The event stream ended before it carried the answer.',
  why: 'The server closed it, or the connection broke; it gave no event ids to resume from, or could not be reached again.',
  next: 'Look at the exchange in the trace. A server should close a stream only after the answer.',
};

/** The server refused to go on with the stream of an answer, for this reason. */
export const resumeRefused = (fault: Fault): Fault => ({
  ...fault,
  code: 'resume-refused',
  what: `The event stream broke off before the answer, and could not be resumed. ${fault.what}`,
});

/** The request was taken, and nothing that came back answers it. */
export const withoutAnswer = (response: HttpResponse | null): Fault => ({
  code: 'no-answer',
  what: `The server took the request (HTTP status ${response?.status ?? 'unknown'}) but its response holds no answer to it.`,
  ...noAnswerAdvice(response),
});

function noAnswerAdvice(response: HttpResponse | null): Pick<Fault, 'why' | 'next'> {
  if (/^text\/html\b/i.test(response?.header('content-type')?.trim() ?? '')) {
    return {
      why: 'It is a web page (text/html): there is no MCP endpoint at this path, or a gateway answered in its place.',
      next: 'Look at the page in the trace, and check the path of the URL, such as /mcp.',
    };
  }
  const encoding = response?.header('content-encoding') ?? null;
  if (encoding !== null) {
    return {
      why: `Its body is encoded (Content-Encoding: ${encoding}), which was not asked for.`,
      next: 'Have the server, or what is in front of it, send plain bodies when Accept-Encoding is missing.',
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
