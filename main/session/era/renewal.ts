import type { Agreement } from '#shared/contract/sessions.ts';
import { type HandshakeSettings, readInitialized, requestInitialize } from './legacy-era.ts';
import type { Peer } from '#session/rpc/peer.ts';

/**
 * Opens the session again after the server has let it expire (MCP 2025-06-18 transports, session management).
 *
 * @throws FaultError when the server does not open another one
 */
export async function renewSession(
  peer: Peer,
  settings: HandshakeSettings,
  before: Agreement | null,
  enter: (reason: string) => void,
): Promise<Agreement> {
  enter('the server let the session expire (HTTP status 404); initialize goes again');
  const revision = before?.revision ?? settings.revision;
  const again = { ...settings, revision, anyRevision: true };
  return readInitialized(await requestInitialize(peer, again).outcome, again);
}
