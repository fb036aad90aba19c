import type { Handlers, Params } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { AuthorizationFlow, StoredCredentials } from '#shared/contract/authorization.ts';
import type { Authorizations } from './authorizations.ts';
import { noSuchFlow } from './session-authorization.ts';

type AuthorizationHandlers = Pick<Handlers, Extract<keyof Handlers, `authorization/${string}`>>;

export interface AuthorizationHandlersOptions {
  readonly authorizations: Authorizations;
  /** Answers for the session in an opened trace; undefined if there is none with this id. */
  readonly recorded: (sessionId: string) => Pick<AuthorizationHandlers, 'authorization/flows'> | undefined;
  /** Begins a flow in the open session of a server, or in one that only authorizes. */
  readonly begin: (params: Params<'authorization/begin'>) => Promise<Redacted<AuthorizationFlow>>;
}

export function authorizationHandlers({
  authorizations,
  recorded,
  begin,
}: AuthorizationHandlersOptions): AuthorizationHandlers {
  const { store } = authorizations;
  const flow = ({ flowId }: { readonly flowId: string }) => authorizations.flow(flowId);
  return {
    'authorization/flows': (params) =>
      authorizations.flowsOf(params.sessionId) ??
      recorded(params.sessionId)?.['authorization/flows'](params) ??
      [],
    'authorization/begin': begin,
    'authorization/send': ({ request, wrongValue, ...params }) => {
      flow(params).send(request, wrongValue);
      return null;
    },
    'authorization/run': (params) => {
      flow(params).run();
      return null;
    },
    'authorization/back': (params) => {
      flow(params).back();
      return null;
    },
    'authorization/skip': (params) => {
      flow(params).skip();
      return null;
    },
    'authorization/fork': ({ stepId, ...params }) => {
      flow(params).fork(stepId);
      return null;
    },
    'authorization/cancel': (params) => {
      flow(params).cancel();
      return null;
    },
    'authorization/callback': ({ url, ...params }) => {
      flow(params).callback(url);
      return null;
    },
    'authorization/choose': ({ issuer, ...params }) => {
      flow(params).choose(issuer);
      return null;
    },
    'authorization/open-browser': async (params) => {
      await flow(params).openBrowser();
      return null;
    },
    'authorization/scan': noSuchFlow,
    'authorization/credentials': async ({ serverId }) => {
      const listed = await store.list(serverId);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the store leaves secrets out
      return listed as Redacted<StoredCredentials>[];
    },
    'authorization/forget': async ({ credentialsId }) => {
      await store.forget(credentialsId);
      return null;
    },
    'authorization/refresh': noSuchFlow,
    'authorization/revoke': noSuchFlow,
    'authorization/introspect': noSuchFlow,
    'authorization/expire': async ({ credentialsId }) => {
      await store.expire(credentialsId, Date.now());
      return null;
    },
    'authorization/replace': async ({ credentialsId, ...tokens }) => {
      await store.replace(credentialsId, tokens, Date.now());
      return null;
    },
    'authorization/reveal': ({ stepId, name, ...params }) => ({ value: flow(params).reveal(stepId, name) }),
  };
}
