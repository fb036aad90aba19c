import type { Fault } from '#shared/contract/fault.ts';
import { assertionIn } from './assertion-audience.ts';
import { checkIntrospection, checkRevocation } from './checks/token-status.ts';
import type { Credentials } from './credentials.ts';
import { authenticated } from './token-request.ts';
import type {
  FlowContext,
  FlowEnvironment,
  PlannedStep,
  RevocationError,
  SignedAgain,
} from './flow-types.ts';
import type { FormRequest } from './form-request.ts';
import { introspectionRequest, revocationRequest, type TokenKind } from './grants.ts';
import { oauthError } from './server-words.ts';
import { besideLibrary } from './step-findings.ts';
import { prepareForm } from './step-request.ts';
import type { TokenSet } from './tokens.ts';

interface TokenQuestion {
  readonly credentials: Credentials;
  readonly token: string;
  readonly kind: TokenKind;
}

/**
 * Revokes the tokens one after the other, the refresh token first: a server need not end the access token with it (RFC 7009 section 2.1).
 * Null once both were requested.
 *
 * @param onRevoked called once the server has revoked one
 */
export async function planRevocation(
  env: FlowEnvironment,
  context: FlowContext,
  credentials: Credentials,
  onRevoked: (kind: TokenKind) => Promise<void>,
): Promise<PlannedStep | null> {
  const { tokens, endpoints } = credentials;
  const all = [
    ...(tokens?.refreshToken == null ? [] : [['refresh_token', tokens.refreshToken] as const]),
    ...(tokens === null ? [] : [['access_token', tokens.accessToken] as const]),
  ];
  const [next, ...others] = all.filter(([kind]) => context.revocations[kind] === undefined);
  if (next === undefined) return null;
  const [kind, token] = next;
  if (endpoints.revocation === null) return unavailable(context, 'revoke', noEndpoint('revocation_endpoint'));
  const made = await signable(env, context, revocationRequest(new URL(endpoints.revocation), token, kind));
  return {
    name: 'revoke',
    label: tokenNames[kind],
    parties: ['client', 'authorization-server'],
    ...made,
    contextIfSkipped:
      others.length === 0 ? null : withRevocation(context, kind, { error: null, quote: 'skipped' }),
    act: {
      kind: 'exchange',
      conclude: async (response) => {
        const { value, findings } = await besideLibrary(checkRevocation(response), {
          response,
          question: { kind: 'revoke' },
        });
        const isRevoked = value !== null;
        if (isRevoked) await onRevoked(kind);
        const after = withRevocation(context, kind, isRevoked ? null : oauthError(response));
        const left = all.flatMap(([one]) => {
          const rejection = after.revocations[one];
          return rejection == null ? [] : [{ kind: one, ...rejection }];
        });
        const outcome = `The ${tokenNames[kind]} is ${isRevoked ? '' : 'not '}revoked.`;
        // The other token is revoked even if this one cannot be.
        if (others.length > 0 || left.length === 0) return { context: after, outcome, findings };
        return { context, outcome, findings, fault: notRevoked(left, tokens) };
      },
    },
  };
}

const tokenNames: Readonly<Record<TokenKind, string>> = {
  access_token: 'access token',
  refresh_token: 'refresh token',
};

const withRevocation = (
  context: FlowContext,
  kind: TokenKind,
  rejection: RevocationError | null,
): FlowContext => ({
  ...context,
  revocations: { ...context.revocations, [kind]: rejection },
  isTokenUsed: true,
});

function notRevoked(
  left: readonly ({ readonly kind: TokenKind } & RevocationError)[],
  tokens: TokenSet | null,
): Fault {
  const expiresAt = tokens?.expiresAt ?? null;
  return {
    code: 'revocation-refused',
    what: `The authorization server did not revoke the ${left.map(({ kind }) => tokenNames[kind]).join(' and the ')}.`,
    ...(left.some(({ error }) => error === 'unsupported_token_type') && {
      why: 'It does not revoke tokens of this type (RFC 7009 section 2.2.1), such as JWTs that the server only verifies.',
    }),
    next:
      left.some(({ kind }) => kind === 'access_token') && expiresAt !== null
        ? `The access token can be used until ${new Date(expiresAt).toISOString()}.`
        : 'Revoke them in the pages of the authorization server, if it has any.',
    quote: left.map(({ quote }) => quote).join('\n'),
  };
}

/** The request with the authentication of the client, whose assertion can be signed again. */
async function signable(env: FlowEnvironment, context: FlowContext, request: FormRequest) {
  const made = await authenticated(env, context, request);
  const { decidedBy, alternatives } = made;
  return {
    decidedBy,
    alternatives,
    request: prepareForm(made.request),
    assertion: assertionIn(made.request),
    signedAgain: async (change: SignedAgain) =>
      prepareForm((await authenticated(env, context, request, change)).request),
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
  const made = await signable(env, context, introspectionRequest(new URL(endpoint), token, kind));
  return {
    name: 'introspect',
    label: '',
    parties: ['client', 'authorization-server'],
    ...made,
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: async (response) => {
        const { clientId, resource, issuer } = credentials;
        const checked = checkIntrospection(response, {
          clientId,
          scope: credentials.tokens?.scope ?? null,
          resource,
          issuer,
          isInUse: true,
        });
        const question = { kind: 'introspect', issuer, clientId } as const;
        const { value, findings } = await besideLibrary(checked, { response, question });
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
  contextIfSkipped: null,
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
