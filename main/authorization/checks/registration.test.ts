import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { checkRegistration } from './registration.ts';

const now = 1_700_000_000_000;
const sent = { redirect_uris: ['http://localhost/callback'], grant_types: ['authorization_code'] };
const check = (body: object | string, status = 201) =>
  checkRegistration(received({ status, body }), { sent, now });
const rulesOf = ({ findings }: ReturnType<typeof check>) => findings.map(({ rule }) => rule);

test('a correct registration breaks no rule', () => {
  const body = { ...sent, client_id: 'c', client_secret: 's', client_secret_expires_at: 1_700_000_001 };
  expect(check(body)).toMatchObject({
    value: { clientId: 'c', clientSecret: 's', secretExpiresAt: 1_700_000_001_000, authMethod: null },
    findings: [],
  });
  expect(check({ ...body, client_secret_expires_at: 0 }).value?.secretExpiresAt).toBeNull();
});

test('every fault is listed, and a usable client is used', () => {
  const checked = check(
    { client_id: 'c', client_secret: 's', redirect_uris: [], grant_types: ['implicit'] },
    200,
  );
  expect(rulesOf(checked)).toEqual([
    'registration-status',
    'secret-without-expiry',
    'redirect-uris-differ',
    'registered-values-differ',
  ]);
  expect(checked).toMatchObject({ stop: null, value: { clientId: 'c' } });
});

test.each([
  [{ client_id: 'c', client_secret: 's', client_secret_expires_at: 1_700_000_000 }, ['secret-expired']],
  [{ client_id: 'c', client_secret: 's', client_secret_expires_at: 'never' }, ['member-of-wrong-type']],
  [{ client_id: '' }, ['client-id-missing']],
  [{ client_id: 7 }, ['member-of-wrong-type', 'client-id-missing']],
])('%j', (body, rules) => {
  expect(rulesOf(check(body))).toEqual(rules);
});

test('a rejection says what to try', () => {
  const redirect = check({ error: 'invalid_redirect_uri', error_description: 'use an IP address' }, 400);
  expect(redirect.stop).toMatchObject({
    rule: 'registration-redirect-rejected',
    text: 'The registration refused the redirect URI http://localhost/callback. Try 127.0.0.1.',
    received: 'HTTP 400, invalid_redirect_uri, use an IP address',
  });
  expect(rulesOf(check({ error: 'invalid_client_metadata' }, 200))).toEqual([
    'error-with-200',
    'registration-rejected',
  ]);
  expect(rulesOf(check('Forbidden', 403))).toEqual([
    'response-not-json',
    'error-code-missing',
    'registration-rejected',
  ]);
});

test('a value that may be a secret is not quoted', () => {
  const { findings } = check({ client_id: 'c', client_secret: ['hunter2'] });
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  expect(JSON.stringify(check('client_secret=hunter2', 201))).not.toContain('hunter2');
});

const method = (name: unknown, more: object = {}) => ({
  client_id: 'c',
  token_endpoint_auth_method: name,
  ...more,
});
const secret = { client_secret: 's', client_secret_expires_at: 0 };
const asks = (name: string, more: object = {}) => ({ token_endpoint_auth_method: name, ...more });

test.each<[Record<string, unknown>, object, string[]]>([
  [asks('none'), method('none'), []],
  [asks('client_secret_basic'), method('client_secret_basic', secret), []],
  [asks('client_secret_basic'), method('client_secret_basic'), ['secret-missing']],
  [
    asks('client_secret_post'),
    method('client_secret_post', { client_secret: null }),
    ['member-of-wrong-type', 'secret-missing'],
  ],
  [asks('none'), method('client_secret_post'), ['registered-values-differ', 'secret-missing']],
  [{}, method('client_secret_jwt'), ['secret-missing']],
  [asks('none'), method('private_key_jwt'), ['registered-values-differ', 'key-missing']],
  [asks('none'), method('private_key_jwt', secret), ['registered-values-differ', 'key-missing']],
  [asks('none'), method('tls_client_auth'), ['registered-values-differ', 'key-missing']],
  [asks('private_key_jwt'), method('private_key_jwt'), ['registered-without-key']],
  [asks('private_key_jwt'), { client_id: 'c' }, ['registered-without-key']],
  [asks('private_key_jwt', { jwks: { keys: [] } }), method('private_key_jwt'), []],
  [asks('private_key_jwt', { jwks_uri: 'https://a.example/keys' }), method('private_key_jwt'), []],
  [asks('private_key_jwt'), method('none'), ['registered-without-key', 'registered-values-differ']],
  [asks('none'), method(7), ['registered-values-differ', 'member-of-wrong-type']],
])('asked with %j, a server that answers %j', (asked, body, rules) => {
  const checked = checkRegistration(received({ status: 201, body }), { sent: asked, now });
  expect(rulesOf(checked)).toEqual(rules);
});

test('a rejection of a method without a key says so', () => {
  const response = received({ status: 400, body: { error: 'invalid_client_metadata' } });
  const { findings } = checkRegistration(response, { sent: asks('private_key_jwt'), now });
  expect(findings.map(({ rule }) => rule)).toEqual(['registered-without-key', 'registration-rejected']);
});

test.each<[unknown, string[]]>([
  ['a b', []],
  ['a,b', ['scope-separated-by-commas']],
  [['a', 'b'], ['scope-invalid']],
])('a registered scope %j', (scope, rules) => {
  expect(rulesOf(check({ client_id: 'c', scope }))).toEqual(rules);
});
