import type { AssertionChoice } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { FlowResponse } from './exchange.ts';
import type { FlowContext, FlowEnvironment } from './flow-types.ts';
import type { FormRequest } from './form-request.ts';
import { decodeJwt } from './jwt.ts';
import { textOf, writtenIssuer } from './metadata.ts';
import { oauthError } from './server-words.ts';

type Surroundings = Pick<FlowEnvironment, 'serverUrl' | 'settings'>;

/** The token endpoint, as the metadata writes it. */
export const tokenEndpointOf = ({ serverUrl }: Pick<FlowEnvironment, 'serverUrl'>, context: FlowContext) =>
  context.serverMetadata === null
    ? `${serverUrl.origin}/token`
    : (textOf(context.serverMetadata, 'token_endpoint') ?? '');

/** `aud` of our client assertions: the issuer (RFC 7523bis), or the token endpoint where the server demands that (RFC 7523 section 3). */
export const audienceOf = (env: Surroundings, context: FlowContext): string =>
  isForEndpoint(env, context) ? tokenEndpointOf(env, context) : writtenIssuer(env, context);

export const isForEndpoint = (
  { settings: { assertionAudience } }: Pick<FlowEnvironment, 'settings'>,
  { isIssuerRejected }: FlowContext,
): boolean => assertionAudience === 'token-endpoint' || (assertionAudience === 'auto' && isIssuerRejected);

/** What the client assertion in a request says; null without one. */
export function assertionIn({ parameters }: Pick<FormRequest, 'parameters'>): AssertionChoice | null {
  const [, token = ''] = parameters.find(([name]) => name === 'client_assertion') ?? [];
  const jwt = decodeJwt(token);
  if (jwt === null) return null;
  const { aud } = jwt.claims;
  const { kid } = jwt.header;
  return { audience: typeof aud === 'string' ? aud : '', keyId: typeof kid === 'string' ? kid : null };
}

/** Errors by which servers reject a client assertion (RFC 6749 section 5.2); `invalid_grant` is about what the client presents. */
const clientErrors: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_request',
  'unauthorized_client',
]);

/** Whether the error of a token endpoint is about the client, and names the audience. */
export function namesAudience(response: FlowResponse): boolean {
  const { error, quote } = oauthError(response);
  return clientErrors.has(error ?? '') && /\baud(?:ience)?s?\b/i.test(quote);
}

/**
 * Whether the request is worth sending again with the token endpoint as `aud`: the server rejected the issuer, and nobody chose it.
 *
 * @param assertion the one that was planned; null without one
 */
export function shouldTryEndpoint(
  env: Surroundings,
  context: FlowContext,
  assertion: AssertionChoice | null,
  response: FlowResponse,
): boolean {
  return (
    assertion !== null &&
    env.settings.assertionAudience === 'auto' &&
    !context.isIssuerRejected &&
    tokenEndpointOf(env, context) !== assertion.audience &&
    namesAudience(response)
  );
}

/** The fault of a token endpoint, with what to do if it is about the audience of the client assertion that was sent. */
export function withAudienceAdvice(
  fault: Fault,
  response: FlowResponse,
  { audience, endpoint }: { readonly audience: string | null; readonly endpoint: string },
): Fault {
  const { error } = oauthError(response);
  const isAbout = error === 'invalid_client' || namesAudience(response);
  if (audience === null || !isAbout) return fault;
  const what =
    audience === endpoint
      ? 'If the authorization server demands its issuer there (RFC 7523bis), choose that as the assertion audience in the settings of the server.'
      : 'If the authorization server demands its token endpoint there, as Okta and Entra do, choose that as the assertion audience in the settings of the server.';
  return {
    ...fault,
    next: `The client assertion is for ${audience.slice(0, 200)} (aud, RFC 7523 3). ${what} A stepped flow can change aud and kid. Otherwise compare the client ID and the key with what is registered.`,
  };
}
