import type { Remedy } from '#shared/contract/sessions.ts';
import type { Line } from '#session/line.ts';

/** What may help after a session could not be opened over this line. */
export function remediesFor({ refusedCertificate }: Line): Remedy[] {
  if (refusedCertificate === null) return [];
  const { fingerprint, subject } = refusedCertificate;
  return [{ kind: 'accept-certificate', fingerprint, subject }];
}
