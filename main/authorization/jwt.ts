import {
  compactVerify,
  createLocalJWKSet,
  type CryptoKey,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { z } from 'zod';
import type { TokenGeneration } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { isLoopback } from './checks/urls.ts';
import type { RawRequest, RawResponse, SendRequest } from './exchange.ts';

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

export type Signature = TokenGeneration['signature'];

/** The keys of an issuer, or why there are none. */
export type IssuerKeys =
  | { readonly jwksUri: string; readonly keys: JSONWebKeySet }
  | { readonly missing: string };

const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Fetches the keys that the metadata of an issuer names. */
export async function fetchIssuerKeys(jwksUri: string | null, send: SendRequest): Promise<IssuerKeys> {
  if (jwksUri === null) return { missing: 'The metadata of the issuer has no jwks_uri.' };
  const url = keysUrl(jwksUri);
  if (url === null) return { missing: 'The jwks_uri of the issuer is not an HTTPS URL.' };
  try {
    return readIssuerKeys(await send(keysRequest(url), false));
  } catch (error) {
    if (error instanceof FaultError)
      return { missing: `The keys of the issuer could not be fetched: ${error.fault.what}` };
    throw error;
  }
}

/** The URL of the keys; null unless it is HTTPS, or on this machine. */
export function keysUrl(jwksUri: string): URL | null {
  const url = URL.canParse(jwksUri) ? new URL(jwksUri) : null;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url)) ? url : null;
}

export const keysRequest = (url: URL): RawRequest => ({
  method: 'GET',
  url,
  headers: [['Accept', 'application/json']],
  body: null,
});

export function readIssuerKeys({ url, status, body }: RawResponse): IssuerKeys {
  if (status !== 200) return { missing: `The keys of the issuer could not be fetched: HTTP ${status}.` };
  const keys = keysSchema.safeParse(objectOf(body.toString()));
  return keys.success
    ? { jwksUri: url.href, keys: keys.data }
    : { missing: 'The jwks_uri of the issuer returned no key set.' };
}

/** Algorithms that sign with a private key. One with a shared secret proves nothing to us. */
const asymmetric = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Verifies the signature of a token. Its claims remain what the server says. */
export async function verifySignature(token: string, keys: IssuerKeys): Promise<Signature> {
  const jwt = decodeJwt(token);
  if (jwt === null) return { state: 'none', detail: 'The token is not a JWT.' };
  const { alg, kid } = jwt.header;
  if (alg === 'none') return { state: 'none', detail: 'The token is not signed: its alg is none.' };
  if (typeof alg !== 'string' || !asymmetric.test(alg))
    return unverified('Its alg is not one that a public key verifies.');
  if ('missing' in keys) return unverified(keys.missing);
  const keyName = typeof kid === 'string' ? `the key ${kid}` : 'a key';
  try {
    for (const key of await matchingKeys({ ...jwt.header, alg }, keys.keys)) {
      if (await isSignedWith(token, key))
        return { state: 'verified', detail: `Signed with ${keyName} of ${keys.jwksUri} (${alg}).` };
    }
    return { state: 'wrong', detail: `Not signed with ${keyName} of ${keys.jwksUri} (${alg}).` };
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey)
      return unverified(`The issuer does not have ${keyName} for ${alg}.`);
    if (error instanceof errors.JOSEError) return unverified(error.message);
    return unverified('The key of the issuer cannot be used.');
  }
}

const unverified = (detail: string): Signature => ({ state: 'unverified', detail });

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
