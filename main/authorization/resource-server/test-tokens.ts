import type { TestToken, TestTokenKind } from '#shared/contract/server-tests.ts';
import { decodeJwt } from '#authorization/jwt.ts';
import { fingerprintOf } from '#authorization/tokens.ts';
import type { SentToken } from './requests.ts';

/** A token that only tests send. */
export interface KeptTestToken {
  readonly token: SentToken;
  /** Separated by spaces; null if that is not known. */
  readonly scope: string | null;
  readonly from: string;
}

/** The further tokens of one session, in memory only. */
export class TestTokens {
  readonly #kept = new Map<TestTokenKind, KeptTestToken>();

  get(kind: TestTokenKind): KeptTestToken | null {
    return this.#kept.get(kind) ?? null;
  }

  keep(kind: TestTokenKind, kept: KeptTestToken): void {
    this.#kept.set(kind, kept);
  }

  /** Idempotent. */
  drop(kind: TestTokenKind): void {
    this.#kept.delete(kind);
  }

  /** All of them, without their values. */
  get views(): TestToken[] {
    return [...this.#kept].map(([kind, kept]) => ({
      kind,
      fingerprint: fingerprintOf(kept.token.accessToken),
      from: kept.from,
      facts: factsOf(kept),
    }));
  }
}

/** The subject, audience and scopes of a token, as far as they are known. */
function factsOf({ token: { accessToken }, scope }: KeptTestToken): string {
  const jwt = decodeJwt(accessToken);
  if (jwt === null) return scope === null ? 'opaque' : `opaque, scope ${scope}`;
  const { sub, aud } = jwt.claims;
  const scopes = scopeOf(accessToken, scope);
  return [
    ...(typeof sub === 'string' ? [`sub ${sub}`] : []),
    ...(aud === undefined ? [] : [`aud ${typeof aud === 'string' ? aud : JSON.stringify(aud)}`]),
    ...(scopes === null ? [] : [`scope ${scopes}`]),
  ].join(', ');
}

/** The scopes of a token: those that it claims, else those that were granted; null if neither is known. */
export function scopeOf(accessToken: string, granted: string | null): string | null {
  const { scope, scp } = decodeJwt(accessToken)?.claims ?? {};
  if (typeof scope === 'string') return scope;
  if (typeof scp === 'string') return scp;
  return Array.isArray(scp) ? scp.map(String).join(' ') : granted;
}

/** Who a JWT is for and by; null for an opaque token, or one without `sub`. */
export function subjectOf(accessToken: string): string | null {
  const { iss, sub } = decodeJwt(accessToken)?.claims ?? {};
  return typeof sub === 'string' ? `${String(iss)} ${sub}` : null;
}

/** When a JWT expires, in milliseconds since the Unix epoch; null if it does not say so. */
export function expiryOf(accessToken: string): number | null {
  const exp = decodeJwt(accessToken)?.claims['exp'];
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : null;
}
