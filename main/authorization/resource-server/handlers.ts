import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';
import type { Authorizations } from '#authorization/authorizations.ts';

type ServerTestHandlers = Pick<Handlers, Extract<keyof Handlers, `server-tests/${string}`>>;

/** @param openSession the ID of the open session of a server, or of one that only authorizes */
export function serverTestHandlers(
  authorizations: Authorizations,
  openSession: (serverId: string) => Promise<string>,
): ServerTestHandlers {
  const testing = (sessionId: string) => authorizations.session(sessionId).testing;
  const ofServer = async (serverId: string) => authorizations.session(await openSession(serverId));
  return {
    'server-tests/get': ({ sessionId }) =>
      authorizations.flowsOf(sessionId) === undefined ? null : testing(sessionId).view(),
    'server-tests/run': async ({ serverId, foreignCredentials }) =>
      (await ofServer(serverId)).testing.run(foreignCredentials),
    'server-tests/stop': ({ sessionId }) => {
      testing(sessionId).stop();
      return null;
    },
    'server-tests/use-token': async ({ serverId, kind, token }) => {
      if (!/^[\x21-\x7E]+$/.test(token)) throw new FaultError(notAToken);
      return (await ofServer(serverId)).testing.useToken(kind, token);
    },
    'server-tests/drop-token': ({ sessionId, kind }) => testing(sessionId).dropToken(kind),
    'server-tests/authorize': async ({ serverId, kind, value, revision, settings }) =>
      (await ofServer(serverId)).beginForTests({ kind, value }, { revision, settings }).view,
  };
}

/** Header values have no such characters (RFC 6750 section 2.1). */
const notAToken = {
  code: 'not-a-token',
  what: 'A token has no spaces and no characters outside of ASCII.',
  next: 'Enter the token alone, without the word Bearer.',
};
