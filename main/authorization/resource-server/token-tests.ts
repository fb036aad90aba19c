import { randomBytes } from 'node:crypto';
import type { Credentials } from '#authorization/credentials.ts';
import { decodeJwt } from '#authorization/jwt.ts';
import type { TokenSet } from '#authorization/tokens.ts';
import type { ServerTestId } from '#shared/contract/server-tests.ts';
import { selfMade, unsigned, withChangedCharacter } from './broken-tokens.ts';
import type { Sent, SentToken } from './requests.ts';
import { expiryOf, type TestTokens } from './test-tokens.ts';

/** What is known before a run, from which its tokens are made. */
export interface TestMaterial {
  /** The token in use, with what came with it; null without one. */
  readonly inUse: { readonly token: SentToken; readonly tokens: TokenSet } | null;
  /** Tokens of this run of the app that were replaced, the newest last. */
  readonly earlier: readonly TokenSet[];
  /** What is stored for this server. */
  readonly stored: readonly Credentials[];
  readonly further: TestTokens;
  /** Credentials of another server at the same issuer, which the user lets a run send; null for none. */
  readonly foreign: Credentials | null;
  readonly issuer: string;
  /** The scopes that the last challenge of the server in this session demanded. */
  readonly demandedScopes: readonly string[];
  /** What tokens for this server are for. */
  readonly resource: string;
}

/** What a test sends, or why it sends nothing. */
export type Prepared =
  | { readonly send: () => Promise<Sent>; readonly isRecentlyExpired?: boolean }
  | { readonly reason: string };

/** Milliseconds for which servers may accept an expired token, because clocks differ (RFC 7519 section 4.1.4). */
const LEEWAY = 5 * 60_000;

const noToken = 'There is no token in use. Authorize first.';

const line = (value: string): Prepared => ({ send: async () => ({ kind: 'line', value }) });

const bearer = (accessToken: string): SentToken => ({ accessToken, tokenType: 'Bearer', prover: null });

const sending = (token: SentToken): Prepared => ({ send: async () => ({ kind: 'token', token }) });

/** What a test of tokens sends, or why it is not applicable. Nothing is sent here. */
export function prepare(id: ServerTestId, material: TestMaterial): Prepared {
  const { inUse } = material;
  switch (id) {
    case 'no-token':
      return { send: async () => ({ kind: 'none' }) };
    case 'garbage-token':
      return {
        send: async () => ({
          kind: 'token',
          token: likeInUse(material, `sightglass-test-${randomBytes(24).toString('base64url')}`),
        }),
      };
    case 'scheme-alone':
      return line('Bearer');
    case 'other-issuer':
    case 'own-key':
      return {
        send: async () => {
          const invented = {
            issuer: material.issuer,
            audience: material.resource,
            scope: inUse?.tokens.scope ?? null,
          };
          const made = await selfMade(inUse?.token.accessToken ?? null, id, invented);
          return { kind: 'token', token: likeInUse(material, made) };
        },
      };
    case 'expired-token':
      return expired(material);
    case 'other-audience':
      return otherAudience(material);
    default:
      return inUse === null ? { reason: noToken } : madeOf(id, inUse, material);
  }
}

/** A token of ours in the form of the token in use, so that a proof is not what it lacks. */
const likeInUse = ({ inUse }: TestMaterial, accessToken: string): SentToken =>
  inUse === null ? bearer(accessToken) : { ...inUse.token, accessToken };

function madeOf(
  id: ServerTestId,
  { token, tokens }: NonNullable<TestMaterial['inUse']>,
  { further }: TestMaterial,
): Prepared {
  const { accessToken } = token;
  switch (id) {
    case 'token-in-query':
      return { send: async () => ({ kind: 'query', token }) };
    case 'other-scheme':
      return line(`Basic ${accessToken}`);
    case 'no-scheme':
      return line(accessToken);
    case 'changed-signature': {
      const changed = withChangedCharacter(accessToken);
      return changed === null
        ? { reason: 'The token in use has no signature.' }
        : sending({ ...token, accessToken: changed });
    }
    case 'alg-none': {
      const made = unsigned(accessToken);
      return made === null
        ? { reason: 'The token in use is no JWT.' }
        : sending({ ...token, accessToken: made });
    }
    case 'bound-token-as-bearer':
      return token.prover === null
        ? { reason: 'The token in use is not bound to a key.' }
        : sending(bearer(accessToken));
    case 'id-token':
      return tokens.idToken === null
        ? { reason: 'There is no ID token. Authorize with the scope openid to get one.' }
        : sending(bearer(tokens.idToken));
    case 'less-scope': {
      const kept = further.get('less-scope');
      return kept === null
        ? { reason: 'There is no token with fewer scopes. Authorize once more for this test, or enter one.' }
        : sending(kept.token);
    }
    default:
      throw new Error(`${id} is no test of tokens`);
  }
}

/** A token of the user whose time is over: one that was entered, one that was replaced, or one that is stored. */
function expired({ further, earlier, stored, inUse }: TestMaterial): Prepared {
  const entered = further.get('expired');
  const now = Date.now();
  if (entered !== null) {
    const expiresAt = expiryOf(entered.token.accessToken);
    if (expiresAt !== null && expiresAt > now)
      return { reason: 'The token that you entered has not expired: its exp is in the future.' };
    return { ...sending(entered.token), isRecentlyExpired: expiresAt !== null && now - expiresAt < LEEWAY };
  }
  const found = [
    ...earlier.map((tokens) => ({ tokens, stated: tokens.expiresAt })),
    // "Expire now" changes the stored tokens, and not what the server had stated.
    ...stored.flatMap(({ tokens, generations }) =>
      tokens === null ? [] : [{ tokens, stated: generations.at(-1)?.expiresAt ?? null }],
    ),
  ]
    .map(({ tokens, stated }) => ({ tokens, expiresAt: expiryOf(tokens.accessToken) ?? stated }))
    .filter(({ tokens }) => tokens.accessToken !== inUse?.token.accessToken)
    .find(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
  if (found === undefined)
    return {
      reason:
        'There is no expired token. Wait until the one in use has expired and was refreshed, or enter an old one.',
    };
  // A bound token needs the key of its time, which the token in use still has.
  const isBound = found.tokens.tokenType.toLowerCase() === 'dpop';
  const token: SentToken = {
    accessToken: found.tokens.accessToken,
    tokenType: found.tokens.tokenType,
    prover: isBound ? (inUse?.token.prover ?? null) : null,
  };
  return { ...sending(token), isRecentlyExpired: now - (found.expiresAt ?? 0) < LEEWAY };
}

/** A token for another resource: of a flow or of the user, stored for this server, or of another server that the user chose. */
function otherAudience({ further, stored, foreign, resource, inUse }: TestMaterial): Prepared {
  const kept = further.get('other-audience');
  if (kept !== null)
    return isFor(kept.token.accessToken, resource)
      ? { reason: 'The token for this test names this server in its aud, too.' }
      : sending(kept.token);
  const all = [...(foreign === null ? [] : [foreign]), ...stored.filter((one) => one.resource !== resource)];
  const found = all
    .flatMap(({ tokens }) => (tokens === null ? [] : [tokens]))
    .find(
      ({ accessToken, tokenType }) =>
        accessToken !== inUse?.token.accessToken &&
        tokenType.toLowerCase() === 'bearer' &&
        !isFor(accessToken, resource),
    );
  return found === undefined
    ? {
        reason:
          'There is no token for another server. Authorize for another resource, enter one, or let one of another server at this issuer be sent.',
      }
    : sending(bearer(found.accessToken));
}

/** Whether a JWT names the resource as its audience. */
function isFor(accessToken: string, resource: string): boolean {
  const aud = decodeJwt(accessToken)?.claims['aud'];
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  return audiences.includes(resource);
}
