import { createHash, generateKeyPair, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK, type JWK, type JWTPayload } from 'jose';
import { z } from 'zod';
import type { HeaderLines } from '#shared/trace/record.ts';
import { decodeJwt } from './jwt.ts';

/** What a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: URL;
  /** The access token that the request carries; null at the token endpoint. */
  readonly accessToken: string | null;
  /** Claims that replace ours, to test the server. */
  readonly claims?: JWTPayload;
}

/** The part of a response that may demand or replace a nonce. */
export interface NonceResponse {
  /** The URL of the request. */
  readonly url: URL;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Buffer;
}

/**
 * Proofs of possession of a key (RFC 9449), for one client at one authorization server and the servers that accept its tokens.
 * The private key exists only in memory, in the function that signs with it: nothing can read or store it.
 */
export class DpopProver {
  readonly #sign: (text: string) => Buffer;
  readonly #publicKey: JWK;
  /** The SHA-256 thumbprint of the public key, as `cnf.jkt` of a bound token has it. */
  readonly thumbprint: string;
  /** The newest nonce of each origin. */
  readonly #nonces = new Map<string, string>();

  private constructor(signWith: (text: string) => Buffer, publicKey: JWK, thumbprint: string) {
    this.#sign = signWith;
    this.#publicKey = publicKey;
    this.thumbprint = thumbprint;
  }

  static async create(): Promise<DpopProver> {
    // Not WebCrypto: it signs with promises, but the head of a request is made at the moment at which it is sent.
    const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(publicKey);
    const signWith = (text: string) =>
      sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return new DpopProver(signWith, jwk, await calculateJwkThumbprint(jwk));
  }

  /** A fresh proof for the value of the `DPoP` header. */
  proofFor({ method, url, accessToken, claims = {} }: ProvenRequest): string {
    const nonce = this.#nonces.get(url.origin);
    const payload: JWTPayload = {
      jti: randomUUID(),
      htm: method,
      // Without query and fragment (RFC 9449 section 4.2).
      htu: `${url.origin}${url.pathname}`,
      iat: Math.floor(Date.now() / 1000),
      ...(accessToken !== null && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
      ...(nonce !== undefined && { nonce }),
      ...claims,
    };
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: this.#publicKey };
    const signed = [header, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${this.#sign(signed).toString('base64url')}`;
  }

  /** Keeps the nonce of a response for the next proof to its origin (RFC 9449 section 8.2). */
  readNonce({ url, headers }: NonceResponse): void {
    const nonce = valueOf(headers, 'dpop-nonce');
    // One with other characters than section 8.1 allows would be wrong in a proof, too.
    if (nonce !== null && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(nonce)) this.#nonces.set(url.origin, nonce);
  }

  /**
   * Whether a response rejects the nonce of this proof, or its absence, and gave another: the request is then
   * sent once more, with a new proof (RFC 9449 sections 8 and 9). Call `readNonce` first.
   */
  mustRetry(proof: string, response: NonceResponse): boolean {
    const nonce = this.#nonces.get(response.url.origin);
    return demandsNonce(response) && nonce !== undefined && decodeJwt(proof)?.claims['nonce'] !== nonce;
  }
}

const errorSchema = z.object({ error: z.literal('use_dpop_nonce') });

/** Whether a response has the error `use_dpop_nonce`, of an authorization server or of a server with resources. */
export function demandsNonce({ status, headers, body }: NonceResponse): boolean {
  const challenges = valuesOf(headers, 'www-authenticate');
  if (status === 401 && challenges.some(nonceInChallenge)) return true;
  if (status !== 400 && status !== 401) return false;
  try {
    return errorSchema.safeParse(JSON.parse(body.toString())).success;
  } catch {
    return false; // Not JSON, so not an OAuth error.
  }
}

/** The one key of each pair of server and issuer of this run. */
export class DpopProvers {
  readonly #provers = new Map<string, Promise<DpopProver>>();

  proverFor(serverId: string, issuer: string): Promise<DpopProver> {
    const key = JSON.stringify([serverId, issuer]);
    const known = this.#provers.get(key);
    if (known !== undefined) return known;
    const created = DpopProver.create();
    this.#provers.set(key, created);
    return created;
  }

  /** Drops the key, so that no token bound to it can be used. */
  forget(serverId: string, issuer: string): void {
    this.#provers.delete(JSON.stringify([serverId, issuer]));
  }
}

/** The value of a header that must occur once; null without it, and if it occurs more often. */
function valueOf(headers: HeaderLines, name: string): string | null {
  const [value, ...more] = valuesOf(headers, name);
  return value === undefined || more.length > 0 ? null : value.trim();
}

const valuesOf = (headers: HeaderLines, name: string): string[] =>
  headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);

/** The headers of a request with an access token: the scheme follows the type of the token (RFC 9449 section 7.1). */
export function authorizationHeaders(
  { accessToken, tokenType }: { readonly accessToken: string; readonly tokenType: string },
  request: Omit<ProvenRequest, 'accessToken'>,
  prover: DpopProver | null,
): HeaderLines {
  if (prover === null || tokenType.toLowerCase() !== 'dpop')
    return [['Authorization', `Bearer ${accessToken}`]];
  return [
    ['Authorization', `DPoP ${accessToken}`],
    ['DPoP', prover.proofFor({ ...request, accessToken })],
  ];
}

/** Whether a challenge of DPoP asks for a nonce (RFC 9449 9). */
function nonceInChallenge(challenge: string): boolean {
  const scheme = /\bdpop\b/i.exec(challenge);
  return scheme !== null && /\berror\s*=\s*"?use_dpop_nonce\b/i.test(challenge.slice(scheme.index));
}
