import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { decodeJwt } from '#authorization/jwt.ts';

/** What a token that we write ourselves claims, if the token in use is not a JWT. */
export interface InventedClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly scope: string | null;
}

/**
 * The token with one character changed: of a JWT in the middle of its signature, where every bit counts. Null for a JWT without a
 * signature.
 */
export function withChangedCharacter(token: string): string | null {
  const isJwt = decodeJwt(token) !== null;
  const from = isJwt ? token.lastIndexOf('.') + 1 : 0;
  if (from >= token.length) return null;
  const place = from + Math.floor((token.length - from) / 2);
  return `${token.slice(0, place)}${otherCharacter(token.charAt(place))}${token.slice(place + 1)}`;
}

/** Another character of the same kind, so that the token keeps its form. */
function otherCharacter(character: string): string {
  if (/\d/.test(character)) return character === '7' ? '3' : '7';
  if (/[a-z]/.test(character)) return character === 'q' ? 'd' : 'q';
  return character === 'Q' ? 'D' : 'Q';
}

/** The JWT with the same claims and `alg` `none`, without a signature (RFC 7519 section 6); null for an opaque token. */
export function unsigned(token: string): string | null {
  const jwt = decodeJwt(token);
  if (jwt === null) return null;
  const header = { ...jwt.header, alg: 'none' };
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${token.split('.')[1] ?? ''}.`;
}

/** The name of an issuer that cannot exist (RFC 6761 section 6.4). */
export const OTHER_ISSUER = 'https://issuer.sightglass.invalid';

/**
 * A JWT like the token, signed with a key that is made for it and thrown away.
 *
 * @param token the one in use; null for none
 * @param kind `other-issuer`: of an issuer that nobody trusts. `own-key`: of the right issuer, with the key in its header
 */
export async function selfMade(
  token: string | null,
  kind: 'other-issuer' | 'own-key',
  invented: InventedClaims,
): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwt = token === null ? null : decodeJwt(token);
  const now = Math.floor(Date.now() / 1000);
  const { nbf: _, ...original }: JWTPayload = jwt?.claims ?? {
    sub: 'sightglass-test',
    iss: invented.issuer,
    aud: invented.audience,
    ...(invented.scope !== null && { scope: invented.scope }),
  };
  const claims = { ...original, iat: now, exp: now + 300 };
  const isOther = kind === 'other-issuer';
  const typ = typeof jwt?.header['typ'] === 'string' ? jwt.header['typ'] : 'at+jwt';
  return new SignJWT(isOther ? { ...claims, iss: OTHER_ISSUER } : claims)
    .setProtectedHeader({
      alg: 'ES256',
      typ,
      ...(isOther ? { kid: 'sightglass-test' } : { jwk: await exportJWK(publicKey) }),
    })
    .sign(privateKey);
}
