import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { checkForbidden } from './forbidden.ts';
import { checkIntrospection, checkRevocation } from './token-status.ts';

const rulesOf = ({ findings }: { findings: readonly { rule: string }[] }) => findings.map(({ rule }) => rule);

test.each([
  [{ status: 200 }, [], true],
  [{ status: 200, body: 'OK' }, [], true],
  [{ status: 200, body: { error: 'invalid_token' } }, ['error-with-200'], false],
  [{ status: 400, body: { error: 'unsupported_token_type' } }, ['revocation-failed'], false],
  [{ status: 503 }, ['server-error'], false],
])('a revocation that answers %j', (response, rules, isRevoked) => {
  const checked = checkRevocation(received(response));
  expect(rulesOf(checked)).toEqual(rules);
  expect(checked.value !== null).toBe(isRevoked);
});

const context = {
  clientId: 'app',
  scope: 'a',
  resource: 'https://mcp.example/mcp',
  issuer: 'https://login.example',
  isInUse: true,
};

test.each([
  [{ active: true, client_id: 'app', scope: 'a', aud: ['https://mcp.example/mcp'] }, []],
  [{ active: true, scope: 'a', aud: 'https://mcp.example/mcp/' }, ['token-audience-slash-differs']],
  [{ active: true, scope: 'a', aud: 'https://mcp.example' }, ['token-audience-is-parent']],
  [{ active: true, scope: ['a'] }, ['scope-invalid']],
  [{ active: false }, ['token-not-active']],
  [{ active: 'true' }, ['active-missing']],
  [{}, ['active-missing']],
  [
    { active: true, client_id: 'other', scope: 'b', iss: 'https://login.example/', aud: 'x' },
    ['introspection-differs', 'introspection-differs', 'introspection-differs', 'token-audience-differs'],
  ],
])('an introspection that answers %j', (body, rules) => {
  expect(rulesOf(checkIntrospection(received({ body }), context))).toEqual(rules);
});

test.each([
  ['b a', []],
  ['a,b', ['scope-separated-by-commas']],
  ['a', ['introspection-differs']],
  ['a b c', ['introspection-differs']],
])('the scope %j of an introspection is compared by its names', (scope, rules) => {
  const body = { active: true, scope };
  expect(rulesOf(checkIntrospection(received({ body }), { ...context, scope: 'a b' }))).toEqual(rules);
});

test('an introspection that fails', () => {
  expect(checkIntrospection(received({ status: 401 }), context).stop?.rule).toBe('introspection-failed');
});

const forbidden = (challenge: string, authorizations: number, scope = 'a') =>
  checkForbidden(
    received({ status: 403, headers: challenge === '' ? [] : [['WWW-Authenticate', challenge]] }),
    { revision: '2025-11-25', authorizations, scope },
  );
const demand = 'Bearer error="insufficient_scope", scope="b"';

test.each([
  [demand, 1, 'a', [], null],
  ['', 1, 'a', ['forbidden-without-challenge'], 'forbidden-without-challenge'],
  [
    'Bearer error="invalid_token"',
    1,
    'a',
    ['challenge-status-differs', 'forbidden-without-challenge'],
    'forbidden-without-challenge',
  ],
  ['Bearer error="insufficient_scope"', 1, 'a', ['forbidden-names-no-scope'], null],
  ['Bearer error="insufficient_scope"', 2, 'a', ['forbidden-names-no-scope'], 'forbidden-names-no-scope'],
  [demand, 2, 'a b', ['forbidden-after-step-up'], 'forbidden-after-step-up'],
  [
    demand.replace('"b"', '"b,a"'),
    2,
    'a b',
    ['scope-separated-by-commas', 'forbidden-after-step-up'],
    'forbidden-after-step-up',
  ],
  [demand, 3, 'a b', ['forbidden-after-step-up', 'step-up-limit'], 'forbidden-after-step-up'],
])('%s after %i authorizations for %s', (challenge, authorizations, scope, rules, stop) => {
  const checked = forbidden(challenge, authorizations, scope);
  expect(rulesOf(checked)).toEqual(rules);
  expect(checked.stop?.rule ?? null).toBe(stop);
});
