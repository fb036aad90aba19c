import { randomUUID } from 'node:crypto';
import type { Handlers } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { RevisionCheck, StoredCredentials } from '#shared/contract/authorization.ts';
import type { Authorizations } from './authorizations.ts';
import { documentOf } from './metadata-document.ts';
import type { CredentialsAction } from './stored-credentials-plan.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { isKnownRevision } from '#shared/protocol/revisions.ts';
import { checkAgainst } from './checks/against-revision.ts';
import { noSuchFlow } from './session-authorization.ts';

type AuthorizationHandlers = Pick<Handlers, Extract<keyof Handlers, `authorization/${string}`>>;

export interface AuthorizationHandlersOptions {
  readonly authorizations: Authorizations;
  /** Answers for the session in an opened trace; undefined if there is none with this id. */
  readonly recorded: (sessionId: string) => Pick<AuthorizationHandlers, 'authorization/flows'> | undefined;
  /** The private key of a saved server; null if it has none. @throws FaultError if there is no such server */
  readonly privateKeyOf: (serverId: string) => Promise<string | null>;
  /** The ID of the open session of a server, or of one that only authorizes. @throws FaultError */
  readonly openSession: (serverId: string) => Promise<string>;
  /** Notes that credentials are about to be forgotten, and the name under which they are kept until they are deleted. */
  readonly noteRemoval: (
    issuer: string,
    held: { readonly id: string; readonly heldAs: string },
  ) => Promise<void>;
}

export function authorizationHandlers({
  authorizations,
  recorded,
  privateKeyOf,
  openSession,
  noteRemoval,
}: AuthorizationHandlersOptions): AuthorizationHandlers {
  const { store } = authorizations;
  const flow = ({ flowId }: { readonly flowId: string }) => authorizations.flow(flowId);
  const reload = async (credentialsId: string) => {
    const credentials = await store.get(credentialsId);
    if (credentials !== null) await authorizations.reload(credentials.serverId);
  };
  const about =
    (what: CredentialsAction) =>
    async ({ credentialsId, sessionId }: { readonly credentialsId: string; readonly sessionId: string }) => {
      const credentials = await store.get(credentialsId);
      if (credentials === null) throw new FaultError(noSuchCredentials);
      return authorizations.session(sessionId).beginAbout(credentials, what).view;
    };
  const flows: AuthorizationHandlers['authorization/flows'] = (params) =>
    authorizations.flowsOf(params.sessionId) ??
    recorded(params.sessionId)?.['authorization/flows'](params) ??
    [];
  return {
    'authorization/flows': flows,
    'authorization/check-against': async ({ sessionId, flowId, revision }) => {
      const known = (await flows({ sessionId })).find(({ id }) => id === flowId);
      if (known === undefined) return noSuchFlow();
      if (!isKnownRevision(revision)) throw new FaultError(noSuchRevision);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flow has its secrets replaced, and nothing is added
      return checkAgainst(known, revision) as Redacted<RevisionCheck>;
    },
    'authorization/write-document': async ({ serverId, settings }) => {
      const { isSet, value } = settings.privateKey;
      const isStored = isSet && value === null && serverId !== null;
      return { text: documentOf(settings, isStored ? await privateKeyOf(serverId) : value) };
    },
    'authorization/begin': async ({ serverId, mode, revision, settings }) =>
      authorizations.session(await openSession(serverId)).beginManually(mode, { revision, settings }, null)
        .view,
    'authorization/send': ({ flowId, ...draft }) => {
      flow({ flowId }).send(draft);
      return null;
    },
    'authorization/run': (params) => {
      flow(params).run();
      return null;
    },
    'authorization/back': (params) => {
      flow(params).back(params.draft);
      return null;
    },
    'authorization/skip': (params) => {
      flow(params).skip(params.draft);
      return null;
    },
    'authorization/override': (params) => {
      flow(params).override();
      return null;
    },
    'authorization/enter': ({ values, ...params }) => {
      flow(params).enter(values);
      return null;
    },
    'authorization/send-early': (params) => {
      flow(params).sendEarly();
      return null;
    },
    'authorization/fork': ({ stepId, ...params }) => {
      flow(params).fork(stepId, params.draft);
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
    'authorization/no-callback': (params) => {
      flow(params).noCallback();
      return null;
    },
    'authorization/choose': ({ issuer, ...params }) => {
      flow(params).choose(issuer);
      return null;
    },
    'authorization/answer': ({ isYes, ...params }) => {
      flow(params).answer(isYes);
      return null;
    },
    'authorization/open-browser': async (params) => {
      await flow(params).openBrowser();
      return null;
    },
    'authorization/scan': async (params) => {
      await flow(params).scan();
      return null;
    },
    'authorization/check-cors': async ({ origin, ...params }) => {
      await flow(params).checkCors(origin);
      return null;
    },
    'authorization/credentials': async ({ serverId }) => {
      const listed = await store.list(serverId);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the store leaves secrets out
      return listed as Redacted<StoredCredentials>[];
    },
    'authorization/forget': async ({ credentialsId }) => {
      const before = await store.get(credentialsId);
      if (before === null) return null;
      const held = { id: credentialsId, heldAs: `forgotten/${randomUUID()}` };
      await noteRemoval(before.issuer, held);
      await store.setAside(held.id, held.heldAs);
      await authorizations.reload(before.serverId);
      return null;
    },
    'authorization/refresh': about('refresh'),
    'authorization/revoke': about('revoke'),
    'authorization/introspect': about('introspect'),
    'authorization/verify': about('verify'),
    'authorization/expire': async ({ credentialsId }) => {
      await store.expire(credentialsId, Date.now());
      await reload(credentialsId);
      return null;
    },
    'authorization/replace': async ({ credentialsId, ...tokens }) => {
      await store.replace(credentialsId, tokens, Date.now());
      await reload(credentialsId);
      return null;
    },
    'authorization/reveal': ({ stepId, name, ...params }) => ({ value: flow(params).reveal(stepId, name) }),
  };
}

const noSuchRevision = {
  code: 'no-such-revision',
  what: 'Sightglass does not know this revision.',
};

const noSuchCredentials = {
  code: 'no-such-credentials',
  what: 'These credentials are no longer stored.',
  next: 'Authorize again.',
};
