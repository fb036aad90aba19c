import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { authenticateClient, chooseClientAuth, type ClientAuthOptions } from './client-authentication.ts';
import type { FormRequest } from './form-request.ts';
import { materialize, prepareForm } from './step-request.ts';

/** A request as a flow sends it. */
function sentForm(form: FormRequest) {
  const { shown, secrets } = prepareForm(form);
  return materialize(shown, secrets);
}

const request: FormRequest = {
  method: 'POST',
  url: new URL('https://as.example/token'),
  headers: [],
  parameters: [['grant_type', 'client_credentials']],
};
const audience = 'https://as.example';
const client = { clientId: 'me', clientSecret: null, privateKey: null };

const choice = (options: Partial<ClientAuthOptions>) =>
  chooseClientAuth({ setting: 'auto', registered: null, supported: null, client, ...options });

const withSecret = { ...client, clientSecret: 's' };
const withKey = { ...client, privateKey: 'k' };

test.each<[string, Partial<ClientAuthOptions>, string]>([
  [
    'the method of the settings, supported or not',
    { setting: 'client_secret_post', supported: ['none'], client: withSecret },
    'client_secret_post',
  ],
  ['the registered method', { registered: 'client_secret_post', client: withSecret }, 'client_secret_post'],
  ['no method without secret and key', { supported: ['client_secret_basic'] }, 'none'],
  [
    'no method if the server has none, with a secret too',
    { supported: ['none'], client: withSecret },
    'none',
  ],
  ['basic if the metadata says nothing', { client: withSecret }, 'client_secret_basic'],
  [
    'basic before post',
    { supported: ['client_secret_post', 'client_secret_basic'], client: withSecret },
    'client_secret_basic',
  ],
  [
    'post if only that is supported',
    { supported: ['client_secret_post'], client: withSecret },
    'client_secret_post',
  ],
  [
    'the key before the secret',
    { supported: ['client_secret_basic', 'private_key_jwt'], client: { ...withSecret, privateKey: 'k' } },
    'private_key_jwt',
  ],
  ['the key if the metadata says nothing', { client: withKey }, 'private_key_jwt'],
  [
    'what there is if the server supports nothing of it',
    { supported: ['tls_client_auth'], client: withSecret },
    'client_secret_basic',
  ],
  [
    'another method than a registered one that is impossible',
    { registered: 'private_key_jwt', client: withSecret },
    'client_secret_basic',
  ],
])('chooses %s', (_, options, method) => {
  const chosen = choice(options);
  expect(chosen.method).toBe(method);
  expect(chosen.alternatives.map(({ label }) => label).sort()).toEqual(
    ['private_key_jwt', 'client_secret_basic', 'client_secret_post', 'none']
      .filter((one) => one !== method)
      .sort(),
  );
  expect(chosen.decidedBy.text).not.toBe('');
});

test('says why each of the other methods is not used', () => {
  const { alternatives } = choice({ supported: ['client_secret_post'], client: withSecret });
  expect(Object.fromEntries(alternatives.map(({ label, why }) => [label, why]))).toEqual({
    private_key_jwt: 'The client has no private key.',
    client_secret_basic: 'The server does not support it.',
    none: 'The server does not support it.',
  });
});

test('none names the client in the body', async () => {
  const sent = sentForm(await authenticateClient(request, { method: 'none', client, audience }));
  expect(sent.body?.toString()).toBe('grant_type=client_credentials&client_id=me');
  expect(sent.headers).toEqual([
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ]);
});

test('basic encodes both parts as in a form before base64, and leaves the body alone', async () => {
  const own = { clientId: 'a:b c', clientSecret: 'p%ä+&"', privateKey: null };
  const sent = await authenticateClient(request, { method: 'client_secret_basic', client: own, audience });
  const [[name, value] = []] = sent.headers;
  expect(name).toBe('Authorization');
  const decoded = Buffer.from(value?.replace('Basic ', '') ?? '', 'base64').toString();
  expect(decoded).toBe('a%3Ab+c:p%25%C3%A4%2B%26%22');
  expect(sent.parameters).toEqual(request.parameters);
});

test('post has the client and its secret in the body', async () => {
  const sent = await authenticateClient(request, {
    method: 'client_secret_post',
    client: withSecret,
    audience,
  });
  expect(sent.parameters).toEqual([...request.parameters, ['client_id', 'me'], ['client_secret', 's']]);
  expect(sent.headers).toEqual([]);
});

test.each(['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA'])(
  'a key for %s signs an assertion for the issuer',
  async (algorithm) => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const own = { ...client, privateKey: await exportPKCS8(privateKey) };
    const sent = await authenticateClient(request, { method: 'private_key_jwt', client: own, audience });
    const parameters = new Map(sent.parameters);
    expect(parameters.get('client_id')).toBe('me');
    expect(parameters.get('client_assertion_type')).toBe(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    );
    const { payload, protectedHeader } = await jwtVerify(
      parameters.get('client_assertion') ?? '',
      publicKey,
      { audience },
    );
    expect(protectedHeader).toEqual({ alg: algorithm });
    expect(payload).toMatchObject({ iss: 'me', sub: 'me', aud: audience });
    expect(payload.exp).toBe((payload.iat ?? 0) + 60);
  },
);

test('each assertion has an ID of its own', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = { ...client, privateKey: privateKey.export({ type: 'sec1', format: 'pem' }).toString() };
  const sign = async () =>
    (await authenticateClient(request, { method: 'private_key_jwt', client: own, audience })).parameters.at(
      -1,
    )?.[1] ?? '';
  const ids = [await sign(), await sign()].map(
    (jwt) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).jti,
  );
  expect(new Set(ids).size).toBe(2);
});

test('a JWK signs with its own algorithm and key ID; claims can be replaced', async () => {
  const { publicKey, privateKey } = await generateKeyPair('PS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'PS256', kid: 'first' };
  const sent = await authenticateClient(request, {
    method: 'private_key_jwt',
    client: { ...client, privateKey: JSON.stringify(jwk) },
    audience,
    claims: { aud: 'https://other.example' },
  });
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'first' }] });
  const { payload, protectedHeader } = await jwtVerify(sent.parameters.at(-1)?.[1] ?? '', keys);
  expect(protectedHeader).toEqual({ alg: 'PS256', kid: 'first' });
  expect(payload.aud).toBe('https://other.example');
});

test('an RSA key signs with an algorithm that the server supports', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const own = { ...client, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
  const sent = await authenticateClient(request, {
    method: 'private_key_jwt',
    client: own,
    audience,
    signingAlgorithms: ['ES256', 'PS256'],
  });
  const header = Buffer.from(sent.parameters.at(-1)?.[1].split('.')[0] ?? '', 'base64url').toString();
  expect(JSON.parse(header)).toEqual({ alg: 'PS256' });
});

test.each([
  ['text', 'not a key'],
  ['JSON', '{ "kty": "secret-text" '],
  [
    'a key that cannot sign',
    generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ],
])('a private key that is %s is a fault that repeats nothing of it', async (_, privateKey) => {
  const failed = await authenticateClient(request, {
    method: 'private_key_jwt',
    client: { ...client, privateKey },
    audience,
  }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(FaultError);
  expect(failed).toMatchObject({ fault: { code: 'private-key' } });
  expect(JSON.stringify(failed)).not.toContain('secret-text');
});

test('a method without the means for it is a fault', async () => {
  await expect(
    authenticateClient(request, { method: 'client_secret_basic', client, audience }),
  ).rejects.toMatchObject({
    fault: { code: 'client-authentication', why: 'The client has no secret.' },
  });
});
