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
const aud = 'https://mcp.example/mcp';
const jwt = (claims: object, alg = 'ES256') =>
  [{ alg }, { aud, ...claims }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

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
  [{ access_token: jwt({ exp: 1_700_000_000 }), expires_in: 10 }, {}, 'token-expired', false],
  [{ access_token: jwt({}, 'none') }, {}, 'token-not-signed', false],
])('%j with %j breaks %s', (part, more, rule, stops) => {
  const checked = check({ ...token, ...part }, more);
  expect(rulesOf(checked)).toEqual([rule]);
  expect(checked.stop?.rule ?? null).toBe(stops ? rule : null);
});

test('a JWT for the server breaks no rule', () => {
  const claims = {
    aud: ['https://mcp.example/mcp', 'x'],
    iss: 'https://login.example',
    exp: now / 1000 + 3600,
  };
  expect(rulesOf(check({ ...token, access_token: jwt({ ...claims, scope: 'b a' }) }))).toEqual([]);
});

const seconds = now / 1000;
/** Rules that a response with these claims of its JWT breaks. */
const claimRules = (claims: object, response: object = {}) =>
  rulesOf(check({ ...token, access_token: jwt(claims), ...response }));

test.each([
  // Clocks may differ by a minute.
  [{ nbf: seconds + 60, iat: seconds + 60 }, []],
  [{ nbf: seconds + 61 }, ['token-not-yet-valid']],
  [{ iat: seconds + 61 }, ['token-issued-in-future']],
  [{ nbf: seconds + 86_400, iat: seconds + 86_400 }, ['token-not-yet-valid', 'token-issued-in-future']],
  // In milliseconds, and so large that no date has it.
  [{ iat: now }, ['token-issued-in-future']],
  [{ nbf: 1e300 }, ['token-not-yet-valid']],
  [{ nbf: seconds - 300, iat: seconds - 300 }, []],
  [{ nbf: 'soon', iat: null }, []],
])('an access token with %j breaks %j', (claims, rules) => {
  expect(claimRules(claims)).toEqual(rules);
  const idToken = jwt(claims);
  expect(rulesOf(check({ ...token, id_token: idToken }))).toEqual(rules);
});

test('a time in milliseconds is said to be one', () => {
  const [finding] = check({ ...token, access_token: jwt({ iat: now }) }).findings;
  expect(finding?.text).toContain('It is probably in milliseconds');
});

test.each([
  [{ exp: seconds + 3600 }, {}, []],
  [{ exp: seconds + 3540 }, {}, []],
  [{ exp: seconds + 3539 }, {}, ['token-expiry-differs']],
  [{ exp: seconds + 3661 }, {}, ['token-expiry-differs']],
  [{ exp: seconds + 1800 }, {}, ['token-expiry-differs']],
  [{ exp: now + 3_600_000 }, {}, ['token-expiry-differs']],
  // From a cache: what is left of it.
  [{ iat: seconds - 3000, exp: seconds + 600 }, { expires_in: 600 }, []],
  // The clock of the server is late, and its lifetime right.
  [{ iat: seconds - 600, exp: seconds + 3000 }, {}, []],
  [{ iat: seconds - 300, nbf: seconds - 300, exp: seconds + 3600 }, {}, []],
  [{ exp: seconds + 60 }, { expires_in: '3600' }, ['expiry-invalid', 'token-expiry-differs']],
  [{ exp: seconds + 3600 }, { expires_in: '3600' }, ['expiry-invalid']],
  [{ exp: seconds + 60 }, { expires_in: undefined }, ['expiry-missing']],
  [{ exp: 'soon' }, {}, []],
  [{ exp: -1e300 }, {}, ['token-expired', 'token-expiry-differs']],
])('exp in %j is compared with expires_in of %j', (claims, response, rules) => {
  expect(claimRules(claims, response)).toEqual(rules);
});

test.each<[unknown, string[]]>([
  [undefined, ['token-without-audience']],
  [null, ['token-without-audience']],
  ['', ['token-without-audience']],
  [[], ['token-without-audience']],
  [{}, ['token-without-audience']],
  ['https://mcp.example/mcp/', ['token-audience-slash-differs']],
  [['x', 'https://mcp.example/mcp/'], ['token-audience-slash-differs']],
  ['HTTPS://mcp.example/mcp', ['token-audience-spelling-differs']],
  ['https://MCP.Example/mcp', ['token-audience-spelling-differs']],
  ['https://mcp.example:443/mcp', ['token-audience-spelling-differs']],
  ['https://mcp.example:443/mcp/', ['token-audience-spelling-differs']],
  ['https://mcp.example', ['token-audience-is-parent']],
  ['https://mcp.example/', ['token-audience-is-parent']],
  ['https://MCP.example:443', ['token-audience-is-parent']],
  ['https://mcp.example/MCP', ['token-audience-differs']],
  ['https://mcp.example/mcp/admin', ['token-audience-differs']],
  ['https://mcp.example:8443/mcp', ['token-audience-differs']],
  ['http://mcp.example/mcp', ['token-audience-differs']],
  ['https://mcp.example.evil/mcp', ['token-audience-differs']],
  ['https://mcp.example/m', ['token-audience-differs']],
  ['mcp.example', ['token-audience-differs']],
  ['urn:mcp', ['token-audience-differs']],
  [['https://mcp.example/', 'https://mcp.example/mcp'], []],
])('a token for %j', (audience, rules) => {
  expect(claimRules({ aud: audience })).toEqual(rules);
});

test.each<[unknown, string[]]>([
  ['b a', []],
  ['a,b', ['scope-separated-by-commas']],
  ['a, b', ['scope-separated-by-commas']],
  ['a,b,c', ['scope-separated-by-commas', 'scope-wider']],
  ['a,', ['scope-separated-by-commas', 'scope-narrower']],
  [['a', 'b'], ['scope-invalid']],
  [['a b'], ['scope-invalid']],
  [['a,b'], ['scope-invalid']],
  ['["a","b"]', ['scope-invalid']],
  ["['a', 'b']", ['scope-invalid']],
  [['a'], ['scope-invalid', 'scope-narrower']],
  ['a  b', ['scope-malformed']],
  ['a\tb\n', ['scope-malformed']],
  [7, ['scope-invalid']],
  [{ a: true }, ['scope-invalid']],
])('the granted scope %j is read', (scope, rules) => {
  expect(rulesOf(check({ ...token, scope }))).toEqual(rules);
});

test('a name of a scope may have a comma, if it was asked for', () => {
  expect(rulesOf(check({ ...token, scope: 'read,write x' }, { scope: 'x read,write' }))).toEqual([]);
});

test('a scope of a token that is a list is read', () => {
  expect(claimRules({ scope: ['a', 'b'] })).toEqual(['scope-invalid']);
  expect(claimRules({ scope: ['a'] })).toEqual(['scope-invalid', 'scope-narrower-unsaid']);
  expect(claimRules({ scope: 'a,b' })).toEqual(['scope-separated-by-commas']);
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
  const [one, other] = [aud, 'https://x.example'].map((audience) => jwt({ aud: audience }));
  expect(
    rulesOf(refresh({ ...token, access_token: other, refresh_token: 'new' }, { accessToken: one ?? '' })),
  ).toEqual(['token-audience-differs', 'refresh-lost-audience']);
  const [ab, ba] = [
    [aud, 'x'],
    ['x', aud],
  ].map((audience) => jwt({ aud: audience }));
  expect(
    rulesOf(refresh({ ...token, access_token: ba, refresh_token: 'n' }, { accessToken: ab ?? '' })),
  ).toEqual([]);
  expect(rulesOf(refresh({ ...token, refresh_token: 'new', scope: 'b,a' }))).toEqual([
    'scope-separated-by-commas',
  ]);
});
