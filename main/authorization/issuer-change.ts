import { type Checked, Findings } from './checks/findings.ts';
import type { RegisteredClient } from './flow-types.ts';

/**
 * Checks whether a client ID that was registered by someone else than us may be sent to an issuer (MCP 2026-07-28 authorization).
 * Credentials belong to the issuer that they were made for, compared as written. The other ways of registration need no check: a
 * client that registers itself does so at each issuer, and the URL of a metadata document is the client ID at all of them.
 *
 * @param known the clients of the MCP server, at whatever issuer
 */
export function checkIssuer(
  known: Iterable<RegisteredClient>,
  { issuer, clientId }: Pick<RegisteredClient, 'issuer' | 'clientId'>,
): Checked<null> {
  const found = new Findings({ row: null });
  const same = [...known].filter((one) => one.clientId === clientId);
  const former = same.at(-1);
  if (former !== undefined && same.every((one) => one.issuer !== issuer)) {
    const text = `The server now names the authorization server ${issuer}, but the client ID ${clientId} was registered at ${former.issuer}. It was not sent there. Enter a client ID for the new authorization server, or forget the stored credentials.`;
    found.add('issuer-changed', { text, expected: former.issuer, received: issuer });
  }
  return found.checked<null>(null);
}
