import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** What can be wrong with an assertion, to test the authorization server that gets it. */
export const testFaults = ['none', 'audience', 'expired', 'key', 'typ'] as const;
export type TestFault = (typeof testFaults)[number];

/** Seconds that a token is valid. */
export const LIFETIME = 300;

interface TokenKind {
  /** `typ` of its header. */
  readonly typ: string;
  /** Another `typ`, of a token that must not be taken for it. */
  readonly otherTyp: string;
}

const idJag: TokenKind = { typ: 'oauth-id-jag+jwt', otherTyp: 'JWT' };
const workloadToken: TokenKind = { typ: 'JWT', otherTyp: 'at+jwt' };

/** Signs the tokens of the test identity provider, with keys that exist in memory only. */
export class IssuedAssertions {
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly #key: CryptoKey;
  /** One that is not in the key set. */
  readonly #otherKey: CryptoKey;
  readonly #keyId: string;

  private constructor(key: CryptoKey, otherKey: CryptoKey, publicKey: JWK) {
    this.#key = key;
    this.#otherKey = otherKey;
    this.#keyId = randomUUID();
    this.jwks = { keys: [{ ...publicKey, kid: this.#keyId, alg: 'ES256', use: 'sig' }] };
  }

  static async create(): Promise<IssuedAssertions> {
    const [own, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    return new IssuedAssertions(own.privateKey, other.privateKey, await exportJWK(own.publicKey));
  }

  /** OpenID Connect Core 2. */
  idToken(claims: {
    readonly issuer: string;
    readonly user: string;
    readonly clientId: string;
    readonly nonce: string | null;
  }): Promise<string> {
    const { issuer, user, clientId, nonce } = claims;
    const own = { iss: issuer, sub: user, aud: clientId, name: user, ...(nonce !== null && { nonce }) };
    return this.#sign(own, { typ: 'JWT', key: this.#key, issuedAt: now() });
  }

  /** Identity assertion authorization grant (SEP-990). */
  idJag(
    claims: {
      readonly issuer: string;
      readonly user: string;
      readonly audience: string;
      readonly clientId: string;
      readonly resource: string | null;
      readonly scope: string | null;
    },
    fault: TestFault,
  ): Promise<string> {
    const { issuer, user, audience, clientId, resource, scope } = claims;
    const own = {
      iss: issuer,
      sub: user,
      aud: audience,
      client_id: clientId,
      ...(resource !== null && { resource }),
      ...(scope !== null && { scope }),
    };
    return this.#assertion(own, idJag, fault);
  }

  /** The token of a workload (SEP-1933, RFC 7523 section 3). */
  workloadToken(
    { issuer, workload, audience }: { issuer: string; workload: string; audience: string },
    fault: TestFault,
  ): Promise<string> {
    return this.#assertion({ iss: issuer, sub: workload, aud: audience }, workloadToken, fault);
  }

  #assertion(claims: JWTPayload, { typ, otherTyp }: TokenKind, fault: TestFault): Promise<string> {
    return this.#sign(
      { ...claims, ...(fault === 'audience' && { aud: 'https://another-server.example' }) },
      {
        typ: fault === 'typ' ? otherTyp : typ,
        key: fault === 'key' ? this.#otherKey : this.#key,
        issuedAt: fault === 'expired' ? now() - 2 * LIFETIME : now(),
      },
    );
  }

  #sign(
    claims: JWTPayload,
    { typ, key, issuedAt }: { readonly typ: string; readonly key: CryptoKey; readonly issuedAt: number },
  ): Promise<string> {
    return new SignJWT({ ...claims, jti: randomUUID(), iat: issuedAt, exp: issuedAt + LIFETIME })
      .setProtectedHeader({ alg: 'ES256', kid: this.#keyId, typ })
      .sign(key);
  }
}

const now = (): number => Math.floor(Date.now() / 1000);
