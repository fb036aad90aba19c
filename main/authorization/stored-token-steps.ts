import type { Fault } from '#shared/contract/fault.ts';
import { checkIntrospection, checkRevocation } from './checks/token-status.ts';
import type { Credentials } from './credentials.ts';
import type { RawResponse } from './exchange.ts';
import {
  type Conclusion,
  emptyContext,
  type FlowContext,
  type FlowEnvironment,
  type PlannedStep,
} from './flow-types.ts';
import { introspectionRequest, revocationRequest, type TokenKind } from './grants.ts';
import { textOf } from './metadata.ts';
import { prepareForm } from './step-request.ts';
import { authenticated, planToken } from './token-request.ts';

/** What the user can do with stored tokens, as flows of their own. */
export type StoredTokenAction = 'refresh' | 'revoke' | 'introspect';

/** What is known about stored credentials, without asking the servers again. */
export const contextOf = ({ endpoints, ...credentials }: Credentials): FlowContext => ({
  ...emptyContext,
  resourceMetadata: { resource: credentials.resource },
  issuer: credentials.issuer,
  serverMetadata: {
    issuer: credentials.issuer,
    token_endpoint: endpoints.token,
    ...(endpoints.revocation !== null && { revocation_endpoint: endpoints.revocation }),
    ...(endpoints.introspection !== null && { introspection_endpoint: endpoints.introspection }),
    ...(endpoints.jwks !== null && { jwks_uri: endpoints.jwks }),
    ...(endpoints.authMethods !== null && { token_endpoint_auth_methods_supported: endpoints.authMethods }),
  },
  client: {
    issuer: credentials.issuer,
    kind: credentials.registration,
    clientId: credentials.clientId,
    clientSecret: credentials.clientSecret,
    authMethod: credentials.authMethod,
    redirectUri: credentials.redirectUri,
  },
  scopesBefore: credentials.requestedScope?.split(' ').filter((scope) => scope !== '') ?? [],
  tokens: credentials.tokens,
});

/** Called when the authorization server has revoked a token. */
type OnRevoked = (kind: TokenKind) => Promise<void>;

/**
 * The next step of a flow with stored tokens, which ends when the context has none: the refresh token is revoked first, since its
 * access tokens should end with it (RFC 7009 section 2.1), and then the access token, since they need not.
 *
 * @throws FaultError if the client lacks what its authentication needs
 */
export async function planStored(
  action: Exclude<StoredTokenAction, 'refresh'>,
  { env, context, onRevoked }: { env: FlowEnvironment; context: FlowContext; onRevoked: OnRevoked },
): Promise<PlannedStep | null> {
  const { tokens } = context;
  if (tokens === null) return null;
  const isRefreshToken = action === 'revoke' && tokens.refreshToken !== null;
  const kind = isRefreshToken ? 'refresh_token' : 'access_token';
  const token = isRefreshToken ? (tokens.refreshToken ?? '') : tokens.accessToken;
  const name = action === 'revoke' ? 'revocation_endpoint' : 'introspection_endpoint';
  const endpoint = textOf(context.serverMetadata, name);
  if (endpoint === null || !URL.canParse(endpoint)) return withoutEndpoint(action, name, context);
  const asked = action === 'revoke' ? revocationRequest : introspectionRequest;
  const { request, decidedBy, alternatives } = await authenticated(
    env,
    context,
    asked(new URL(endpoint), token, kind),
  );
  return {
    name: action,
    label: kind === 'refresh_token' ? 'refresh token' : 'access token',
    parties: ['client', 'authorization-server'],
    request: prepareForm(request),
    decidedBy,
    alternatives,
    skipped: { ...context, tokens: isRefreshToken ? { ...tokens, refreshToken: null } : null },
    act: {
      kind: 'exchange',
      conclude: (response) =>
        action === 'revoke'
          ? concludeRevocation(response, { context, kind, onRevoked })
          : concludeIntrospection(response, context),
    },
  };
}

/** The request for new tokens in place of the stored ones; null when they are there. */
export async function planRefresh(
  env: FlowEnvironment,
  context: FlowContext,
  before: Credentials['tokens'],
): Promise<PlannedStep | null> {
  return context.tokens === null && before !== null ? planToken(env, context, before) : null;
}

const withoutEndpoint = (
  action: 'revoke' | 'introspect',
  name: string,
  context: FlowContext,
): PlannedStep => ({
  name: action,
  label: '',
  parties: ['client'],
  request: null,
  decidedBy: {
    text: `The metadata of the authorization server has no ${name}.`,
    source: action === 'revoke' ? 'RFC 8414 2, RFC 7009 2' : 'RFC 8414 2, RFC 7662 2',
  },
  alternatives: [],
  skipped: null,
  act: {
    kind: 'local',
    conclude: () => ({
      context,
      outcome: `There is no ${name}, so nothing was sent.`,
      fault: {
        code: 'no-such-endpoint',
        what: `The authorization server has no ${name}.`,
        next: 'Forget the stored credentials to stop using the token. It stays valid until it expires.',
      },
    }),
  },
});

async function concludeRevocation(
  response: RawResponse,
  { context, kind, onRevoked }: { context: FlowContext; kind: TokenKind; onRevoked: OnRevoked },
): Promise<Conclusion> {
  const { value, findings } = checkRevocation(response);
  if (value === null)
    return { context, findings, outcome: 'The token was not revoked.', fault: failed('revoked', response) };
  await onRevoked(kind);
  const { tokens } = context;
  const rest = kind === 'refresh_token' && tokens !== null ? { ...tokens, refreshToken: null } : null;
  const what = kind === 'refresh_token' ? 'refresh token' : 'access token';
  return { context: { ...context, tokens: rest }, findings, outcome: `The ${what} is revoked.` };
}

function concludeIntrospection(response: RawResponse, context: FlowContext): Conclusion {
  const { value, findings } = checkIntrospection(response, {
    clientId: context.client?.clientId ?? '',
    scope: context.tokens?.scope ?? null,
    resource: textOf(context.resourceMetadata, 'resource'),
    issuer: context.issuer,
    isInUse: true,
  });
  if (value === null)
    return {
      context,
      findings,
      outcome: 'There is no usable response.',
      fault: failed('introspected', response),
    };
  return {
    context: { ...context, tokens: null },
    findings,
    outcome: value.isActive ? 'The token is active.' : 'The token is not active.',
  };
}

const failed = (what: string, { status }: RawResponse): Fault => ({
  code: 'token-status',
  what: `The token was not ${what} (HTTP status ${status}).`,
  next: 'Look at the response of the step, and at the authentication of the client.',
});
