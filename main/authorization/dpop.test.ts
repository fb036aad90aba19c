import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { HeaderLines } from '#shared/trace/record.ts';
import { authorizationHeaders, demandsNonce, DpopProver, DpopProvers } from './dpop.ts';

const url = new URL('https://mcp.example:8443/mcp?session=1#part');
const request = { method: 'POST', url, accessToken: null };

const response = (status: number, headers: HeaderLines = [], body = '') => ({
  url,
  status,
  headers,
  body: Buffer.from(body),
});

test('a proof names method, URL without query, and time, and is signed with the key that it has', async () => {
  const prover = await DpopProver.create();
  const { payload, protectedHeader } = await jwtVerify(prover.proofFor(request), EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256'],
    maxTokenAge: 60,
  });
  expect(payload).toEqual({
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    htm: 'POST',
    htu: 'https://mcp.example:8443/mcp',
    iat: expect.any(Number),
  });
  expect(Object.keys(protectedHeader.jwk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y']);
  expect(await calculateJwkThumbprint(protectedHeader.jwk ?? {})).toBe(prover.thumbprint);
});

test('each proof is fresh, and one with a token has its hash', async () => {
  const prover = await DpopProver.create();
  const proofs = [prover.proofFor(request), prover.proofFor({ ...request, accessToken: 'abc' })];
  const [first, second] = await Promise.all(proofs.map((proof) => jwtVerify(proof, EmbeddedJWK)));
  expect(first?.payload.jti).not.toBe(second?.payload.jti);
  expect(first?.payload['ath']).toBeUndefined();
  expect(second?.payload['ath']).toBe(createHash('sha256').update('abc').digest('base64url'));
});

test('a nonce is used at its origin only, the newest one', async () => {
  const prover = await DpopProver.create();
  const nonceAt = async (href: string) =>
    (await jwtVerify(prover.proofFor({ ...request, url: new URL(href) }), EmbeddedJWK)).payload['nonce'];
  prover.readNonce(response(200, [['dpop-nonce', 'one']]));
  prover.readNonce(response(200, [['DPoP-Nonce', 'two']]));
  prover.readNonce(response(200));
  expect(await nonceAt('https://mcp.example:8443/other')).toBe('two');
  expect(await nonceAt('https://mcp.example/mcp')).toBeUndefined();
});

test.each<[string, HeaderLines]>([
  [
    'twice',
    [
      ['DPoP-Nonce', 'a'],
      ['DPoP-Nonce', 'b'],
    ],
  ],
  ['with characters that are not allowed', [['DPoP-Nonce', 'a b']]],
  ['empty', [['DPoP-Nonce', '']]],
])('a nonce that comes %s is ignored', async (_, headers) => {
  const prover = await DpopProver.create();
  prover.readNonce(response(401, headers));
  const { payload } = await jwtVerify(prover.proofFor(request), EmbeddedJWK);
  expect(payload['nonce']).toBeUndefined();
});

test.each<[boolean, string, number, HeaderLines, string]>([
  [true, 'of a token endpoint', 400, [], '{"error":"use_dpop_nonce"}'],
  [
    true,
    'of a server with resources',
    401,
    [['WWW-Authenticate', 'DPoP error="use_dpop_nonce", algs="ES256"']],
    '',
  ],
  [
    true,
    'after another challenge',
    401,
    [
      ['www-authenticate', 'Bearer realm="x"'],
      ['www-authenticate', 'DPoP error=use_dpop_nonce'],
    ],
    '',
  ],
  [false, 'with another error', 400, [], '{"error":"invalid_grant"}'],
  [false, 'of another scheme', 401, [['WWW-Authenticate', 'Bearer error="use_dpop_nonce"']], ''],
  [false, 'with another status', 500, [], '{"error":"use_dpop_nonce"}'],
  [false, 'that is not JSON', 400, [], 'use_dpop_nonce'],
])('demands a nonce: %s for a response %s', (expected, _, status, headers, body) => {
  expect(demandsNonce(response(status, headers, body))).toBe(expected);
});

test('a request is sent again once with the nonce that was given, and not without one', async () => {
  const prover = await DpopProver.create();
  const first = prover.proofFor(request);
  const demand = response(400, [['DPoP-Nonce', 'n']], '{"error":"use_dpop_nonce"}');
  const without = response(400, [], '{"error":"use_dpop_nonce"}');
  prover.readNonce(without);
  expect(prover.mustRetry(first, without)).toBe(false);
  prover.readNonce(demand);
  expect(prover.mustRetry(first, demand)).toBe(true);
  const second = prover.proofFor(request);
  prover.readNonce(demand);
  expect(prover.mustRetry(second, demand)).toBe(false);
});

test('the private key is nowhere in the object, nor in its text', async () => {
  const prover = await DpopProver.create();
  const shown = inspect(prover, { depth: 9, showHidden: true }) + JSON.stringify(prover);
  expect(shown).not.toMatch(/private|"d"|\bd:/i);
  expect(Object.keys(prover)).toEqual(['thumbprint']);
});

test('claims can be replaced to test a server', async () => {
  const prover = await DpopProver.create();
  const proof = prover.proofFor({ ...request, claims: { htm: 'GET' } });
  expect((await jwtVerify(proof, EmbeddedJWK)).payload['htm']).toBe('GET');
});

test('one key for each server and issuer, until it is forgotten', async () => {
  const provers = new DpopProvers();
  const [one, same, other] = await Promise.all([
    provers.proverFor('s', 'https://a'),
    provers.proverFor('s', 'https://a'),
    provers.proverFor('s', 'https://b'),
  ]);
  expect(one).toBe(same);
  expect(one.thumbprint).not.toBe(other.thumbprint);
  provers.forget('s', 'https://a');
  expect((await provers.proverFor('s', 'https://a')).thumbprint).not.toBe(one.thumbprint);
});

test('the scheme of the header follows the type of the token', async () => {
  const prover = await DpopProver.create();
  const bound = authorizationHeaders({ accessToken: 't', tokenType: 'dpop' }, request, prover);
  expect(bound.map(([name]) => name)).toEqual(['Authorization', 'DPoP']);
  expect(bound[0]?.[1]).toBe('DPoP t');
  const { payload } = await jwtVerify(bound[1]?.[1] ?? '', EmbeddedJWK);
  expect(payload['ath']).toBe(createHash('sha256').update('t').digest('base64url'));
  expect(authorizationHeaders({ accessToken: 't', tokenType: 'bearer' }, request, prover)).toEqual([
    ['Authorization', 'Bearer t'],
  ]);
});
