import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { type Revision, revisions } from '#shared/protocol/revisions.ts';
import { checkMetadataFound, checkPlainEndpoints, checkServerMetadata } from './server-metadata.ts';

const issuer = 'https://login.example/tenant';
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
};
const check = (body: object, revision: Revision = '2026-07-28') =>
  checkServerMetadata(received({ body }), {
    revision,
    issuer,
    usesBrowser: true,
    needsRegistration: true,
  });
const rulesOf = ({ findings }: ReturnType<typeof check>) => findings.map(({ rule }) => rule);

test('correct metadata breaks no rule', () => {
  expect(check(metadata)).toMatchObject({
    value: { issuer, tokenEndpoint: `${issuer}/token`, revocationEndpoint: null, promisesIss: false },
    findings: [],
    stop: null,
  });
});

test('every fault is listed', () => {
  const checked = check({
    issuer: 7,
    authorization_endpoint: 'file:///etc/passwd',
    token_endpoint: 'http://login.example/token#x',
    registration_endpoint: 'http://10.0.0.1/register',
    jwks_uri: 'jwks',
    revocation_endpoint: 'http://127.0.0.1:4000/revoke',
    response_types_supported: ['token'],
    grant_types_supported: ['implicit'],
    code_challenge_methods_supported: ['plain'],
    authorization_response_iss_parameter_supported: 'true',
  });
  expect(rulesOf(checked)).toEqual([
    'member-of-wrong-type',
    'issuer-missing',
    'endpoint-scheme-forbidden',
    'endpoint-invalid',
    'endpoint-not-https',
    'endpoint-invalid',
    'code-unsupported',
    'code-unsupported',
    'pkce-s256-missing',
    'member-of-wrong-type',
  ]);
  expect(checked.value).toMatchObject({
    authorizationEndpoint: null,
    tokenEndpoint: null,
    registrationEndpoint: null,
    revocationEndpoint: 'http://127.0.0.1:4000/revoke',
  });
});

test('what is missing is listed', () => {
  expect(rulesOf(check({}))).toEqual([
    'issuer-missing',
    'authorization-endpoint-missing',
    'token-endpoint-missing',
    'registration-unavailable',
    'response-types-missing',
    'pkce-not-advertised',
  ]);
});

test.each([
  ['https://login.example/tenant/', 'issuer-slash-differs'],
  ['https://LOGIN.example/tenant', 'issuer-spelling-differs'],
  ['https://login.example:443/tenant', 'issuer-spelling-differs'],
  ['https://login.example', 'issuer-differs'],
])('the issuer %s is not compared by what it means', (other, rule) => {
  for (const { id } of revisions) {
    const checked = check({ ...metadata, issuer: other }, id);
    expect(checked.findings).toMatchObject([{ rule, expected: issuer, received: other }]);
    // Known providers differ by a slash, which the newest revision alone forbids.
    const mayGoOn = rule === 'issuer-slash-differs' && id !== '2026-07-28';
    expect(checked.stop?.rule).toBe(mayGoOn ? undefined : rule);
  }
});

test('the same response is validated against each revision', () => {
  const { code_challenge_methods_supported: _, ...withoutPkce } = metadata;
  const found = (revision: Revision) => {
    const { findings, stop } = check(withoutPkce, revision);
    return [findings.map(({ rule, severity, source }) => `${severity} ${rule}, ${source}`), stop !== null];
  };
  expect(found('2025-06-18')).toEqual([['warning pkce-not-advertised, MCP 2025-11-25 authorization'], false]);
  expect(found('2025-11-25')).toEqual([['error pkce-not-advertised, MCP 2025-11-25 authorization'], true]);
  expect(found('2026-07-28')).toEqual([['error pkce-not-advertised, MCP 2026-07-28 authorization'], true]);
});

test('plain http is warned of on this machine, an error elsewhere', () => {
  const endpoints = {
    token_endpoint: 'http://localhost:3000/token',
    jwks_uri: 'http://[::1]:3000/jwks',
    registration_endpoint: 'http://login.example/register',
    authorization_endpoint: 'https://localhost/authorize',
  };
  expect(checkPlainEndpoints(endpoints, { row: 4 })).toMatchObject([
    {
      rule: 'endpoint-http-on-loopback',
      severity: 'warning',
      row: 4,
      received: 'token_endpoint, jwks_uri',
    },
  ]);
  expect(checkPlainEndpoints({ token_endpoint: 'https://login.example/token' }, { row: 4 })).toEqual([]);
});

test('without metadata, only 2025-03-26 goes on', () => {
  const tried = [
    { url: 'https://login.example/.well-known/oauth-authorization-server', outcome: 'HTTP 404' },
  ];
  expect(checkMetadataFound(tried, { revision: '2025-03-26', row: 3 })).toMatchObject({
    stop: null,
    findings: [{ rule: 'default-endpoints-used', severity: 'info' }],
  });
  expect(checkMetadataFound(tried, { revision: '2025-06-18', row: 3 }).stop).toMatchObject({
    rule: 'server-metadata-missing',
    received: 'https://login.example/.well-known/oauth-authorization-server: HTTP 404',
  });
});
