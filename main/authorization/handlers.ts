import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';

type AuthorizationHandlers = Pick<Handlers, Extract<keyof Handlers, `authorization/${string}`>>;

/**
 * Flows and stored credentials: there are none yet.
 *
 * @param recorded answers for the session in an opened trace; undefined if there is none with this id
 */
export function authorizationHandlers(
  recorded: (sessionId: string) => Pick<AuthorizationHandlers, 'authorization/flows'> | undefined,
): AuthorizationHandlers {
  const noFlow = () => {
    throw new FaultError({ code: 'no-such-flow', what: 'There is no such authorization flow.' });
  };
  return {
    'authorization/flows': (params) => recorded(params.sessionId)?.['authorization/flows'](params) ?? [],
    'authorization/begin': noFlow,
    'authorization/send': noFlow,
    'authorization/run': noFlow,
    'authorization/back': noFlow,
    'authorization/skip': noFlow,
    'authorization/fork': noFlow,
    'authorization/cancel': noFlow,
    'authorization/callback': noFlow,
    'authorization/choose': noFlow,
    'authorization/open-browser': noFlow,
    'authorization/scan': noFlow,
    'authorization/credentials': () => [],
    'authorization/forget': noFlow,
    'authorization/refresh': noFlow,
    'authorization/revoke': noFlow,
    'authorization/introspect': noFlow,
    'authorization/expire': noFlow,
    'authorization/replace': noFlow,
    'authorization/reveal': noFlow,
  };
}
