import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import { Findings } from './checks/findings.ts';
import type { Credentials } from './credentials.ts';

/** What to do about the client at an authorization server. */
export type ClientDecision =
  /** Use what is stored. */
  | { readonly kind: 'use'; readonly credentials: Credentials }
  /** The URL of the metadata document is the client ID at every authorization server. */
  | { readonly kind: 'keep-document'; readonly clientId: string; readonly formerIssuer: string }
  /** Nothing is stored for this issuer, or only a client that was registered at another issuer. */
  | { readonly kind: 'register'; readonly formerIssuer: string | null }
  /** The client was registered at another authorization server, by someone else than us. */
  | { readonly kind: 'stop'; readonly finding: AuthorizationFinding };

/**
 * Which client to use at an issuer (MCP 2026-07-28 authorization). Credentials belong to the issuer that they were made for, compared
 * as written: none is ever sent to another.
 *
 * @param stored what is stored for the MCP server, the oldest first
 */
export function clientForIssuer(
  stored: readonly Credentials[],
  { serverUrl, issuer }: { readonly serverUrl: string; readonly issuer: string },
): ClientDecision {
  const ofServer = stored.filter((one) => one.serverUrl === serverUrl);
  const own = ofServer.findLast((one) => one.issuer === issuer);
  if (own !== undefined) return { kind: 'use', credentials: own };
  const former = ofServer.at(-1);
  switch (former?.registration) {
    case undefined:
    case 'dynamic':
      return { kind: 'register', formerIssuer: former?.issuer ?? null };
    case 'metadata-document':
      return { kind: 'keep-document', clientId: former.clientId, formerIssuer: former.issuer };
    case 'pre-registered':
      return { kind: 'stop', finding: issuerChanged(former, issuer) };
  }
}

function issuerChanged({ issuer: expected, clientId }: Credentials, received: string): AuthorizationFinding {
  const found = new Findings({ row: null });
  const text = `The server now names the authorization server ${received}, but the client ID ${clientId} was registered at ${expected}. It was not sent there. Enter a client ID for the new authorization server, or forget the stored credentials.`;
  found.add('issuer-changed', { text, expected, received });
  const [finding] = found.all;
  if (finding === undefined) throw new Error('a finding was just added');
  return finding;
}
