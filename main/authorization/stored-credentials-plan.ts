import type { TokenSignature } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Credentials, CredentialStore } from './credentials.ts';
import type {
  Conclusion,
  FlowContext,
  FlowEnvironment,
  PlannedStep,
  RegisteredClient,
} from './flow-types.ts';
import type { OwnCredential } from './issuer-bindings.ts';
import { bindingWhenSent, planCredentials, privateKeyFor, refreshCredentials } from './issuer-change.ts';
import { planVerification } from './signature.ts';
import { planToken } from './token-request.ts';
import { planIntrospection, planRevocation } from './token-status.ts';
import type { TokenSet } from './tokens.ts';
import type { TokensInUse } from './tokens-in-use.ts';

/** What can be done with stored credentials, in a flow of its own. */
export type CredentialsAction = 'refresh' | 'revoke' | 'introspect' | 'verify';

/** Plans the next step of a flow about stored credentials; null when it is done. */
export type StoredCredentialsPlan = (
  context: FlowContext,
  env: FlowEnvironment,
) => Promise<PlannedStep | null>;

/** Where the results of such a flow go. */
export interface PlanResults {
  readonly store: CredentialStore;
  readonly inUse: TokensInUse;
}

/** The plan of a flow that does one thing with stored credentials. */
export function planFor(
  credentials: Credentials,
  what: CredentialsAction,
  results: PlanResults,
): StoredCredentialsPlan {
  const { id, tokens } = credentials;
  const { store, inUse } = results;
  const keepSignature = (signed: string, signature: TokenSignature) =>
    store.saveSignature(id, signed, signature);
  return async (now, env) => {
    if (now.tokens !== null) return null;
    switch (what) {
      case 'refresh':
        if (tokens?.refreshToken == null) throw new FaultError(nothingToRefresh);
        return planRefresh(id, tokens, results)(now, env);
      case 'revoke':
        if (tokens === null) throw new FaultError(nothingToRevoke);
        return withPrivateKey(env, now, () =>
          planRevocation(env, now, credentials, async (kind) => {
            await store.revoked(id, kind, Date.now());
            inUse.drop(id);
          }),
        );
      case 'introspect':
        return now.isTokenUsed
          ? null
          : withPrivateKey(env, now, () =>
              planIntrospection(env, now, {
                credentials,
                token: tokens?.accessToken ?? '',
                kind: 'access_token',
              }),
            );
      case 'verify':
        if (tokens === null) throw new FaultError(nothingToVerify);
        return now.isSignatureChecked ? null : planVerification({ ...env, keepSignature }, now, tokens);
    }
  };
}

/** Plans the refresh of tokens. @param id of the credentials that have them */
export const planRefresh =
  (id: string, tokens: TokenSet, results: PlanResults): StoredCredentialsPlan =>
  async (now, env) => {
    if (now.tokens !== null) return null;
    const refresh = async () =>
      refreshInTurn(await planToken(env, now, tokens), { id, used: tokens, context: now, results });
    return withOwn(env, now, refreshCredentials(env, now), refresh);
  };

/** A step that the private key of the settings may authenticate, after the question whether it may. */
const withPrivateKey = (
  env: FlowEnvironment,
  now: FlowContext,
  plan: () => Promise<PlannedStep | null>,
): Promise<PlannedStep | null> => withOwn(env, now, privateKeyFor(env, now), plan);

/** A step that sends what the user entered, after the question whether it may. */
async function withOwn(
  env: FlowEnvironment,
  now: FlowContext,
  credentials: readonly OwnCredential[],
  plan: () => Promise<PlannedStep | null>,
): Promise<PlannedStep | null> {
  const question = await planCredentials(env, now, credentials);
  if (question !== null) return question;
  const step = await plan();
  return step === null ? null : bindingWhenSent(env, now, credentials, step);
}

/**
 * The refresh, sent by one session at a time: a rotated refresh token that is sent twice ends the whole authorization (RFC 9700
 * section 4.14). If another session was first, its tokens are used and nothing is sent.
 */
function refreshInTurn(
  step: PlannedStep,
  {
    id,
    used,
    context,
    results: { store, inUse },
  }: {
    readonly id: string;
    readonly used: TokenSet;
    readonly context: FlowContext;
    readonly results: PlanResults;
  },
): PlannedStep {
  const { act } = step;
  if (act.kind !== 'exchange') return step;
  const inTurn = async (send: () => Promise<Conclusion>, isDeliberate: boolean): Promise<Conclusion> => {
    for (;;) {
      let own: Conclusion | null = null;
      // A request that the user sends tests the server, such as whether it accepts an old refresh token.
      const expected = isDeliberate ? (await store.get(id))?.tokens?.accessToken : used.accessToken;
      const refreshed = await store
        .refresh(id, expected ?? used.accessToken, async () => {
          own = await send();
          if (own.fault != null) throw new FaultError(own.fault);
          return null;
        })
        .catch((error: unknown) => {
          if (own === null) throw error;
          return null;
        });
      if (own !== null) return own;
      const tokens = refreshed?.tokens ?? null;
      if (refreshed === null || tokens === null) throw new FaultError(nothingToRefresh);
      // The server has demanded a nonce of the other session, which is about to send it.
      if (tokens.accessToken === used.accessToken) continue;
      await inUse.useStored(refreshed, tokens);
      return {
        context: { ...context, tokens },
        outcome: 'Another session has refreshed the tokens. They are used here, and nothing was sent.',
      };
    }
  };
  return { ...step, act: { ...act, inTurn } };
}

/** What is known from stored credentials, without discovery. */
export function contextOf(credentials: Credentials, before: FlowContext): FlowContext {
  const { endpoints, issuer, resource, requestedScope, dropped, isIssuerRejected } = credentials;
  const { token, revocation, introspection, jwks, authMethods } = endpoints;
  return {
    ...before,
    demand: { status: 401, headers: [], row: null },
    resourceMetadata: { resource },
    issuer,
    serverMetadata: {
      issuer,
      token_endpoint: token,
      ...(revocation !== null && { revocation_endpoint: revocation }),
      ...(introspection !== null && { introspection_endpoint: introspection }),
      ...(jwks !== null && { jwks_uri: jwks }),
      ...(authMethods !== null && { token_endpoint_auth_methods_supported: authMethods }),
    },
    scopesBefore: requestedScope === null ? [] : requestedScope.split(' '),
    client: clientOf(credentials),
    dropped: Object.fromEntries(dropped.map((name) => [name, 'the request for these tokens'])),
    isIssuerRejected,
  };
}

/** The client that stored credentials belong to. */
export const clientOf = (credentials: Credentials): RegisteredClient => ({
  issuer: credentials.issuer,
  kind: credentials.registration,
  clientId: credentials.clientId,
  clientSecret: credentials.clientSecret,
  authMethod: credentials.authMethod,
  redirectUri: credentials.redirectUri,
});

const nothingToRevoke: Fault = {
  code: 'nothing-to-revoke',
  what: 'There is no token. It was revoked before, or none was issued.',
};

const nothingToVerify: Fault = {
  code: 'nothing-to-verify',
  what: 'There is no token.',
  next: 'Authorize first.',
};

const nothingToRefresh: Fault = {
  code: 'nothing-to-refresh',
  what: 'There is no refresh token.',
  next: 'Authorize again, with the scope offline_access if the authorization server advertises it.',
};
