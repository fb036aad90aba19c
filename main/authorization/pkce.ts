import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A code verifier with 256 bits of randomness, 43 characters (RFC 7636 section 4.1). */
export const createVerifier = (): string => randomBytes(32).toString('base64url');

/** The S256 code challenge of a verifier (RFC 7636 section 4.2). */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier, 'ascii').digest('base64url');

/** A value for `state`, with 128 bits of randomness. */
export const createState = (): string => randomBytes(16).toString('base64url');

/** Whether two values are equal; takes the same time wherever they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}
