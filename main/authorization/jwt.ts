import {
  compactVerify,
  createLocalJWKSet,
  type CryptoKey,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { z } from 'zod';
import type { TokenSignature } from '#shared/contract/authorization.ts';
import { allowsPlainHttp } from './checks/urls.ts';
import type { RawResponse } from './exchange.ts';

/** What a JWT says. Nothing of it has been verified. */
export interface DecodedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claims as they were written, so that numbers keep their digits. */
  readonly claimsText: string;
}

const objectSchema = z.record(z.string(), z.unknown());

/** The header and claims of a signed or unsigned JWT; null if the token is not one. */
export function decodeJwt(token: string): DecodedJwt | null {
  const parts = token.split('.');
  const [headerPart = '', claimsPart = ''] = parts;
  if (parts.length !== 3) return null;
  const claimsText = decodePart(claimsPart);
  const header = objectOf(decodePart(headerPart));
  const claims = objectOf(claimsText);
  if (header === null || claims === null || claimsText === null) return null;
  return { header, claims, claimsText };
}

function decodePart(part: string): string | null {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
  } catch {
    return null; // Not UTF-8, so not a JWT.
  }
}

function objectOf(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  try {
    return objectSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // Not JSON, so not a JWT.
  }
}

/** The keys of an issuer, or why there are none. */
export type IssuerKeys =
  | { readonly issuer: string; readonly keys: JSONWebKeySet }
  | { readonly missing: string };

const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Where the keys of an issuer are: HTTPS, or on this machine. Otherwise why they are not requested. */
export function keysLocation(jwksUri: string | null): URL | { readonly missing: string } {
  if (jwksUri === null) return { missing: 'The metadata of the issuer has no jwks_uri.' };
  const url = URL.canParse(jwksUri) ? new URL(jwksUri) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && allowsPlainHttp(url))) return url;
  return { missing: 'The jwks_uri of the issuer is not an HTTPS URL.' };
}

/** The keys in the response of the `jwks_uri` of an issuer. */
export function readIssuerKeys({ status, body }: RawResponse, issuer: string): IssuerKeys {
  if (status !== 200) {
    const redirect = status >= 300 && status < 400 ? ' A redirect is not followed.' : '';
    return { missing: `The keys of the issuer could not be fetched: HTTP ${status}.${redirect}` };
  }
  const keys = keysSchema.safeParse(objectOf(body.toString()));
  return keys.success
    ? { issuer, keys: keys.data }
    : { missing: 'The jwks_uri of the issuer returned no key set.' };
}

/** Algorithms that sign with a private key. One with a shared secret proves nothing to us. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Whether a public key can verify a token. */
export function isVerifiable(token: string): boolean {
  const alg = decodeJwt(token)?.header['alg'];
  return typeof alg === 'string' && asymmetric.test(alg);
}

/** What is known of a signature without keys. @param why why there are none, if keys could verify it */
export function signatureWithoutKeys(token: string, why: string): TokenSignature {
  const jwt = decodeJwt(token);
  if (jwt === null) return { state: 'none', detail: 'The token is not a JWT.' };
  if (jwt.header['alg'] === 'none')
    return { state: 'none', detail: 'The token is not signed: its alg is none.' };
  return unverified(isVerifiable(token) ? why : 'Its alg is not one that a public key verifies.');
}

/** Verifies the signature of a token. Its claims remain what the server says. */
export async function verifySignature(token: string, keys: IssuerKeys): Promise<TokenSignature> {
  const { alg, kid } = decodeJwt(token)?.header ?? {};
  if ('missing' in keys) return signatureWithoutKeys(token, keys.missing);
  if (typeof alg !== 'string' || !isVerifiable(token)) return signatureWithoutKeys(token, '');
  const keyName = typeof kid === 'string' ? `the key ${kid.slice(0, 200)}` : 'a key';
  try {
    for (const key of await matchingKeys({ ...(typeof kid === 'string' && { kid }), alg }, keys.keys)) {
      if (await isSignedWith(token, key))
        return { state: 'verified', detail: `Signed with ${keyName} of ${keys.issuer} (${alg}).` };
    }
    return { state: 'wrong', detail: `Not signed with ${keyName} of ${keys.issuer} (${alg}).` };
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return unverified(`${keys.issuer} does not have ${keyName} for ${alg}.`);
    if (error instanceof errors.JOSEError) return unverified(error.message);
    return unverified('The key of the issuer cannot be used.');
  }
}

const unverified = (detail: string): TokenSignature => ({ state: 'unverified', detail });

async function matchingKeys(header: JWTHeaderParameters, keys: JSONWebKeySet): Promise<CryptoKey[]> {
  try {
    return [await createLocalJWKSet(keys)(header)];
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    const found: CryptoKey[] = [];
    for await (const key of error) found.push(key);
    return found;
  }
}

async function isSignedWith(token: string, key: CryptoKey): Promise<boolean> {
  try {
    await compactVerify(token, key);
    return true;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return false;
    throw error;
  }
}
