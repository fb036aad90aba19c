import type { Fault } from '#shared/contract/fault.ts';
import { checkRefreshResponse, checkTokenResponse } from './checks/token-response.ts';
import { type ClientIdentity, authenticateClient, chooseClientAuth } from './client-authentication.ts';
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
import { listOf, readMetadata, textOf, writtenIssuer } from './metadata.ts';
import { chooseScope } from './authorization-request.ts';
import { resourceOf } from './resource.ts';
import { oauthError } from './server-words.ts';
import { withFindings } from './step-findings.ts';
import { prepareForm } from './step-request.ts';
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
    tokenEndpoint: new URL(
      context.serverMetadata === null
        ? `${env.serverUrl.origin}/token`
        : (textOf(context.serverMetadata, 'token_endpoint') ?? ''),
    ),
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
    return {
      ...made,
      request: env.settings.dpop ? await withProof(env, context, made.request, wrong) : made.request,
    };
  };
  const prepared = (request: FormRequest) =>
    prepareForm(request, { resource: 'the same as in the authorization request' });
  const { request, decidedBy, alternatives } = await signed(null);
  return {
    name: refresh === null ? 'token' : 'refresh',
    label: context.nonceTries > 0 ? 'with the nonce of the server' : '',
    parties: ['client', 'authorization-server'],
    request: prepared(request),
    signedAgain: async (wrong) => prepared((await signed(wrong)).request),
    decidedBy,
    alternatives,
    contextIfSkipped: null,
    act: {
      kind: 'exchange',
      conclude: async (response, isAsPlanned) => {
        const conclusion = await concludeToken(env, context, response, { scope, refresh });
        // The answer to a proof without a nonce is not an error: the request is sent once more.
        if (conclusion.context.nonceTries > context.nonceTries) return conclusion;
        const issuer = writtenIssuer(env, context);
        const asked = {
          scope,
          resource: target.resource,
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
    issuer: writtenIssuer(env, context),
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
  { scope, refresh }: { readonly scope: string | null; readonly refresh: TokenSet | null },
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
    const fault = noToken(env, context, response, refresh !== null);
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
