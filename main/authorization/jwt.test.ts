import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose';
import { afterEach, expect, test } from 'vitest';
import { plainSender } from '#fixtures/authorization/plain-sender.ts';
import { decodeJwt, type IssuerKeys, keysLocation, readIssuerKeys, verifySignature } from './jwt.ts';

let server: Server | null = null;

afterEach(async () => {
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

/** A server that answers every request with this body. */
async function open(body: string, status = 200): Promise<string> {
  const opened = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' });
    response.end(body);
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  const address = opened.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks`;
}

async function keyPair(algorithm: string, id?: string) {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), ...(id !== undefined && { kid: id }) };
  const sign = (claims: Record<string, unknown> = { sub: 'me' }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, ...(id !== undefined && { kid: id }) })
      .sign(privateKey);
  return { jwk, sign };
}

const issuer = 'https://as.example';

async function fetchKeys(jwksUri: string | null): Promise<IssuerKeys> {
  const url = keysLocation(jwksUri);
  if (!(url instanceof URL)) return url;
  const { send } = plainSender();
  return readIssuerKeys(await send({ method: 'GET', url, headers: [], body: null }), issuer);
}

async function verify(token: string, keys: readonly JWK[] | null) {
  const url = keys === null ? null : await open(JSON.stringify({ keys }));
  return verifySignature(token, await fetchKeys(url));
}

test('decodes header and claims, numbers with all their digits', () => {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const claims = '{"sub":"ü","n":12345678901234567890}';
  expect(decodeJwt(`${part('{"alg":"ES256"}')}.${part(claims)}.sig`)).toMatchObject({
    header: { alg: 'ES256' },
    claims: { sub: 'ü' },
    claimsText: claims,
  });
});

test.each(['opaque', 'a.b', 'a.b.c', '..', `${Buffer.from('{}').toString('base64url')}.W10.x`, 'e30.gICA.x'])(
  '%s is not a JWT',
  async (token) => {
    expect(decodeJwt(token)).toBeNull();
    expect(await verifySignature(token, { missing: 'x' })).toEqual({
      state: 'none',
      detail: 'The token is not a JWT.',
    });
  },
);

test.each(['ES256', 'RS256', 'PS384', 'EdDSA'])(
  'verifies %s with the key of the issuer',
  async (algorithm) => {
    const own = await keyPair(algorithm, 'one');
    const other = await keyPair(algorithm, 'two');
    expect(await verify(await own.sign(), [other.jwk, own.jwk])).toEqual({
      state: 'verified',
      detail: `Signed with the key one of https://as.example (${algorithm}).`,
    });
  },
);

test('tries each key that fits if the token names none', async () => {
  const [own, other] = [await keyPair('ES256'), await keyPair('ES256')];
  expect(await verify(await own.sign(), [other.jwk, own.jwk])).toMatchObject({ state: 'verified' });
});

test('a signature of another key is wrong, and so is a changed claim', async () => {
  const [own, other] = [await keyPair('ES256', 'one'), await keyPair('ES256', 'one')];
  const token = await own.sign();
  expect(await verify(token, [other.jwk])).toMatchObject({ state: 'wrong' });
  const [header, , signature] = token.split('.');
  const changed = [header, Buffer.from('{"sub":"admin"}').toString('base64url'), signature].join('.');
  expect(await verifySignature(changed, { issuer, keys: { keys: [own.jwk] } })).toMatchObject({
    state: 'wrong',
  });
});

test('never says verified without a key that proves it', async () => {
  const own = await keyPair('ES256', 'one');
  const token = await own.sign();
  const other = await keyPair('ES256', 'two');
  expect(await verify(token, [other.jwk])).toEqual({
    state: 'unverified',
    detail: 'https://as.example does not have the key one for ES256.',
  });
  expect(await verify(token, null)).toEqual({
    state: 'unverified',
    detail: 'The metadata of the issuer has no jwks_uri.',
  });
  expect(await verify(new UnsecuredJWT({ sub: 'me' }).encode(), [own.jwk])).toMatchObject({ state: 'none' });
});

test('a shared secret proves nothing, not even one in the key set', async () => {
  const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(secret);
  const shared: JWK = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
  expect(await verify(token, [shared])).toMatchObject({ state: 'unverified' });
});

test('a public key that is used as a shared secret proves nothing', async () => {
  const own = await keyPair('RS256', 'one');
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(new TextEncoder().encode(JSON.stringify(own.jwk)));
  expect(await verify(token, [own.jwk])).toMatchObject({ state: 'unverified' });
});

test('a damaged key of the issuer is not a wrong signature', async () => {
  const own = await keyPair('ES256', 'one');
  expect(await verify(await own.sign(), [{ ...own.jwk, x: '!' }])).toMatchObject({ state: 'unverified' });
});

test.each([
  ['no JSON', '<html>', 200, 'The jwks_uri of the issuer returned no key set.'],
  ['no key set', '{"keys":{}}', 200, 'The jwks_uri of the issuer returned no key set.'],
  ['an error', '{"keys":[]}', 404, 'The keys of the issuer could not be fetched: HTTP 404.'],
  [
    'a redirect',
    '{"keys":[]}',
    302,
    'The keys of the issuer could not be fetched: HTTP 302. A redirect is not followed.',
  ],
])('a server that returns %s has no keys', async (_, body, status, missing) => {
  expect(await fetchKeys(await open(body, status))).toEqual({ missing });
});

test.each(['http://as.example/jwks', 'file:///etc/passwd', 'jwks', 'http://127.0.0.1.example/'])(
  'keys are fetched from HTTPS or from this machine, and not from %s',
  (url) => {
    expect(keysLocation(url)).toEqual({ missing: 'The jwks_uri of the issuer is not an HTTPS URL.' });
  },
);
