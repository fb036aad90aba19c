import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { TokenGeneration, TokenSignature } from '#shared/contract/authorization.ts';
import { scopeText, wordsOf } from './checks/scopes.ts';
import { decodeJwt, signatureWithoutKeys } from './jwt.ts';

/** Recognizes equal secrets without showing them: the first 6 hex digits of the SHA-256. */
export const fingerprintOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex').slice(0, 6);

/** The tokens of one response. Times are in milliseconds since the Unix epoch. */
export const tokenSetSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  idToken: z.string().nullable(),
  /** The token type as the server wrote it, usually `Bearer` or `DPoP`. */
  tokenType: z.string(),
  /** Separated by spaces; null if neither the request nor the response named one. */
  scope: z.string().nullable(),
  receivedAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type TokenSet = z.infer<typeof tokenSetSchema>;

const optionalText = z.string().nullable().catch(null);

/** Reads what is usable in a response; what is wrong with it is for the checks to say. */
const responseSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: optionalText,
  id_token: optionalText,
  token_type: z.string().catch('Bearer'),
  scope: z.unknown().optional(),
  expires_in: z.coerce.number().nonnegative().nullable().catch(null),
});

export interface TokenRequestContext {
  readonly at: number;
  /** The scope of the request, which is granted if the response does not name one (RFC 6749 section 5.1). */
  readonly scope: string | null;
  /** The tokens that were refreshed; the refresh token stays if the response has no new one (RFC 6749 section 6). */
  readonly before?: TokenSet;
}

/** The tokens of a token response; null if it has no access token. */
export function readTokenResponse(
  response: unknown,
  { at, scope, before }: TokenRequestContext,
): TokenSet | null {
  const { data } = responseSchema.safeParse(response);
  if (data === undefined) return null;
  return {
    accessToken: data.access_token,
    refreshToken: data.refresh_token ?? before?.refreshToken ?? null,
    idToken: data.id_token ?? before?.idToken ?? null,
    tokenType: data.token_type,
    scope: scopeText(data.scope, wordsOf(scope ?? before?.scope)) ?? scope ?? before?.scope ?? null,
    receivedAt: at,
    expiresAt: data.expires_in === null ? null : at + data.expires_in * 1000,
  };
}

/** Milliseconds before its end at which a token is refreshed, or a tenth of its lifetime if that is less. */
const REFRESH_BEFORE = 30_000;

/** Whether a token has expired, or is about to. */
export function isExpiring({ receivedAt, expiresAt }: TokenSet, now: number): boolean {
  if (expiresAt === null) return false;
  return now >= expiresAt - Math.min(REFRESH_BEFORE, (expiresAt - receivedAt) / 10);
}

/** The generations with one for new tokens; the one that was in use is replaced. */
export function addGeneration(
  generations: readonly TokenGeneration[],
  tokens: TokenSet,
  { signature, row }: { readonly signature: TokenSignature; readonly row: number | null },
): TokenGeneration[] {
  return [
    ...generations.map((one) => (one.state === 'in-use' ? { ...one, state: 'replaced' as const } : one)),
    {
      number: (generations.at(-1)?.number ?? 0) + 1,
      accessFingerprint: fingerprintOf(tokens.accessToken),
      refreshFingerprint: tokens.refreshToken === null ? null : fingerprintOf(tokens.refreshToken),
      tokenType: tokens.tokenType,
      scope: tokens.scope,
      receivedAt: tokens.receivedAt,
      expiresAt: tokens.expiresAt,
      row,
      state: 'in-use',
      claims: decodeJwt(tokens.accessToken)?.claimsText ?? null,
      signature,
      idToken: tokens.idToken === null ? null : idTokenOf(tokens.idToken, generations),
    },
  ];
}

/** A refresh that returns no ID token leaves the earlier one, with what is known of its signature. */
function idTokenOf(
  idToken: string,
  generations: readonly TokenGeneration[],
): NonNullable<TokenGeneration['idToken']> {
  const fingerprint = fingerprintOf(idToken);
  const before = generations.findLast((one) => one.idToken?.fingerprint === fingerprint)?.idToken;
  return (
    before ?? {
      fingerprint,
      claims: decodeJwt(idToken)?.claimsText ?? null,
      signature: signatureWithoutKeys(idToken, KEYS_NOT_REQUESTED),
    }
  );
}

/** Why a signature is not verified before anyone asked for the keys. */
export const KEYS_NOT_REQUESTED = 'The keys of the issuer were not requested.';
