import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { type Revision, revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { rulesOf } from '#authorization/revision-rules.ts';
import { type Checked, Findings, shown } from './findings.ts';
import { checkStatus, type JsonObject, readJson, readText, readTexts } from './json-response.ts';
import { checkSupportedScopes } from './scopes.ts';
import { checkEndpoint, differenceOf, allowsPlainHttp } from './urls.ts';

/** Metadata of an authorization server (RFC 8414), as it was written. */
export interface ServerMetadata {
  readonly json: JsonObject;
  readonly issuer: string | null;
  /** The endpoints that may be used. Each is null if it is missing or must not be used. */
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  readonly registrationEndpoint: string | null;
  readonly revocationEndpoint: string | null;
  readonly introspectionEndpoint: string | null;
  readonly jwksUri: string | null;
  /** Whether the metadata has `authorization_response_iss_parameter_supported`. */
  readonly promisesIss: boolean;
}

export interface ServerMetadataContext {
  readonly revision: Revision;
  /** The issuer that the metadata was requested for, as it was written in the resource metadata. */
  readonly issuer: string;
  /** Whether the flow opens a browser; other grants need no authorization endpoint and no PKCE. */
  readonly usesBrowser: boolean;
  /** Whether the flow would register dynamically if it can. */
  readonly needsRegistration: boolean;
  /** Whether the user has the flow go on without advertised PKCE; false by default. */
  readonly assumesPkce?: boolean;
  /** Whether the flow goes on where only some revisions stop; it does not by default. */
  readonly allowsOlder?: boolean;
}

const SOURCE = 'RFC 8414 2';

/** Checks the metadata of an authorization server (RFC 8414 sections 2 and 3.3). */
export function checkServerMetadata(
  response: RawResponse,
  context: ServerMetadataContext,
): Checked<ServerMetadata> {
  const found = new Findings(response);
  if (!checkStatus(response, found)) return found.checked<ServerMetadata>(null);
  // A well-known URL that the server does not have: another one is tried.
  if (response.status !== 200) return found.checked<ServerMetadata>(null);
  const json = readJson(
    response,
    { what: 'metadata of the authorization server', source: 'RFC 8414 3.2' },
    found,
  );
  if (json === null) return found.checked<ServerMetadata>(null);
  const issuer = readText(json, 'issuer', { found, source: SOURCE });
  checkIssuer(issuer, context, found);
  const endpoint = (name: string): string | null => {
    const value = readText(json, name, { found, source: SOURCE });
    return value !== null && checkEndpoint(name, value, found) ? value : null;
  };
  const value: ServerMetadata = {
    json,
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    registrationEndpoint: endpoint('registration_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    introspectionEndpoint: endpoint('introspection_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    promisesIss: json['authorization_response_iss_parameter_supported'] === true,
  };
  checkRequired(json, context, found);
  if (context.usesBrowser) checkPkce(json, context, found);
  checkFlags(json, found);
  return found.checked(value);
}

function checkIssuer(
  issuer: string | null,
  { revision, issuer: expected, allowsOlder = false }: ServerMetadataContext,
  found: Findings,
): void {
  if (issuer === null) return found.add('issuer-missing', { expected });
  switch (differenceOf(expected, issuer)) {
    case 'none':
      return;
    case 'slash':
      return found.add('issuer-slash-differs', {
        text: `The metadata's issuer ${issuer} is not ${expected}: only the slash differs.`,
        expected,
        received: issuer,
        // The same server, and known ones are like that; 2026-07-28 forbids even this.
        stops: !rulesOf(revision).allowsIssuerSlash && !allowsOlder,
      });
    case 'spelling':
      return found.add('issuer-spelling-differs', { expected, received: issuer });
    case 'other':
      return found.add('issuer-differs', {
        text: `The metadata's issuer ${issuer} is not ${expected}.`,
        expected,
        received: issuer,
      });
  }
}

function checkRequired(json: JsonObject, context: ServerMetadataContext, found: Findings): void {
  const { usesBrowser, needsRegistration } = context;
  if (usesBrowser && json['authorization_endpoint'] === undefined)
    found.add('authorization-endpoint-missing');
  if (json['token_endpoint'] === undefined) found.add('token-endpoint-missing');
  if (needsRegistration && json['registration_endpoint'] === undefined) found.add('registration-unavailable');
  const to = { found, source: SOURCE };
  const responseTypes = readTexts(json, 'response_types_supported', to);
  if (json['response_types_supported'] === undefined) found.add('response-types-missing');
  else if (usesBrowser && responseTypes?.includes('code') === false)
    found.add('code-unsupported', {
      text: 'The response_types_supported do not have code.',
      expected: 'code',
      received: responseTypes.join(', '),
    });
  const grantTypes = readTexts(json, 'grant_types_supported', to);
  if (usesBrowser && grantTypes?.includes('authorization_code') === false)
    found.add('code-unsupported', {
      text: 'The grant_types_supported do not have authorization_code.',
      expected: 'authorization_code',
      received: grantTypes.join(', '),
    });
  checkSupportedScopes(json, to);
  readTexts(json, 'token_endpoint_auth_methods_supported', to);
}

function checkPkce(
  json: JsonObject,
  { revision, assumesPkce = false, allowsOlder = false }: ServerMetadataContext,
  found: Findings,
): void {
  const isForbidden = revisionAtLeast(revision, '2025-11-25');
  const methods = readTexts(json, 'code_challenge_methods_supported', { found, source: SOURCE });
  if (json['code_challenge_methods_supported'] === undefined) {
    found.add('pkce-not-advertised', {
      ...(isForbidden && {
        text: 'PKCE is not advertised: the metadata does not have code_challenge_methods_supported. From 2025-11-25 on, this forbids going on.',
        severity: 'error' as const,
        source: `MCP ${revision} authorization`,
      }),
      expected: 'S256',
      stops: isForbidden && !assumesPkce && !allowsOlder,
    });
  } else if (methods?.includes('S256') !== true) {
    found.add('pkce-s256-missing', {
      expected: 'S256',
      received: shown(json['code_challenge_methods_supported']),
      stops: isForbidden && !assumesPkce && !allowsOlder,
    });
  }
}

function checkFlags(json: JsonObject, found: Findings): void {
  for (const name of [
    'authorization_response_iss_parameter_supported',
    'client_id_metadata_document_supported',
  ]) {
    const value = json[name];
    if (value !== undefined && typeof value !== 'boolean')
      found.add('member-of-wrong-type', {
        text: `The member ${name} is not a boolean.`,
        source: SOURCE,
        expected: 'a boolean',
        received: shown(value),
      });
  }
}

/** A URL at which metadata was requested. */
export interface TriedMetadata {
  readonly url: string;
  /** What came of it, such as `HTTP 404`. */
  readonly outcome: string;
}

/** The endpoints that are plain http, which is forbidden, and accepted on this machine only. */
export function checkPlainEndpoints(
  metadata: Readonly<Record<string, unknown>>,
  { row }: { readonly row: number | null },
): readonly AuthorizationFinding[] {
  const found = new Findings({ row });
  const plain = Object.entries(metadata).flatMap(([name, value]) => {
    const isEndpoint = name.endsWith('_endpoint') || name === 'jwks_uri';
    const url = isEndpoint && typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    return url?.protocol === 'http:' && allowsPlainHttp(url) ? [name] : [];
  });
  if (plain.length > 0) found.add('endpoint-http-on-loopback', { received: plain.join(', ') });
  return found.all;
}

/** What it means that none of these URLs has metadata: default endpoints in 2025-03-26, the end of the flow later. */
export function checkMetadataFound(
  tried: readonly TriedMetadata[],
  { revision, row }: { readonly revision: Revision; readonly row: number | null },
): Checked<null> {
  const found = new Findings({ row });
  const received = tried.map(({ url, outcome }) => `${url}: ${outcome}`).join('\n');
  if (revision === '2025-03-26') found.add('default-endpoints-used', { received });
  else
    found.add('server-metadata-missing', {
      text: `The authorization server has no metadata. These URLs were tried: ${tried.map(({ url }) => url).join(', ')}.`,
      received,
    });
  return found.checked<null>(null);
}
