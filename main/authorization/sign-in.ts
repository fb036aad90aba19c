import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { planBrowserRequest, planRedirect, promisesIss } from './authorization-request.ts';
import { checkIdToken, checkIdTokenSignature } from './checks/id-token.ts';
import { checkTokenResponse } from './checks/token-response.ts';
import { authenticateClient } from './client-authentication.ts';
import { dropNotes } from './dropped-parameters.ts';
import type { FlowResponse } from './exchange.ts';
import type {
  Conclusion,
  FlowContext,
  FlowEnvironment,
  Metadata,
  PlannedStep,
  SentAuthorization,
  SignIn,
} from './flow-types.ts';
import { authorizationCodeRequest } from './grants.ts';
import { getRequest } from './metadata-candidates.ts';
import { decodeJwt, keysLocation, readIssuerKeys, verifySignature } from './jwt.ts';
import { listOf, readMetadata, textOf } from './metadata.ts';
import { createState } from './pkce.ts';
import { oauthError } from './server-words.ts';
import { withFindings } from './step-findings.ts';
import { prepareForm } from './step-request.ts';

/** The identity provider at which the user signs in, and our client there. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly metadata: Metadata;
}

/**
 * The steps that get an ID token of the user: an authorization request in the browser with OpenID Connect, its callback, the token
 * exchange, and the keys that verify the ID token. Null once it can be used.
 */
export async function planSignIn(
  env: FlowEnvironment,
  context: FlowContext,
  provider: IdentityProvider,
): Promise<PlannedStep | null> {
  const { request, code, idToken, isVerified } = context.signIn;
  if (idToken !== null) return isVerified ? null : planKeys(env, context, provider, idToken);
  if (request === null) return planRequest(env, context, provider);
  const { issuer, metadata } = provider;
  if (code !== null) return planExchange(env, context, provider, { request, code });
  return planRedirect(env, context, {
    name: 'sign-in',
    label: 'callback',
    parties: ['identity-provider', 'browser', 'client'],
    request,
    issuer,
    promisesIss: promisesIss(metadata),
    keep: (received) => withSignIn(context, { code: received }),
    withoutClient: null,
  });
}

const withSignIn = (context: FlowContext, change: Partial<SignIn>): FlowContext => ({
  ...context,
  signIn: { ...context.signIn, ...change },
});

function planRequest(
  env: FlowEnvironment,
  context: FlowContext,
  { clientId, metadata }: IdentityProvider,
): Promise<PlannedStep> | PlannedStep {
  const endpoint = textOf(metadata, 'authorization_endpoint');
  if (endpoint === null) {
    return local(context, 'The identity provider cannot sign the user in.', noEndpoint);
  }
  return planBrowserRequest(env, context, {
    name: 'sign-in',
    parties: ['client', 'browser', 'identity-provider'],
    endpoint,
    clientId,
    scope: { scope: 'openid', note: 'for an ID token' },
    resource: null,
    further: [{ name: 'nonce', value: createState(), note: 'random, compared in the ID token' }],
    extra: [],
    decidedBy: {
      text: 'No identity token is set, so the user signs in at the identity provider.',
      source: 'SEP-990, OpenID Connect Core 3.1.2.1',
    },
    before: {},
    always: droppedAtSignIn(env),
    keep: (request) => withSignIn(context, { request, code: null }),
  });
}

/** What the settings leave out here. Without the scope `openid` there would be no ID token. */
const droppedAtSignIn = ({ settings }: FlowEnvironment): AuthorizationSettings['dropped'] =>
  settings.dropped.filter((name) => name !== 'scope');

async function planExchange(
  env: FlowEnvironment,
  context: FlowContext,
  { issuer, clientId, metadata }: IdentityProvider,
  { request: sent, code }: { readonly request: SentAuthorization; readonly code: string },
): Promise<PlannedStep> {
  const endpoint = textOf(metadata, 'token_endpoint');
  if (endpoint === null || !URL.canParse(endpoint)) {
    return local(context, 'The identity provider has no token endpoint.', noEndpoint);
  }
  const { redirectUri, verifier } = sent;
  const form = await authenticateClient(
    authorizationCodeRequest(
      { tokenEndpoint: new URL(endpoint), resource: null, scope: null },
      { code, redirectUri, verifier },
    ),
    { method: 'none', client: { clientId, clientSecret: null, privateKey: null }, audience: issuer },
  );
  return {
    name: 'sign-in',
    label: 'ID token',
    parties: ['client', 'identity-provider'],
    request: prepareForm(form, {}, dropNotes({ dropped: droppedAtSignIn(env) }, sent.dropped)),
    decidedBy: { text: 'The code is exchanged for an ID token.', source: 'OpenID Connect Core 3.1.3' },
    alternatives: [],
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: async (response) => {
        const idToken = markTokens(env, response);
        const { error } = oauthError(response);
        const conclusion: Conclusion =
          idToken === null
            ? { context, outcome: 'There is no ID token.', fault: noIdToken(response, error) }
            : {
                context: withSignIn(context, { idToken, code: null }),
                outcome: `There is an ID token of ${subjectOf(idToken)}.`,
              };
        const asked = { scope: 'openid', resource: null, issuer: null, usesDpop: false };
        const checked = checkTokenResponse(response, {
          ...asked,
          authenticatesByHeader: false,
          now: Date.now(),
        });
        const { nonce } = sent;
        const answered = await withFindings(conclusion, checked, {
          response,
          question: {
            kind: 'id-token',
            issuer,
            clientId,
            nonce,
            algorithms: listOf(metadata, 'id_token_signing_alg_values_supported'),
          },
        });
        // An error says more than that it has no ID token.
        if (idToken === null && checked.value === null) return answered;
        const claims = { issuer, clientId, nonce, now: Date.now(), row: response.row };
        const ended = await withFindings(answered, checkIdToken(idToken, claims));
        return ended.fault == null ? ended : { ...ended, context, outcome: 'The ID token cannot be used.' };
      },
    },
  };
}

/** Keeps the tokens of a response out of the trace; returns its ID token. */
function markTokens(env: FlowEnvironment, response: FlowResponse): string | null {
  const read = readMetadata(response);
  const value = 'value' in read ? read.value : null;
  for (const kind of ['access_token', 'refresh_token', 'id_token']) {
    const token = textOf(value, kind);
    if (token !== null && token !== '') env.markSecret(kind, token);
  }
  return textOf(value, 'id_token');
}

const subjectOf = (idToken: string): string => {
  const sub = decodeJwt(idToken)?.claims['sub'];
  return typeof sub === 'string' ? sub.slice(0, 200) : 'a user without a name';
};

function planKeys(
  env: FlowEnvironment,
  context: FlowContext,
  { issuer, metadata }: IdentityProvider,
  idToken: string,
): PlannedStep {
  const url = keysLocation(textOf(metadata, 'jwks_uri'));
  const after = withSignIn(context, { isVerified: true });
  const verified = async (keys: Parameters<typeof verifySignature>[1], row: number | null) => {
    const signature = await verifySignature(idToken, keys);
    const outcome =
      signature.state === 'verified' ? signature.detail : 'The signature of the ID token is not verified.';
    return withFindings({ context: after, outcome }, checkIdTokenSignature(signature, { row }));
  };
  const base: Omit<PlannedStep, 'parties' | 'request' | 'act'> = {
    name: 'sign-in',
    label: 'keys',
    decidedBy: {
      text: 'The signature of the ID token is verified with the keys of the identity provider.',
      source: 'OpenID Connect Core 3.1.3.7',
    },
    alternatives: [],
    contextIfSkipped: after,
  };
  if (!(url instanceof URL)) {
    return {
      ...base,
      parties: ['client'],
      request: null,
      act: { kind: 'local', conclude: () => verified(url, null) },
    };
  }
  return {
    ...base,
    parties: ['client', 'identity-provider'],
    request: getRequest(env, url.href),
    act: {
      kind: 'exchange',
      failed: ({ what }) => ({ context: after, outcome: `The keys cannot be read: ${what}` }),
      conclude: (response) => verified(readIssuerKeys(response, issuer), response.row),
    },
  };
}

const local = (context: FlowContext, outcome: string, fault: Fault): PlannedStep => ({
  name: 'sign-in',
  label: '',
  parties: ['client'],
  request: null,
  decidedBy: null,
  alternatives: [],
  contextIfSkipped: null,
  act: { kind: 'local', conclude: () => ({ context, outcome, fault }) },
});

const noEndpoint: Fault = {
  code: 'endpoint-missing',
  what: 'The metadata of the identity provider lacks authorization_endpoint or token_endpoint, so nobody can sign in.',
  why: 'Both are required (OpenID Connect Discovery 3).',
  next: 'Enter an identity token in the settings of the server, or use another identity provider.',
};

const noIdToken = (response: FlowResponse, error: string | null): Fault => ({
  code: 'id-token-refused',
  what:
    error === null
      ? `The identity provider gave no ID token (HTTP status ${response.status}).`
      : `The identity provider answered with the error ${error.slice(0, 100)}.`,
  quote: oauthError(response).quote,
  next: 'Check the client ID there, and that the client may use the authorization code with PKCE and without a secret.',
});
