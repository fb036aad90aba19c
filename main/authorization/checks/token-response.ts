import type { RawResponse } from '#authorization/exchange.ts';
import { decodeJwt } from '#authorization/jwt.ts';
import { addMissingAudience, audiencesOf, checkAudience } from './audience.ts';
import { type Checked, Findings, headerValues, shown } from './findings.ts';
import { checkStatus, type JsonObject, readJson, readText } from './json-response.ts';
import { checkScopeForm, scopeNames, scopeText, wordsOf } from './scopes.ts';
import { checkLifetimes, checkStart, timeOf } from './token-times.ts';

/** A token response (RFC 6749 section 5.1) with an access token. */
export interface TokenResponse {
  readonly json: JsonObject;
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

export interface TokenResponseContext {
  /** The scope that was asked for, separated by spaces; null if none was. */
  readonly scope: string | null;
  /** The resource of the request; null if it had none. */
  readonly resource: string | null;
  /** The issuer of the authorization server; null if it is not known. */
  readonly issuer: string | null;
  /** Whether the request had a DPoP proof. */
  readonly usesDpop: boolean;
  /** Whether the client authenticated in the `Authorization` header. */
  readonly authenticatesByHeader: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether it is the response of a token exchange, which carries an assertion and has the token_type `N_A` (RFC 8693 section 2.2.1). */
  readonly isAssertion?: boolean;
}

/** The tokens before a refresh. */
export interface TokensBefore {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scope: string | null;
  /** Whether the client has neither a secret nor a key. */
  readonly isPublicClient: boolean;
}

/** Checks a response of the token endpoint (RFC 6749 section 5). */
export function checkTokenResponse(
  response: RawResponse,
  context: TokenResponseContext,
): Checked<TokenResponse> {
  const found = new Findings(response);
  return found.checked(readTokens(response, context, found));
}

/** Checks a response to a refresh (RFC 6749 section 6). */
export function checkRefreshResponse(
  response: RawResponse,
  context: TokenResponseContext,
  before: TokensBefore,
): Checked<TokenResponse> {
  const found = new Findings(response);
  const tokens = readTokens(response, { ...context, scope: context.scope ?? before.scope }, found);
  if (tokens !== null) compare(tokens, before, found);
  return found.checked(tokens);
}

function compare(tokens: TokenResponse, before: TokensBefore, found: Findings): void {
  const { refreshToken, accessToken, json } = tokens;
  if (refreshToken === null || refreshToken === before.refreshToken) {
    found.add('refresh-not-rotated', {
      ...(!before.isPublicClient && {
        text: 'The refresh token was not rotated. The client is confidential, so it need not be.',
        severity: 'info' as const,
      }),
    });
  }
  if (accessToken === before.accessToken) found.add('access-token-unchanged');
  const scope = json['scope'];
  const had = wordsOf(before.scope);
  const has = scope === undefined ? had : scopeNames(scope, had);
  const lost = has.length === 0 ? [] : had.filter((one) => !has.includes(one));
  if (lost.length > 0)
    found.add('refresh-lost-scope', {
      text: `The refreshed token has lost the scope ${lost.join(' ')}.`,
      expected: before.scope,
      received: shown(scope),
    });
  const [expected, received] = [before.accessToken, accessToken].map((token) =>
    audiencesOf(decodeJwt(token)?.claims['aud'])?.toSorted().join(', '),
  );
  if (expected !== undefined && expected !== received)
    found.add('refresh-lost-audience', { expected, received: received ?? null });
}

function readTokens(
  response: RawResponse,
  context: TokenResponseContext,
  found: Findings,
): TokenResponse | null {
  const { status } = response;
  if (!checkStatus(response, found)) return null;
  const json = readJson(response, { what: 'token response', source: 'RFC 6749 5.1' }, found);
  const error = json?.['error'];
  if (status >= 400 || error !== undefined) {
    addError(response, { json, context }, found);
    return null;
  }
  if (status !== 200)
    found.add('unexpected-status', { source: 'RFC 6749 5.1', expected: '200', received: String(status) });
  if (json === null) return null;
  const to = { found, source: 'RFC 6749 5.1' };
  const accessToken = readText(json, 'access_token', to);
  if (accessToken === null || accessToken === '') found.add('access-token-missing');
  checkType(json, context, found);
  checkLifetime(json, found);
  const refreshToken = readText(json, 'refresh_token', to);
  const idToken = readText(json, 'id_token', to);
  const { isAssertion = false } = context;
  const jwt = accessToken === null || isAssertion ? null : decodeJwt(accessToken);
  checkScope(json, { asked: context.scope, claims: jwt?.claims ?? null }, found);
  if (!headerValues(response, 'cache-control').some((value) => /\bno-store\b/i.test(value)))
    found.add('token-response-cacheable', {
      expected: 'no-store',
      received: headerValues(response, 'cache-control').join(', '),
    });
  if (jwt !== null) checkJwt(jwt, { json, context }, found);
  const idClaims = idToken === null ? null : (decodeJwt(idToken)?.claims ?? null);
  if (idClaims !== null) checkStart({ what: 'ID token', claims: idClaims, now: context.now }, found);
  return accessToken === null || accessToken === '' ? null : { json, accessToken, refreshToken };
}

interface ErrorContext {
  readonly json: JsonObject | null;
  readonly context: TokenResponseContext;
}

function addError(response: RawResponse, { json, context }: ErrorContext, found: Findings): void {
  const { status } = response;
  const error = json?.['error'];
  const description = json?.['error_description'];
  const received = [
    `HTTP ${status}`,
    ...[error, description].flatMap((one) => (one === undefined ? [] : [shown(one)])),
  ].join(', ');
  if (status < 400)
    found.add('error-with-200', {
      text: `HTTP status ${status} carries the OAuth error ${shown(error)}.`,
      expected: '400',
      received,
    });
  if (error === undefined) found.add('error-code-missing', { received });
  if (error === 'invalid_target') found.add('resource-rejected', { expected: context.resource, received });
  else if (error === 'use_dpop_nonce') {
    // The request is sent again with the nonce.
    if (headerValues(response, 'dpop-nonce').length === 0)
      found.add('nonce-missing', { expected: 'a DPoP-Nonce header' });
  } else if (status >= 400)
    found.add('token-error', {
      text: `The token request was rejected: ${error === undefined ? `HTTP status ${status}` : shown(error)}.`,
      received,
    });
  const challenges = headerValues(response, 'www-authenticate');
  if (
    error === 'invalid_client' &&
    context.authenticatesByHeader &&
    (status !== 401 || challenges.length === 0)
  )
    found.add('invalid-client-status', { expected: '401 with WWW-Authenticate', received: String(status) });
}

function checkType(json: JsonObject, context: TokenResponseContext, found: Findings): void {
  const { usesDpop, isAssertion = false } = context;
  const type = json['token_type'];
  if (type === undefined || type === null) {
    found.add('token-type-missing', {
      expected: usesDpop ? 'DPoP' : 'Bearer',
      // Without it the token may be a Bearer token.
      stops: usesDpop,
    });
    return;
  }
  const isNamed = (name: string) => typeof type === 'string' && type.toLowerCase() === name;
  if (isAssertion && isNamed('n_a')) return;
  if (!isNamed('bearer') && !isNamed('dpop'))
    found.add('token-type-unknown', { expected: usesDpop ? 'DPoP' : 'Bearer', received: shown(type) });
  else if (usesDpop && isNamed('bearer'))
    found.add('dpop-downgraded', { expected: 'DPoP', received: shown(type) });
  else if (!usesDpop && isNamed('dpop'))
    found.add('dpop-unasked', { expected: 'Bearer', received: shown(type) });
}

const DAY = 86_400;

function checkLifetime(json: JsonObject, found: Findings): void {
  const value = json['expires_in'];
  if (value === undefined || value === null)
    return found.add('expiry-missing', { ...(value === null && { received: 'null' }) });
  if (typeof value !== 'number' || value <= 0)
    return found.add('expiry-invalid', { expected: 'a number above 0', received: JSON.stringify(value) });
  if (value > DAY)
    found.add('token-lives-long', {
      text: `The access token is valid for ${Math.round(value / DAY)} days.`,
      received: String(value),
    });
}

interface ScopeContext {
  readonly asked: string | null;
  /** The claims of the access token, if it is a JWT. */
  readonly claims: JsonObject | null;
}

/** A response without scope says that all of it was granted (RFC 6749 section 5.1). */
function checkScope(json: JsonObject, { asked, claims }: ScopeContext, found: Findings): void {
  const before = wordsOf(asked);
  const said = scopeText(json['scope'], before);
  const inToken = claims?.['scope'];
  checkScopeForm(json['scope'], { what: 'scope of the token response', known: before }, found);
  checkScopeForm(inToken, { what: 'scope of the token', source: 'RFC 9068 2.2.3', known: before }, found);
  const granted = said ?? scopeText(inToken, before);
  if (asked === null || granted === null) return;
  const after = scopeNames(granted, before);
  const missing = before.filter((one) => !after.includes(one));
  const values = { expected: asked, received: granted };
  if (missing.length > 0)
    found.add(said !== null ? 'scope-narrower' : 'scope-narrower-unsaid', {
      text:
        said !== null
          ? `Less scope was granted than asked for: ${missing.join(' ')} is missing.`
          : `The scope is narrower than asked and the response does not say so: ${missing.join(' ')} is missing in the token.`,
      ...values,
    });
  const added = after.filter((one) => !before.includes(one));
  if (added.length > 0)
    found.add('scope-wider', {
      text: `More scope was granted than asked for: ${added.join(' ')}.`,
      ...values,
    });
}

type Jwt = NonNullable<ReturnType<typeof decodeJwt>>;

interface JwtContext {
  /** The token response. */
  readonly json: JsonObject;
  readonly context: TokenResponseContext;
}

function checkJwt({ header, claims }: Jwt, { json, context }: JwtContext, found: Findings): void {
  const { resource, issuer, now } = context;
  const audiences = audiencesOf(claims['aud']);
  if (audiences === null) addMissingAudience(claims['aud'], resource, found);
  else if (resource !== null) checkAudience(audiences, resource, found);
  const iss = claims['iss'];
  if (issuer !== null && iss !== undefined && iss !== issuer)
    found.add('token-issuer-differs', { expected: issuer, received: shown(iss) });
  const exp = claims['exp'];
  if (typeof exp === 'number' && exp * 1000 <= now) found.add('token-expired', { received: timeOf(exp) });
  const token = { what: 'access token' as const, claims, now };
  checkStart(token, found);
  checkLifetimes(token, { expiresIn: json['expires_in'] }, found);
  if (header['alg'] === 'none') found.add('token-not-signed', { received: 'none' });
}
