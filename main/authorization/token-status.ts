import type { Fault } from '#shared/contract/fault.ts';
import { checkIntrospection, checkRevocation } from './checks/token-status.ts';
import type { Credentials } from './credentials.ts';
import { authenticated } from './token-request.ts';
import type { FlowContext, FlowEnvironment, PlannedStep } from './flow-types.ts';
import { introspectionRequest, revocationRequest, type TokenKind } from './grants.ts';
import { oauthError } from './registration.ts';
import { prepareForm } from './step-request.ts';

/** What is known from stored credentials, without discovery. */
export function contextOf(credentials: Credentials, before: FlowContext): FlowContext {
  const { endpoints, issuer, registration, resource, requestedScope } = credentials;
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
    client: {
      issuer,
      kind: registration,
      clientId: credentials.clientId,
      clientSecret: credentials.clientSecret,
      authMethod: credentials.authMethod,
      redirectUri: credentials.redirectUri,
    },
  };
}

interface TokenQuestion {
  readonly credentials: Credentials;
  readonly token: string;
  readonly kind: TokenKind;
}

/** Revokes a token. @param onRevoked called once the server has */
export async function planRevocation(
  env: FlowEnvironment,
  context: FlowContext,
  { credentials, token, kind }: TokenQuestion,
  onRevoked: () => Promise<void>,
): Promise<PlannedStep> {
  const endpoint = credentials.endpoints.revocation;
  if (endpoint === null) return unavailable(context, 'revoke', noEndpoint('revocation_endpoint'));
  const made = await authenticated(env, context, revocationRequest(new URL(endpoint), token, kind));
  return {
    name: 'revoke',
    label: kind === 'refresh_token' ? 'refresh token' : 'access token',
    parties: ['client', 'authorization-server'],
    request: prepareForm(made.request),
    decidedBy: made.decidedBy,
    alternatives: made.alternatives,
    skipped: null,
    act: {
      kind: 'exchange',
      conclude: async (response) => {
        const { value, findings } = checkRevocation(response);
        const { quote } = oauthError(response);
        if (value === null) {
          return {
            context,
            outcome: 'The token was not revoked.',
            findings,
            fault: refused('revocation', quote),
          };
        }
        await onRevoked();
        return { context: { ...context, isTokenUsed: true }, outcome: 'The token is revoked.', findings };
      },
    },
  };
}

/** Asks the authorization server about a token. */
export async function planIntrospection(
  env: FlowEnvironment,
  context: FlowContext,
  { credentials, token, kind }: TokenQuestion,
): Promise<PlannedStep> {
  const endpoint = credentials.endpoints.introspection;
  if (endpoint === null) return unavailable(context, 'introspect', noEndpoint('introspection_endpoint'));
  const made = await authenticated(env, context, introspectionRequest(new URL(endpoint), token, kind));
  return {
    name: 'introspect',
    label: '',
    parties: ['client', 'authorization-server'],
    request: prepareForm(made.request),
    decidedBy: made.decidedBy,
    alternatives: made.alternatives,
    skipped: null,
    act: {
      kind: 'exchange',
      conclude: (response) => {
        const { value, findings } = checkIntrospection(response, {
          clientId: credentials.clientId,
          scope: credentials.tokens?.scope ?? null,
          resource: credentials.resource,
          issuer: credentials.issuer,
          isInUse: true,
        });
        const after = { ...context, isTokenUsed: true };
        if (value === null) {
          const { quote } = oauthError(response);
          return {
            context,
            outcome: 'There is no answer about it.',
            findings,
            fault: refused('introspection', quote),
          };
        }
        const outcome = value.isActive ? 'The token is active.' : 'The token is not active.';
        return { context: after, outcome, findings };
      },
    },
  };
}

const unavailable = (context: FlowContext, name: 'revoke' | 'introspect', fault: Fault): PlannedStep => ({
  name,
  label: '',
  parties: ['client'],
  request: null,
  decidedBy: null,
  alternatives: [],
  skipped: null,
  act: { kind: 'local', conclude: () => ({ context, outcome: 'It is not supported.', fault }) },
});

const noEndpoint = (name: string): Fault => ({
  code: 'endpoint-missing',
  what: `The metadata of the authorization server has no ${name}.`,
});

const refused = (what: string, quote: string): Fault => ({
  code: `${what}-refused`,
  what: `The authorization server refused the ${what}.`,
  quote,
});
