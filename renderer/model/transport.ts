import type { SessionView } from '#shared/contract/sessions.ts';

/** The transports by the names the specification gives them. */
const words: Readonly<Record<SessionView['transport'], string>> = {
  stdio: 'stdio',
  http: 'HTTP',
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP+SSE',
};

/** The transport that is spoken. That one was tried last says nothing yet, so until both agree it is just HTTP. */
export function spokenTransport({ transport, agreement }: SessionView): SessionView['transport'] {
  return transport === 'stdio' || agreement !== null ? transport : 'http';
}

export const transportWord = (session: SessionView): string => words[spokenTransport(session)];
