import type { Certificate, TlsFacts } from '#shared/trace/record.ts';

/** Why a certificate is not trusted, by the code that OpenSSL or Node gives it. */
const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a certificate that is signed by itself',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is not known',
  CERT_UNTRUSTED: 'its issuer is not trusted',
  CERT_REJECTED: 'its issuer does not vouch for servers',
  CERT_REVOKED: 'it was revoked',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was made for other names',
  HOSTNAME_MISMATCH: 'it was made for other names',
  INVALID_PURPOSE: 'it was not made for servers',
};

/** Why a code says that a certificate is not trusted, as the end of a sentence; null when it is no such code. */
export const distrustOf = (code: string): string | null => reasons[code] ?? null;

/** Whether a connection's certificate is trusted, or was accepted by the user all the same. */
export function trustWords({ untrusted }: Pick<TlsFacts, 'untrusted'>): string {
  if (untrusted === undefined) return 'yes';
  const reason = distrustOf(untrusted);
  return `no, ${reason === null ? '' : `${reason}: `}${untrusted}. You accepted it`;
}

/** Whether it was outside its time at an instant; milliseconds since the Unix epoch. */
export function validityOf(
  { validFrom, validTo }: Certificate,
  wall: number,
): 'valid' | 'expired' | 'not valid yet' {
  if (wall > Date.parse(validTo)) return 'expired';
  return wall < Date.parse(validFrom) ? 'not valid yet' : 'valid';
}

/** An ISO 8601 instant to the second: `2026-01-31 12:00:00 UTC`; anything else as it is. */
export const instantWords = (iso: string): string =>
  iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
