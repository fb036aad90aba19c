import type { SessionView } from '#shared/contract/sessions.ts';

/** The transports by the names the specification gives them. */
export const transportWords: Readonly<Record<SessionView['transport'], string>> = {
  stdio: 'stdio',
  http: 'HTTP',
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP+SSE',
};
