import type { Remedy } from '#shared/contract/sessions.ts';
import type { Connection } from '#session/connection.ts';

/** What may help after a session could not be opened over this connection. */
export function remediesFor({ refusedCertificate }: Connection): Remedy[] {
  if (refusedCertificate === null) return [];
  const { fingerprint, subject } = refusedCertificate;
  return [{ kind: 'accept-certificate', fingerprint, subject }];
}
