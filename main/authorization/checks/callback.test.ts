import { expect, test } from 'vitest';
import { meaningOfError } from './authorization-errors.ts';
import { checkCallback } from './callback.ts';

const issuer = 'https://login.example';
const redirectUri = 'http://127.0.0.1:4000/callback';
const state = 'xyz';
const check = (query: string, { promisesIss = false, issuer: expected = issuer } = {}) =>
  checkCallback(query.startsWith('http') ? query : `${redirectUri}?${query}`, {
    redirectUri,
    state,
    issuer: expected,
    promisesIss,
    row: 5,
  });
const rulesOf = ({ findings }: ReturnType<typeof check>) => findings.map(({ rule }) => rule);
const iss = encodeURIComponent(issuer);

test.each([
  ['promised and received', `iss=${iss}`, true, []],
  ['promised and absent', '', true, ['iss-missing']],
  ['not promised and received', `iss=${iss}`, false, ['iss-not-advertised']],
  ['not promised and absent', '', false, []],
  ['promised and wrong', 'iss=https://other.example', true, ['iss-differs']],
  ['not promised and wrong', 'iss=https://other.example', false, ['iss-differs']],
  ['empty', 'iss=', false, ['iss-differs']],
  ['repeated with another', `iss=${iss}&iss=https://other.example`, true, ['iss-differs']],
])('iss is %s', (_, query, promisesIss, rules) => {
  const checked = check(`code=c&state=xyz&${query}`, { promisesIss });
  expect(rulesOf(checked)).toEqual(rules);
  const isUsed = rules.every((rule) => rule === 'iss-not-advertised');
  expect(checked.value).toEqual(isUsed ? { code: 'c' } : null);
});

test.each([
  'https://login.example/',
  'https://LOGIN.example',
  'https://login.example:443',
  'https%3A%2F%2Flogin.exampl%65/',
])('iss %s is not normalized', (value) => {
  const checked = check(`code=c&state=xyz&iss=${value}`);
  expect(checked).toMatchObject({ value: null, stop: { rule: 'iss-differs', expected: issuer } });
});

test('the texts of a callback that is not ours stay unread', () => {
  const query = 'error=access_denied&error_description=Call+555&iss=https://other.example';
  const checked = check(`${query}&state=xyz`, { promisesIss: true });
  expect(rulesOf(checked)).toEqual(['iss-differs']);
  expect(JSON.stringify(checked)).not.toMatch(/access_denied|555/);
  expect(JSON.stringify(check(query.replace(/&iss.*/, '')))).not.toMatch(/access_denied|555/);
});

test.each([
  ['code=c', ['state-missing']],
  ['code=c&state=', ['state-missing']],
  ['code=c&state=xyZ', ['state-differs']],
  ['code=c&state=xyz&state=abc', ['state-differs']],
  ['code=c&state=abc&iss=https://other.example', ['state-differs', 'iss-differs']],
  ['code=c&code=d&state=xyz', ['callback-parameter-repeated']],
  ['state=xyz', ['code-missing']],
  ['code=&state=xyz', ['code-missing']],
  ['code=c&error=access_denied&state=xyz', ['code-with-error', 'authorization-error']],
  ['error=invalid_target&state=xyz', ['resource-rejected']],
  ['error=access_denied&error_description=No&state=xyz', ['authorization-error']],
  ['access_token=t&state=xyz', ['token-in-callback', 'code-missing']],
  ['state=xyz#code=c', ['code-missing']],
  ['http://127.0.0.1:4001/callback?code=c&state=xyz', ['callback-elsewhere']],
  ['http://127.0.0.1:4000/other?code=c&state=xyz', ['callback-elsewhere']],
])('%s', (query, rules) => {
  const checked = check(query);
  expect(rulesOf(checked)).toEqual(rules);
  expect(checked.value).toBeNull();
  expect(checked.stop).not.toBeNull();
});

test.each([
  ['access_denied', 'declined'],
  ['invalid_request', 'cannot read the request'],
  ['invalid_scope', 'does not know a scope'],
  ['unauthorized_client', 'does not let this client'],
  ['unsupported_response_type', 'does not give authorization codes'],
  ['server_error', 'failed'],
  ['temporarily_unavailable', 'overloaded'],
  ['login_required', 'sign in'],
  ['consent_required', 'consent'],
  ['interaction_required', 'page'],
  ['of_its_own', 'an error of its own'],
])('the error %s is explained', (error, words) => {
  const { findings, stop } = check(`error=${error}&error_description=Because&state=xyz`);
  expect(findings).toMatchObject([{ rule: 'authorization-error', received: `${error}, Because` }]);
  expect(stop?.text).toContain(error);
  expect(stop?.text).toContain(words);
  expect(meaningOfError(error).next).not.toBe('');
});

test('each error of the specifications has a meaning of its own', () => {
  const errors = ['access_denied', 'invalid_request', 'invalid_scope', 'unauthorized_client', 'server_error'];
  const others = ['unsupported_response_type', 'temporarily_unavailable', 'invalid_target', 'of_its_own'];
  const all = [...errors, ...others].map((error) => meaningOfError(error).says);
  expect(new Set(all).size).toBe(all.length);
});

test('no finding has the code or the state', () => {
  for (const query of ['code=c0de&state=abc', 'code=c0de&code=c0de&state=xyz', 'code=c0de&error=e&state=xyz'])
    expect(JSON.stringify(check(query))).not.toMatch(/c0de|"xyz"|"abc"/);
});
