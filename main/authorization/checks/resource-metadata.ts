import type { Revision } from '#shared/protocol/revisions.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { type Checked, Findings, shown } from './findings.ts';
import { checkStatus, type JsonObject, readJson, readText, readTexts } from './json-response.ts';
import { checkSupportedScopes, supportedScopes } from './scopes.ts';
import { checkEndpoint, containsUrl, differenceOf } from './urls.ts';

/** Protected resource metadata (RFC 9728), as it was written. */
export interface ResourceMetadata {
  readonly json: JsonObject;
  /** Verbatim; null if it is missing. */
  readonly resource: string | null;
  /** The issuers that may be used. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | null;
}

export interface ResourceMetadataContext {
  readonly revision: Revision;
  /** The URL of the MCP server, as the user entered it. */
  readonly serverUrl: string;
  /** Whether the challenge named the URL of the metadata; a well-known URL may answer 404. */
  readonly isNamed: boolean;
}

const SOURCE = 'RFC 9728 2';

/** Checks protected resource metadata (RFC 9728 sections 2 and 3). */
export function checkResourceMetadata(
  response: RawResponse,
  { serverUrl, isNamed }: ResourceMetadataContext,
): Checked<ResourceMetadata> {
  const found = new Findings(response);
  const { status } = response;
  const none = (text: string) => {
    if (isNamed) found.add('resource-metadata-missing', { text, expected: '200', received: String(status) });
    return found.checked<ResourceMetadata>(null);
  };
  const answers = `The resource_metadata of the challenge answers ${status}.`;
  if (!checkStatus(response, found) || status !== 200) return none(answers);
  const json = readJson(response, { what: 'resource metadata', source: 'RFC 9728 3.2' }, found);
  if (json === null) return none('The resource_metadata of the challenge answers 200 without metadata.');
  const to = { found, source: SOURCE };
  const resource = readText(json, 'resource', to);
  checkResource(resource, { serverUrl, metadataUrl: response.url, found });
  const authorizationServers = issuersIn(json, found);
  checkSupportedScopes(json, to);
  const scopesSupported = supportedScopes(json);
  if (scopesSupported?.includes('offline_access'))
    found.add('offline-access-demanded', {
      text: 'The scopes_supported of the resource metadata have offline_access, which is between the client and the authorization server.',
      received: scopesSupported.join(' '),
    });
  const methods = readTexts(json, 'bearer_methods_supported', to);
  if (methods !== null && !methods.includes('header'))
    found.add('bearer-header-unsupported', { expected: 'header', received: methods.join(', ') });
  return found.checked({ json, resource, authorizationServers, scopesSupported });
}

interface ResourceContext {
  readonly serverUrl: string;
  readonly metadataUrl: URL;
  readonly found: Findings;
}

function checkResource(resource: string | null, { serverUrl, metadataUrl, found }: ResourceContext): void {
  if (resource === null) return found.add('resource-missing', { expected: serverUrl });
  if (!URL.canParse(resource) || resource.includes('#'))
    return found.add('resource-invalid', { received: resource });
  const values = { expected: serverUrl, received: resource };
  const difference = differenceOf(serverUrl, resource);
  if (difference === 'slash') found.add('resource-slash-differs', values);
  else if (difference === 'other' && containsUrl(new URL(resource), new URL(serverUrl)))
    found.add('resource-is-parent', {
      text: `The resource metadata is for ${resource}, which contains the server asked for, ${serverUrl}.`,
      ...values,
    });
  else if (difference === 'other')
    found.add('resource-differs', {
      text: `The metadata names the resource ${resource}. You asked for ${serverUrl}.`,
      ...values,
    });
  const { pathname } = new URL(serverUrl);
  if (pathname !== '/' && /^\/\.well-known\/oauth-protected-resource\/?$/.test(metadataUrl.pathname))
    found.add('resource-metadata-only-at-root', {
      expected: `/.well-known/oauth-protected-resource${pathname}`,
      received: metadataUrl.pathname,
    });
}

function issuersIn(json: JsonObject, found: Findings): readonly string[] {
  const value = json['authorization_servers'];
  if (value === undefined) {
    found.add('authorization-servers-missing');
    return [];
  }
  if (Array.isArray(value) && value.length === 0) {
    found.add('authorization-servers-empty', { expected: 'at least one issuer', received: '[]' });
    return [];
  }
  const issuers = readTexts(json, 'authorization_servers', { found, source: SOURCE }) ?? [];
  if (issuers.length === 0)
    found.add('authorization-servers-empty', { expected: 'at least one issuer', received: shown(value) });
  return issuers.filter((issuer) => isUsableIssuer(issuer, found));
}

function isUsableIssuer(issuer: string, found: Findings): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  if (url === null || /[?#]/.test(issuer)) {
    found.add('authorization-server-invalid', {
      text: `The authorization server ${issuer} is not an issuer: a URL without query and fragment.`,
      received: issuer,
    });
    return false;
  }
  return checkEndpoint('issuer of an authorization server', issuer, found);
}
