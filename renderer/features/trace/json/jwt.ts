import { base64Text } from '#ui/media/media.ts';

/** A JSON Web Token taken apart (RFC 7519). Nothing of it was verified. */
export interface Jwt {
  /** JSON text, as it was encoded. */
  readonly header: string;
  readonly claims: string;
  /** Bytes. */
  readonly signatureSize: number;
  /** The claims that are instants. */
  readonly instants: readonly JwtInstant[];
}

export interface JwtInstant {
  readonly claim: 'iat' | 'nbf' | 'exp';
  /** Seconds since the Unix epoch. */
  readonly at: number;
}

const instantClaims = ['iat', 'nbf', 'exp'] as const;

/** Takes a JWT apart; null when it is none. */
export function readJwt(text: string): Jwt | null {
  const [header = '', claims = '', signature = ''] = text.split('.');
  const headerText = base64Text(standardBase64(header));
  const claimsText = base64Text(standardBase64(claims));
  if (headerText === null || claimsText === null) return null;
  const parsed = parsedObject(claimsText);
  if (parsedObject(headerText) === null || parsed === null) return null;
  const instants = instantClaims.flatMap((claim) => {
    const at = parsed[claim];
    return typeof at === 'number' ? [{ claim, at }] : [];
  });
  return {
    header: headerText,
    claims: claimsText,
    signatureSize: Math.floor((signature.length * 3) / 4),
    instants,
  };
}

/** Base64 of either alphabet (RFC 4648 sections 4 and 5) as that of the first, padded. */
export function standardBase64(text: string): string {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
