import type { FindingDetails, Findings } from './findings.ts';
import type { JsonObject } from './json-response.ts';

/** Milliseconds that the clocks of the authorization server and of this machine may differ. */
export const CLOCK_DIFFERENCE = 60_000;

interface Token {
  /** What it is, for texts. */
  readonly what: 'access token' | 'ID token';
  readonly claims: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Checks that a JWT is valid already, and was not issued in the future (RFC 7519 sections 4.1.5 and 4.1.6). */
export function checkStart({ what, claims, now }: Token, found: Findings): void {
  const { nbf, iat } = claims;
  if (isAfter(nbf, now))
    found.add('token-not-yet-valid', {
      text: `The ${what} is valid only from ${timeOf(nbf)} on (nbf), which is in the future. ${likely(nbf, now)}`,
      ...future(nbf, now),
    });
  if (isAfter(iat, now))
    found.add('token-issued-in-future', {
      text: `The ${what} says that it was issued at ${timeOf(iat)} (iat), which is in the future. ${likely(iat, now)}`,
      ...future(iat, now),
    });
}

/** Compares `exp` of an access token with the lifetime in its response (RFC 6749 section 5.1). */
export function checkLifetimes(
  { claims, now }: Token,
  { expiresIn }: { readonly expiresIn: unknown },
  found: Findings,
): void {
  const { exp, iat } = claims;
  const lifetime = typeof expiresIn === 'string' && /^\d+$/.test(expiresIn) ? Number(expiresIn) : expiresIn;
  if (typeof exp !== 'number' || typeof lifetime !== 'number') return;
  // A clock that is wrong shows in iat, too; a token from a cache has its rest in expires_in.
  const lifetimes = [exp - now / 1000, ...(typeof iat === 'number' ? [exp - iat] : [])];
  if (lifetimes.some((one) => Math.abs(one - lifetime) * 1000 <= CLOCK_DIFFERENCE)) return;
  const rest = Math.round(exp - now / 1000);
  found.add('token-expiry-differs', {
    text: `The token expires at ${timeOf(exp)} (exp), ${rest < 0 ? `${-rest} s ago` : `in ${rest} s`}. expires_in says in ${lifetime} s. ${inMilliseconds(exp, now)}`.trim(),
    expected: timeOf(now / 1000 + lifetime),
    received: timeOf(exp),
  });
}

/** A time of a token in seconds since 1970, as it is shown. */
export function timeOf(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}

const isAfter = (seconds: unknown, now: number): seconds is number =>
  typeof seconds === 'number' && seconds * 1000 > now + CLOCK_DIFFERENCE;

const future = (seconds: number, now: number): FindingDetails => ({
  expected: `at most ${timeOf(now / 1000)}, and ${CLOCK_DIFFERENCE / 1000} s more for clocks that differ`,
  received: `${seconds}, ${timeOf(seconds)}`,
});

const likely = (seconds: number, now: number): string =>
  inMilliseconds(seconds, now) || 'Compare the clocks of the authorization server and of this machine.';

const inMilliseconds = (seconds: number, now: number): string =>
  seconds > now / 2 ? 'It is probably in milliseconds; it must be in seconds.' : '';
