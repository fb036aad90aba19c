import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import type { AssertionChoice, StepRequest } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isCredentialParameter } from '#shared/secret-names.ts';
import { checkRefreshResponse, checkTokenResponse } from './checks/token-response.ts';
import { type ClientIdentity, authenticateClient, chooseClientAuth } from './client-authentication.ts';
import {
  assertionIn,
  audienceOf,
  isForEndpoint,
  shouldTryEndpoint,
  tokenEndpointOf,
  withAudienceAdvice,
} from './assertion-audience.ts';
import { droppedAfter, dropNotes } from './dropped-parameters.ts';
import type { FlowResponse } from './exchange.ts';
import {
  type Conclusion,
  type FlowContext,
  type FlowEnvironment,
  issuerOf,
  type PlannedStep,
  type SignedAgain,
} from './flow-types.ts';
import type { FormRequest } from './form-request.ts';
import {
  authorizationCodeRequest,
  clientCredentialsRequest,
  type GrantTarget,
  jwtBearerRequest,
  refreshRequest,
} from './grants.ts';
import { listOf, readMetadata, writtenIssuer } from './metadata.ts';
import { chooseScope } from './authorization-request.ts';
import { resourceOf } from './resource.ts';
import { oauthError } from './server-words.ts';
import { withFindings } from './step-findings.ts';
import { prepareForm, sentNames } from './step-request.ts';
import { DROPPED, hasLostClient, noToken, withoutClient } from './token-errors.ts';
import { readTokenResponse, type TokenSet } from './tokens.ts';

/** A request to the token endpoint, by the grant of the flow; `refresh` for new tokens in place of old ones. */
export async function planToken(
  env: FlowEnvironment,
  context: FlowContext,
  refresh: TokenSet | null = null,
): Promise<PlannedStep> {
  const scope = refresh === null ? scopeOf(env, context) : null;
  const resource = context.authorizationRequest?.resource ?? resourceOf(env, context).value;
  const target: GrantTarget = {
    tokenEndpoint: new URL(tokenEndpointOf(env, context)),
    resource,
    // In the code grant the scope belongs to the authorization request.
    scope: env.settings.grant === 'authorization-code' || refresh !== null ? null : scope,
  };
  const signed = async (wrong: SignedAgain | null) => {
    const made = await authenticated(
      env,
      context,
      refresh === null
        ? grantRequest(env, context, target)
        : refreshRequest(target, refresh.refreshToken ?? ''),
      wrong,
    );
    const whole = withExtra(env, made.request);
    return { ...made, request: env.settings.dpop ? await withProof(env, context, whole, wrong) : whole };
  };
  const prepared = (request: FormRequest) =>
    prepareForm(
      request,
      { resource: 'the same as in the authorization request', ...extraNotes(env) },
      dropNotes(env.settings, context.dropped),
    );
  const { request, decidedBy, alternatives } = await signed(null);
  const form = prepared(request);
  const assertion = assertionIn(request);
  return {
    name: refresh === null ? 'token' : 'refresh',
    label: labelOf(env, context),
    parties: ['client', 'authorization-server'],
    request: form,
    signedAgain: async (wrong) => prepared((await signed(wrong)).request),
    assertion,
    decidedBy,
    alternatives,
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: async (response, { shown, wrongValue, isAsPlanned }) => {
        const names = sentNames(shown);
        const dropped = droppedAfter(context.dropped, {
          planned: form.shown.body.map((one) => one.name),
          sent: names,
          where: refresh === null ? 'the token request' : 'the refresh',
          always: env.settings.dropped,
          wrongName: findWrongValue(wrongValue ?? '')?.parameter ?? null,
        });
        // An assertion that the user changed tests the server.
        const isOurs = fingerprintIn(shown) === fingerprintIn(form.shown);
        const after = { ...context, dropped };
        const conclusion = await concludeToken(env, after, response, {
          scope,
          refresh,
          assertion: isOurs ? assertion : null,
        });
        // What is sent once more, with what the server demands, is not an error.
        const { nonceTries, isIssuerRejected } = conclusion.context;
        if (nonceTries > context.nonceTries || isIssuerRejected !== context.isIssuerRejected)
          return conclusion;
        const issuer = writtenIssuer(env, context);
        const asked = {
          scope: names.includes('scope') || env.settings.grant === 'authorization-code' ? scope : null,
          resource: names.includes('resource') ? target.resource : null,
          issuer,
          usesDpop: env.settings.dpop,
          authenticatesByHeader: request.headers.some(([name]) => name.toLowerCase() === 'authorization'),
          now: Date.now(),
        };
        const checked =
          refresh === null
            ? checkTokenResponse(response, asked)
            : checkRefreshResponse(response, asked, {
                accessToken: refresh.accessToken,
                refreshToken: refresh.refreshToken ?? '',
                scope: refresh.scope,
                isPublicClient: context.client?.clientSecret === null,
              });
        const question = {
          kind: refresh === null ? ('token' as const) : ('refresh' as const),
          issuer,
          clientId: context.client?.clientId ?? '',
        };
        const { error, quote } = oauthError(response);
        const isLost = isAsPlanned && conclusion.fault != null && hasLostClient(error, context);
        if (isLost && refresh === null) {
          await env.dropClient(context.client);
          const again = { context: withoutClient(context), outcome: `${quote}. ${DROPPED}` };
          return withFindings(again, { ...checked, stop: null }, { response, question });
        }
        const ended = await withFindings(conclusion, checked, { response, question });
        const { tokens } = ended.context;
        if (ended.fault == null && tokens !== null)
          await env.keepTokens(tokens, ended.context, { row: response.row, resource });
        return ended.fault == null ? ended : { ...ended, context: { ...context, isClientLost: isLost } };
      },
    },
  };
}

/** What distinguishes a request that is sent once more. */
const labelOf = (env: FlowEnvironment, context: FlowContext): string =>
  [
    context.nonceTries > 0 && 'with the nonce of the server',
    env.settings.assertionAudience === 'auto' &&
      isForEndpoint(env, context) &&
      'for the token endpoint as audience',
  ]
    .filter((part) => part !== false)
    .join(', ');

/** The fingerprint of the client assertion in a request; null without one. */
const fingerprintIn = ({ body }: StepRequest): string | null =>
  body.find(({ name, value }) => name === 'client_assertion' && value === null)?.fingerprint ?? null;

/** The request with the parameters of the settings, which replace others of the same name. */
function withExtra(env: FlowEnvironment, request: FormRequest): FormRequest {
  const tokenExtra = env.settings.tokenExtra.filter(({ name }) => name !== '');
  for (const { name, value } of tokenExtra) if (isCredentialParameter(name)) env.markSecret(name, value);
  const own = new Set(tokenExtra.map(({ name }) => name));
  return {
    ...request,
    parameters: [
      ...request.parameters.filter(([name]) => !own.has(name)),
      ...tokenExtra.map(({ name, value }) => [name, value] as const),
    ],
  };
}

const extraNotes = ({ settings }: FlowEnvironment): Readonly<Record<string, string>> =>
  Object.fromEntries(settings.tokenExtra.map(({ name }) => [name, 'from the settings']));

function scopeOf(env: FlowEnvironment, context: FlowContext): string | null {
  return context.authorizationRequest === null
    ? chooseScope(env, context).scope
    : context.authorizationRequest.scope;
}

function grantRequest(env: FlowEnvironment, context: FlowContext, target: GrantTarget): FormRequest {
  switch (env.settings.grant) {
    case 'authorization-code':
      return authorizationCodeRequest(target, {
        code: context.code ?? '',
        redirectUri: context.authorizationRequest?.redirectUri ?? '',
        verifier: context.authorizationRequest?.verifier ?? '',
      });
    case 'client-credentials':
      return clientCredentialsRequest(target);
    case 'enterprise':
      return jwtBearerRequest(target, context.assertion ?? '');
    case 'workload-identity':
      return jwtBearerRequest(target, context.assertion ?? env.secrets.identityToken ?? '');
  }
}

/** The request with the authentication of the client at the chosen authorization server. */
export async function authenticated(
  env: FlowEnvironment,
  context: FlowContext,
  request: FormRequest,
  wrong: SignedAgain | null = null,
) {
  const { client } = context;
  const identity: ClientIdentity = {
    clientId: client?.clientId ?? '',
    clientSecret: client?.clientSecret ?? null,
    privateKey: client?.kind === 'dynamic' ? null : env.secrets.privateKey,
  };
  const choice = chooseClientAuth({
    setting: env.settings.authMethod,
    registered: client?.authMethod ?? null,
    supported: listOf(context.serverMetadata, 'token_endpoint_auth_methods_supported'),
    client: identity,
  });
  const made = await authenticateClient(request, {
    method: choice.method,
    client: identity,
    audience: audienceOf(env, context),
    keyId: wrong?.keyId === undefined ? (env.settings.keyId ?? undefined) : wrong.keyId,
    signingAlgorithms:
      listOf(context.serverMetadata, 'token_endpoint_auth_signing_alg_values_supported') ?? [],
    ...(wrong?.jwt === 'client-assertion' && { claims: wrong.claims, hasOtherKey: wrong.hasOtherKey }),
  });
  for (const [name, value] of made.parameters) {
    if (name === 'client_assertion') env.markSecret(name, value);
  }
  return {
    request: made,
    decidedBy: {
      ...choice.decidedBy,
      text: `Client authentication ${choice.method}. ${choice.decidedBy.text}`,
    },
    alternatives: [...choice.alternatives],
  };
}

async function withProof(
  env: FlowEnvironment,
  context: FlowContext,
  request: FormRequest,
  wrong: SignedAgain | null,
): Promise<FormRequest> {
  const prover = await env.prover(issuerOf(env, context));
  const proof = prover.proofFor({
    method: request.method,
    url: request.url,
    accessToken: null,
    ...(wrong?.jwt === 'dpop-proof' && { claims: wrong.claims }),
  });
  return { ...request, headers: [...request.headers, ['DPoP', proof]] };
}

/** Limit of repeated token requests with a nonce of the server. */
const MAX_NONCE_TRIES = 1;

async function concludeToken(
  env: FlowEnvironment,
  context: FlowContext,
  response: FlowResponse,
  {
    scope,
    refresh,
    assertion,
  }: {
    readonly scope: string | null;
    readonly refresh: TokenSet | null;
    /** The client assertion, if it was sent as it was planned. */
    readonly assertion: AssertionChoice | null;
  },
): Promise<Conclusion> {
  const { error } = oauthError(response);
  if (env.settings.dpop) {
    const prover = await env.prover(issuerOf(env, context));
    prover.readNonce(response);
    if (error === 'use_dpop_nonce' && context.nonceTries < MAX_NONCE_TRIES) {
      return {
        context: { ...context, nonceTries: context.nonceTries + 1 },
        outcome: 'The server demands its nonce in the proof, so the request is sent once more.',
      };
    }
  }
  const read = readMetadata(response);
  const tokens =
    'value' in read
      ? readTokenResponse(read.value, {
          at: Date.now(),
          scope: scope ?? null,
          ...(refresh !== null && { before: refresh }),
        })
      : null;
  if (tokens === null) {
    if (shouldTryEndpoint(env, context, assertion, response)) {
      return {
        context: { ...context, isIssuerRejected: true },
        outcome:
          'The server rejects its issuer as the audience of the client assertion, so the request is sent once more with the token endpoint.',
      };
    }
    const fault = withAudienceAdvice(noToken(env, context, response, refresh !== null), response, {
      audience: assertion?.audience ?? null,
      endpoint: tokenEndpointOf(env, context),
    });
    return { context, outcome: 'There is no token.', fault };
  }
  for (const [kind, value] of [
    ['access_token', tokens.accessToken],
    ['refresh_token', tokens.refreshToken],
    ['id_token', tokens.idToken],
  ] as const) {
    if (value !== null) env.markSecret(kind, value);
  }
  const after = { ...context, tokens, code: null, nonceTries: 0 };
  if (env.settings.dpop && tokens.tokenType.toLowerCase() !== 'dpop') {
    return { context, outcome: 'The token is not bound to our key.', fault: notBound(tokens.tokenType) };
  }
  return { context: after, outcome: `There is a token of type ${tokens.tokenType.slice(0, 40)}.` };
}

const notBound = (type: string): Fault => ({
  code: 'token-not-bound',
  what: `A token bound to a key was requested (DPoP), but its type is ${type.slice(0, 40)}.`,
  why: 'A token that is not bound must not be used in its place (RFC 9449 section 5).',
  next: 'Turn DPoP off in the settings of the server, if the authorization server does not support it.',
});
