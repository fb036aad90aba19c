import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { checkRefreshResponse, checkTokenResponse, type TokenResponseContext } from './token-response.ts';

const now = 1_700_000_000_000;
const context: TokenResponseContext = {
  scope: 'a b',
  resource: 'https://mcp.example/mcp',
  issuer: 'https://login.example',
  usesDpop: false,
  authenticatesByHeader: false,
  now,
};
const noStore = [['Cache-Control', 'no-store']] as const;
const token = { access_token: 'at', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt' };
const check = (
  body: object | string,
  { status = 200, ...more }: Partial<TokenResponseContext> & { status?: number } = {},
) => checkTokenResponse(received({ status, headers: noStore, body }), { ...context, ...more });
const rulesOf = ({ findings }: ReturnType<typeof check>) => findings.map(({ rule }) => rule);
const jwt = (claims: object, alg = 'ES256') =>
  [{ alg }, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

test('a correct response breaks no rule', () => {
  expect(check(token)).toMatchObject({
    value: { accessToken: 'at', refreshToken: 'rt' },
    findings: [],
    stop: null,
  });
  expect(check({ ...token, token_type: 'bearer' }).findings).toEqual([]);
  expect(check({ ...token, token_type: 'dPoP' }, { usesDpop: true }).findings).toEqual([]);
  expect(check({ ...token, token_type: 'N_A' }, { isAssertion: true }).findings).toEqual([]);
});

test('every fault is listed', () => {
  const body = `{"access_token":"at","access_token":"at2","expires_in":"3600","refresh_token":7,"scope":null}`;
  const response = received({ status: 201, headers: [['Content-Type', 'text/html']], body });
  const checked = checkTokenResponse(response, context);
  expect(rulesOf(checked)).toEqual([
    'content-type-not-json',
    'member-repeated',
    'unexpected-status',
    'token-type-missing',
    'expiry-invalid',
    'member-of-wrong-type',
    'scope-invalid',
    'token-response-cacheable',
  ]);
  expect(checked).toMatchObject({ stop: null, value: { accessToken: 'at2' } });
});

test.each([
  [{ token_type: 'mac' }, {}, 'token-type-unknown', true],
  [{ token_type: 'Bearer' }, { usesDpop: true }, 'dpop-downgraded', true],
  [{ token_type: undefined }, { usesDpop: true }, 'token-type-missing', true],
  [{ token_type: 'DPoP' }, {}, 'dpop-unasked', true],
  [{ expires_in: undefined }, {}, 'expiry-missing', false],
  [{ expires_in: -1 }, {}, 'expiry-invalid', false],
  [{ expires_in: 864_000 }, {}, 'token-lives-long', false],
  [{ scope: 'a' }, {}, 'scope-narrower', false],
  [{ scope: 'a b c' }, {}, 'scope-wider', false],
  [{ access_token: '' }, {}, 'access-token-missing', true],
  [{ access_token: jwt({ scope: 'a' }) }, {}, 'scope-narrower-unsaid', false],
  [{ access_token: jwt({ aud: ['x', 'y'] }) }, {}, 'token-audience-differs', false],
  [{ access_token: jwt({ iss: 'https://login.example/' }) }, {}, 'token-issuer-differs', false],
  [{ access_token: jwt({ exp: 1_700_000_000 }) }, {}, 'token-expired', false],
  [{ access_token: jwt({}, 'none') }, {}, 'token-not-signed', false],
])('%j with %j breaks %s', (part, more, rule, stops) => {
  const checked = check({ ...token, ...part }, more);
  expect(rulesOf(checked)).toEqual([rule]);
  expect(checked.stop?.rule ?? null).toBe(stops ? rule : null);
});

test('a JWT for the server breaks no rule', () => {
  const claims = { aud: ['https://mcp.example/mcp', 'x'], iss: 'https://login.example', exp: 1_800_000_000 };
  expect(rulesOf(check({ ...token, access_token: jwt({ ...claims, scope: 'b a' }) }))).toEqual([]);
});

test.each([
  [{ error: 'invalid_grant' }, 400, ['token-error']],
  [{ error: 'invalid_grant' }, 200, ['error-with-200']],
  [{ error: 'invalid_target' }, 400, ['resource-rejected']],
  [{ message: 'no' }, 400, ['error-code-missing', 'token-error']],
  ['no', 400, ['response-not-json', 'error-code-missing', 'token-error']],
  [{}, 500, ['server-error']],
])('%j with status %i', (body, status, rules) => {
  const checked = check(body, { status });
  expect(rulesOf(checked).filter((rule) => rule !== 'content-type-not-json')).toEqual(rules);
  expect(checked.value).toBeNull();
  expect(checked.stop).not.toBeNull();
});

test('a client that authenticates by header is rejected with a challenge', () => {
  const more = { status: 400, authenticatesByHeader: true };
  expect(rulesOf(check({ error: 'invalid_client' }, more))).toEqual(['token-error', 'invalid-client-status']);
});

test('a demand for a nonce is no error', () => {
  const headers = [['DPoP-Nonce', 'n'] as const];
  const response = received({ status: 400, headers, body: { error: 'use_dpop_nonce' } });
  expect(checkTokenResponse(response, { ...context, usesDpop: true })).toEqual({
    value: null,
    findings: [],
    stop: null,
  });
});

test('no finding has a token', () => {
  const bodies = [
    'access_token=s3cret&token_type=bearer',
    { ...token, access_token: ['s3cret'] },
    { ...token, refresh_token: { value: 's3cret' } },
    '<html>s3cret',
  ];
  for (const body of bodies) expect(JSON.stringify(check(body).findings)).not.toContain('s3cret');
});

const before = { accessToken: 'old', refreshToken: 'rt', scope: 'a b', isPublicClient: true };
const refresh = (body: object, more: Partial<typeof before> = {}) =>
  checkRefreshResponse(
    received({ headers: noStore, body }),
    { ...context, scope: null },
    { ...before, ...more },
  );

test('a refresh is compared with the tokens before', () => {
  expect(rulesOf(refresh({ ...token, refresh_token: 'new' }))).toEqual([]);
  expect(rulesOf(refresh({ ...token, refresh_token: undefined }))).toEqual(['refresh-not-rotated']);
  const confidential = refresh(token, { isPublicClient: false });
  expect(confidential.findings).toMatchObject([{ rule: 'refresh-not-rotated', severity: 'info' }]);
  expect(rulesOf(refresh({ ...token, access_token: 'old', refresh_token: 'new', scope: 'b' }))).toEqual([
    'scope-narrower',
    'access-token-unchanged',
    'refresh-lost-scope',
  ]);
  const [one, other] = ['https://mcp.example/mcp', 'https://x.example'].map((aud) => jwt({ aud }));
  expect(
    rulesOf(refresh({ ...token, access_token: other, refresh_token: 'new' }, { accessToken: one ?? '' })),
  ).toEqual(['token-audience-differs', 'refresh-lost-audience']);
});
