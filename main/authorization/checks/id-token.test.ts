import { expect, test } from 'vitest';
import { checkIdToken, checkIdTokenSignature } from './id-token.ts';

const NOW = 1_790_000_000_000;
const seconds = NOW / 1000;
const context = {
  issuer: 'https://idp.example',
  clientId: 'sightglass',
  nonce: 'n-1',
  now: NOW,
  row: 7,
};
const correct = { iss: 'https://idp.example', sub: 'u', aud: 'sightglass', exp: seconds + 60, nonce: 'n-1' };

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: object, header: object = { alg: 'ES256' }) =>
  `${part(header)}.${part(claims)}.c2lnbmF0dXJl`;

test('a correct ID token has no finding', () => {
  const token = tokenOf(correct);
  expect(checkIdToken(token, context)).toEqual({ value: token, findings: [], stop: null });
  const ofSeveral = tokenOf({ ...correct, aud: ['other', 'sightglass'], azp: 'sightglass' });
  expect(checkIdToken(ofSeveral, context).findings).toEqual([]);
});

test('without a nonce in the request, none is expected', () => {
  const { nonce: _, ...claims } = correct;
  expect(checkIdToken(tokenOf(claims), { ...context, nonce: null }).findings).toEqual([]);
});

test('clocks may differ by a minute', () => {
  expect(checkIdToken(tokenOf({ ...correct, exp: seconds - 59 }), context).findings).toEqual([]);
});

test.each<[string, string | null, string, boolean]>([
  ['no token', null, 'id-token-missing', true],
  ['not a JWT', 'opaque', 'id-token-malformed', true],
  ['another issuer', tokenOf({ ...correct, iss: 'https://idp.example/' }), 'id-token-issuer-differs', true],
  ['another client', tokenOf({ ...correct, aud: 'x' }), 'id-token-audience-differs', true],
  [
    'another party',
    tokenOf({ ...correct, aud: ['sightglass'], azp: 'x' }),
    'id-token-audience-differs',
    true,
  ],
  ['no subject', tokenOf({ ...correct, sub: undefined }), 'id-token-claim-missing', false],
  ['no expiry', tokenOf({ ...correct, exp: undefined }), 'id-token-claim-missing', false],
  ['expired', tokenOf({ ...correct, exp: seconds - 60 }), 'id-token-expired', true],
  ['valid tomorrow', tokenOf({ ...correct, nbf: seconds + 86_400 }), 'token-not-yet-valid', false],
  ['issued tomorrow', tokenOf({ ...correct, iat: seconds + 86_400 }), 'token-issued-in-future', false],
  ['no nonce', tokenOf({ ...correct, nonce: undefined }), 'id-token-nonce-differs', true],
  ['another nonce', tokenOf({ ...correct, nonce: 'n-2' }), 'id-token-nonce-differs', true],
  ['not signed', tokenOf(correct, { alg: 'none' }), 'id-token-not-signed', true],
])('%s is found', (_, token, rule, stops) => {
  const { findings, stop } = checkIdToken(token, context);
  expect(findings.map((one) => [one.rule, one.row])).toEqual([[rule, 7]]);
  expect(stop !== null).toBe(stops);
});

test.each([
  ['verified', []],
  ['wrong', ['id-token-signature-wrong']],
  ['unverified', ['id-token-unverified']],
  ['none', ['id-token-not-signed']],
] as const)('a signature that is %s', (state, rules) => {
  const { findings, value } = checkIdTokenSignature({ state, detail: 'why' }, { row: null });
  expect(findings.map(({ rule }) => rule)).toEqual(rules);
  expect(value).toBe(state === 'verified' ? true : null);
});
