import type { grantKinds } from '#shared/contract/authorization.ts';
import type { FormRequest, Parameters } from './form-request.ts';

/** What most token requests have. */
export interface GrantTarget {
  readonly tokenEndpoint: URL;
  /** `resource` of the resource metadata, as it is written there (RFC 8707); null to send none. */
  readonly resource: string | null;
  /** Separated by spaces; null to send none. */
  readonly scope: string | null;
}

/** RFC 6749 section 4.1.3, with the verifier of RFC 7636. */
export const authorizationCodeRequest = (
  target: GrantTarget,
  grant: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
): FormRequest =>
  tokenRequest(target, [
    ['grant_type', 'authorization_code'],
    ['code', grant.code],
    ['redirect_uri', grant.redirectUri],
    ['code_verifier', grant.verifier],
  ]);

/** RFC 6749 section 4.4, for SEP-1046. */
export const clientCredentialsRequest = (target: GrantTarget): FormRequest =>
  tokenRequest(target, [['grant_type', 'client_credentials']]);

/** RFC 6749 section 6. */
export const refreshRequest = (target: GrantTarget, refreshToken: string): FormRequest =>
  tokenRequest(target, [
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
  ]);

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
export const ID_JAG = `${TOKEN_TYPE}id-jag`;

export interface IdentityAssertion {
  readonly token: string;
  readonly type: 'id_token' | 'saml2' | 'refresh_token';
}

/** Asks the identity provider for an ID-JAG (RFC 8693, SEP-990). `audience` is the issuer of the authorization server. */
export const tokenExchangeRequest = (
  target: GrantTarget,
  { subject, audience }: { readonly subject: IdentityAssertion; readonly audience: string },
): FormRequest =>
  tokenRequest(target, [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['requested_token_type', ID_JAG],
    ['subject_token', subject.token],
    ['subject_token_type', `${TOKEN_TYPE}${subject.type}`],
    ['audience', audience],
  ]);

/** Asks a platform for the token of a workload. `audience` is the issuer of the authorization server. */
export const workloadTokenRequest = (url: URL, audience: string): FormRequest =>
  form(url, [
    ['grant_type', 'client_credentials'],
    ['audience', audience],
  ]);

/**
 * Presents an ID-JAG (SEP-990) or the token of a workload (SEP-1933) to the authorization server (RFC 7523 section 2.1). Rejected, it
 * is neither sent again nor replaced by another grant.
 */
export const jwtBearerRequest = (target: GrantTarget, assertion: string): FormRequest =>
  tokenRequest(target, [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    ['assertion', assertion],
  ]);

export type TokenKind = 'access_token' | 'refresh_token';

/** RFC 7009 section 2.1. */
export const revocationRequest = (endpoint: URL, token: string, kind: TokenKind): FormRequest =>
  aboutToken(endpoint, token, kind);

/** RFC 7662 section 2.1. */
export const introspectionRequest = (endpoint: URL, token: string, kind: TokenKind): FormRequest =>
  aboutToken(endpoint, token, kind);

const aboutToken = (url: URL, token: string, kind: TokenKind): FormRequest =>
  form(url, [
    ['token', token],
    ['token_type_hint', kind],
  ]);

const tokenRequest = ({ tokenEndpoint, resource, scope }: GrantTarget, own: Parameters): FormRequest =>
  form(tokenEndpoint, [
    ...own,
    ...(scope === null ? [] : [['scope', scope] as const]),
    ...(resource === null ? [] : [['resource', resource] as const]),
  ]);

const form = (url: URL, parameters: Parameters): FormRequest => ({
  method: 'POST',
  url,
  headers: [],
  parameters,
});

/** The extension of MCP that a grant belongs to; the grant of the core protocol has none. */
const grantExtensions: Readonly<Record<(typeof grantKinds)[number], string | null>> = {
  'authorization-code': null,
  'client-credentials': 'io.modelcontextprotocol/oauth-client-credentials',
  enterprise: 'io.modelcontextprotocol/enterprise-managed-authorization',
  'workload-identity': 'io.modelcontextprotocol/auth/wif',
};

const DPOP_EXTENSION = 'io.modelcontextprotocol/auth/dpop';

/** The extensions to declare in the client's capabilities, as `capabilities.extensions` has them. */
export function declaredExtensions(settings: {
  readonly grant: keyof typeof grantExtensions;
  readonly dpop: boolean;
}): Record<string, Record<string, never>> {
  const names = [grantExtensions[settings.grant], settings.dpop ? DPOP_EXTENSION : null];
  return Object.fromEntries(names.flatMap((name) => (name === null ? [] : [[name, {}]])));
}
