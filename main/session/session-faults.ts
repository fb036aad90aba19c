import type { Fault } from '#shared/contract/fault.ts';
import type { PhaseName } from '#shared/trace/record.ts';
import { crashIn } from '#trace/crash-in-output.ts';

/** Nothing can be sent in this phase. */
export const notReady = (phase: PhaseName): Fault => ({
  code: 'not-ready',
  what: `The session is ${phase}, so nothing can be sent.`,
  next: 'Connect, or wait until the server is ready.',
});

/**
 * The server closed the connection.
 *
 * @param stderr its last lines
 */
export function serverEnded(reason: string, stderr: string): Fault {
  const crash = crashIn(stderr);
  return {
    code: 'server-ended',
    what: crash ?? reason,
    why: crash === null ? 'Nobody here asked it to: it crashed, was killed, or decided to leave.' : reason,
    next: 'The whole trace is kept below. Reconnect opens a new session.',
    ...(crash !== null && { showsEvidence: true as const }),
    ...(stderr !== '' && { evidence: stderr }),
  };
}

export const nothingToResume: Fault = {
  code: 'nothing-to-resume',
  what: 'There is no stream to resume in this session.',
  why: 'Streams are resumed over Streamable HTTP in the legacy era only.',
};

export const notCancellable: Fault = {
  code: 'not-cancellable',
  what: 'This row cannot be cancelled.',
  why: 'Only requests that we sent can be cancelled, and initialize must not be (MCP cancellation).',
};

export const hasEnded: Fault = {
  code: 'request-ended',
  what: 'This request does not wait for a response any more.',
};

/** The fault of a request that the server rejected because it no longer knows our session. */
export const sessionExpired: Fault = {
  code: 'session-expired',
  what: 'The server no longer knows the session (HTTP status 404), so there will be no answer.',
  why: 'It was restarted, or it lets sessions expire.',
  next: 'The session is opened again automatically. Send the request again.',
};

export const sessionRejectedAgain: Fault = {
  code: 'session-forgotten-again',
  what: 'The server opened the session again and forgot it at once (HTTP status 404), so it was not asked again.',
  why: 'It keeps no sessions although it gives them ids, or several servers share this address and do not know of each other.',
  next: 'Compare the Mcp-Session-Id it gave with the requests it refused, in the trace.',
};

export const levelStays: Fault = {
  code: 'log-level-stays',
  what: 'A server of the legacy era that was told a log level keeps it for the session.',
  why: 'There is no message that takes it back (MCP 2025-06-18 logging).',
  next: 'Choose a higher level, such as emergency, or connect again.',
};

export const rootsNotDeclared: Fault = {
  code: 'roots-not-declared',
  what: 'The server was not notified: this session did not declare that it does so.',
  why: 'The notification needs the client capability roots.listChanged, which the modern era does not have.',
  next: 'Declare roots with listChanged in the client profile of the server, and connect again.',
};

/** Limit of characters of each text: a server may send any number. */
const MAX_LENGTH = 10_000;

/** Shortens the texts of a fault to fit a screen. The trace has them all. */
export const truncateFault = ({
  code,
  what,
  quote,
  why,
  next,
  evidence,
  showsEvidence,
  row,
}: Fault): Fault => ({
  code,
  what: truncateWithCount(what),
  ...(quote !== undefined && { quote: truncateWithCount(quote) }),
  ...(why !== undefined && { why: truncateWithCount(why) }),
  ...(next !== undefined && { next: truncateWithCount(next) }),
  ...(evidence !== undefined && { evidence: truncateWithCount(evidence) }),
  ...(showsEvidence !== undefined && { showsEvidence }),
  ...(row !== undefined && { row }),
});

const truncateWithCount = (text: string): string =>
  text.length <= MAX_LENGTH
    ? text
    : `${text.slice(0, MAX_LENGTH)}… (${text.length - MAX_LENGTH} more characters; the trace has the whole)`;

export const noHeaders: Fault = {
  code: 'no-headers',
  what: 'Headers go with HTTP requests, and this server is connected over stdio.',
  next: 'Call it without headers, or send what it needs in _meta.',
};
