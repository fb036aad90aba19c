import { expect, test } from 'vitest';
import { addGeneration, fingerprintOf, isExpiring, readTokenResponse } from './tokens.ts';

const at = 1_000_000;
const read = (response: unknown, context: { scope?: string } = {}) =>
  readTokenResponse(response, { at, scope: context.scope ?? null });

test('a fingerprint is the beginning of the SHA-256', () => {
  expect(fingerprintOf('abc')).toBe('ba7816');
});

test('reads a token response', () => {
  const response = {
    access_token: 'a',
    token_type: 'DPoP',
    expires_in: 60,
    refresh_token: 'r',
    scope: 'x y',
    id_token: 'i',
  };
  expect(read(response)).toEqual({
    accessToken: 'a',
    refreshToken: 'r',
    idToken: 'i',
    tokenType: 'DPoP',
    scope: 'x y',
    receivedAt: at,
    expiresAt: at + 60_000,
  });
});

test('uses what is usable in a broken one', () => {
  expect(
    read({ access_token: 'a', expires_in: '60', scope: null, refresh_token: 5 }, { scope: 'x' }),
  ).toEqual({
    accessToken: 'a',
    refreshToken: null,
    idToken: null,
    tokenType: 'Bearer',
    scope: 'x',
    receivedAt: at,
    expiresAt: at + 60_000,
  });
  expect(read({ access_token: 'a', expires_in: 'soon' })?.expiresAt).toBeNull();
  expect(read({ access_token: 'a', expires_in: null })?.expiresAt).toBeNull();
});

test.each([
  ['y,x', 'y x'],
  [['x', 'y'], 'x y'],
  ['["x","y"]', 'x y'],
  [7, 'x'],
  [null, 'x'],
])('a scope of %j is kept as %s', (scope, kept) => {
  expect(readTokenResponse({ access_token: 'a', scope }, { at, scope: 'x' })?.scope).toBe(kept);
});

test.each([null, 'text', [], {}, { access_token: '' }, { access_token: 7 }, { error: 'invalid_grant' }])(
  '%j has no token',
  (response) => {
    expect(read(response)).toBeNull();
  },
);

test('a refresh keeps the refresh token and the scope that the response does not replace', () => {
  const before = read({ access_token: 'a', refresh_token: 'r', scope: 'x' }) ?? undefined;
  const kept = readTokenResponse({ access_token: 'b' }, { at, scope: null, ...(before && { before }) });
  expect(kept).toMatchObject({ accessToken: 'b', refreshToken: 'r', scope: 'x' });
});

test('a token is refreshed shortly before its end', () => {
  const long = { ...tokens('a', null), expiresAt: at + 3_600_000 };
  expect(isExpiring(long, at + 3_569_999)).toBe(false);
  expect(isExpiring(long, at + 3_570_000)).toBe(true);
  const short = { ...tokens('a', null), expiresAt: at + 1000 };
  expect(isExpiring(short, at)).toBe(false);
  expect(isExpiring(short, at + 900)).toBe(true);
  expect(isExpiring(tokens('a', null), Number.MAX_SAFE_INTEGER)).toBe(false);
});

test('generations show a rotation without a secret', () => {
  const signature = { state: 'none' as const, detail: '' };
  const first = addGeneration([], tokens('access-1', 'refresh-1'), { signature, row: 3 });
  const second = addGeneration(first, tokens('access-2', 'refresh-1'), { signature, row: 5 });
  const third = addGeneration(second, tokens(jwt, 'refresh-2'), { signature, row: null });
  expect(third.map(({ number, state, row }) => [number, state, row])).toEqual([
    [1, 'replaced', 3],
    [2, 'replaced', 5],
    [3, 'in-use', null],
  ]);
  const [one, two, three] = third.map(({ refreshFingerprint }) => refreshFingerprint);
  expect(one).toBe(two);
  expect(three).not.toBe(two);
  expect(third.map(({ claims }) => claims)).toEqual([null, null, '{"aud":1.0}']);
  expect(JSON.stringify(third)).not.toMatch(/access-|refresh-|eyJ/);
});

const jwt = ['{"alg":"ES256"}', '{"aud":1.0}', 's']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

const tokens = (accessToken: string, refreshToken: string | null) => ({
  accessToken,
  refreshToken,
  idToken: null,
  tokenType: 'Bearer',
  scope: null,
  receivedAt: at,
  expiresAt: null,
});
