import { decodeJwt } from '#authorization/jwt.ts';
import type { TokenSignature } from '#shared/contract/authorization.ts';
import { type Checked, Findings, shown, typeOf } from './findings.ts';
import { checkStart, CLOCK_DIFFERENCE, timeOf } from './token-times.ts';

export interface IdTokenContext {
  /** The issuer of the identity provider. */
  readonly issuer: string;
  /** Our client there. */
  readonly clientId: string;
  /** The nonce of the authentication request; null if none was sent. */
  readonly nonce: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly row: number | null;
}

/**
 * Checks the claims of an ID token (OpenID Connect Core 3.1.3.7); its signature is for `checkIdTokenSignature`.
 *
 * @param token null if the response has none
 */
export function checkIdToken(token: string | null, context: IdTokenContext): Checked<string> {
  const found = new Findings(context);
  if (token === null) {
    found.add('id-token-missing');
    return found.checked<string>(null);
  }
  const jwt = decodeJwt(token);
  if (jwt === null) {
    found.add('id-token-malformed');
    return found.checked<string>(null);
  }
  const { header, claims } = jwt;
  const { iss, sub, aud, azp, exp, nonce } = claims;
  const { issuer, clientId, now } = context;
  if (iss !== issuer) found.add('id-token-issuer-differs', { expected: issuer, received: shown(iss) });
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId) || (azp !== undefined && azp !== clientId))
    found.add('id-token-audience-differs', {
      expected: clientId,
      received: audiences.includes(clientId) ? `azp ${shown(azp)}` : shown(aud),
    });
  if (typeof sub !== 'string' || sub === '')
    found.add('id-token-claim-missing', { expected: 'sub', received: typeOf(sub ?? null) });
  if (typeof exp !== 'number')
    found.add('id-token-claim-missing', { expected: 'exp', received: typeOf(exp ?? null) });
  else if (exp * 1000 + CLOCK_DIFFERENCE <= now) found.add('id-token-expired', { received: timeOf(exp) });
  checkStart({ what: 'ID token', claims, now }, found);
  if (context.nonce !== null && nonce !== context.nonce)
    found.add('id-token-nonce-differs', { expected: context.nonce, received: shown(nonce) });
  if (header['alg'] === 'none') found.add('id-token-not-signed', { received: 'none' });
  return found.checked(token);
}

/** Checks how the signature of an ID token was verified. */
export function checkIdTokenSignature(
  { state, detail }: TokenSignature,
  { row }: { readonly row: number | null },
): Checked<true> {
  const found = new Findings({ row });
  if (state === 'wrong') found.add('id-token-signature-wrong', { received: detail });
  if (state === 'unverified') found.add('id-token-unverified', { received: detail });
  if (state === 'none') found.add('id-token-not-signed', { received: detail });
  return found.checked<true>(state === 'verified' ? true : null);
}
