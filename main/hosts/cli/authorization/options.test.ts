import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseOptions } from '#hosts/cli/command.ts';
import { authorizationOptionsSchema, checkComplete, readAuthorization } from './options.ts';

const read = (options: object) => readAuthorization(parseOptions(authorizationOptionsSchema, options), null);

test.each([
  [{}, {}],
  [{ scope: ' a  b ' }, { scopes: 'a b' }],
  [{ grant: 'client-credentials' }, { grant: 'client-credentials' }],
  [{ clientId: 'me' }, { clientId: 'me', registration: 'pre-registered' }],
  [
    { clientMetadataDocument: 'https://app.example/c.json' },
    { metadataDocument: 'https://app.example/c.json', registration: 'metadata-document' },
  ],
  [
    { registration: 'dynamic', clientId: 'me' },
    { clientId: 'me', registration: 'dynamic' },
  ],
  [{ clientAuth: 'client_secret_post' }, { authMethod: 'client_secret_post' }],
  [
    { assertionAudience: 'token-endpoint', keyId: 'k' },
    { assertionAudience: 'token-endpoint', keyId: 'k' },
  ],
  [{ dpop: true }, { dpop: true }],
  [{ drop: 'resource,scope' }, { dropped: ['resource', 'scope'] }],
  [{ drop: 'nonce, redirect_uri' }, { dropped: ['nonce', 'redirect_uri'] }],
  [
    { authParam: ['audience=https://api', 'empty='], tokenParam: ['a=b=c'] },
    {
      extra: [
        { name: 'audience', value: 'https://api' },
        { name: 'empty', value: '' },
      ],
      tokenExtra: [{ name: 'a', value: 'b=c' }],
    },
  ],
  [
    { identityProvider: 'https://idp', identityClientId: 'i' },
    { identityProvider: { issuer: 'https://idp', clientId: 'i' } },
  ],
  [{ testIdentityProvider: 'ada' }, { testIdentityProvider: { user: 'ada', port: null } }],
])('%j are settings', (options, settings) => {
  expect(read(options)).toEqual(settings);
});

const usual = { host: '127.0.0.1', port: null, path: '/callback' };

test.each([
  ['8080', { ...usual, port: 8080 }],
  [':8080', { ...usual, port: 8080 }],
  ['localhost', { ...usual, host: 'localhost' }],
  ['LOCALHOST:1', { ...usual, host: 'localhost', port: 1 }],
  ['localhost:8080/cb', { host: 'localhost', port: 8080, path: '/cb' }],
  ['127.0.0.1/cb', { ...usual, path: '/cb' }],
  ['/a/b', { ...usual, path: '/a/b' }],
  ['[::1]:65535/', { host: '[::1]', port: 65_535, path: '/' }],
  ['http://localhost:3000/oauth/callback', { host: 'localhost', port: 3000, path: '/oauth/callback' }],
])('--redirect %s is %j', (redirect, expected) => {
  expect(read({ redirect })).toEqual({ redirect: expected });
});

test.each([
  [{ redirect: 'example.com:80' }, 'not "example.com"'],
  [{ redirect: '127.0.0.1:70000' }, 'from 1 to 65535, not "70000"'],
  [{ redirect: '0' }, 'from 1 to 65535, not "0"'],
  [{ redirect: 'https://localhost:1/' }, 'it is "https://localhost:1/"'],
  [{ redirect: 'localhost:1/?a=b' }, 'it is "localhost:1/?a=b"'],
  [{ redirect: '' }, 'it is ""'],
  [{ drop: 'resource,stae' }, 'resource, scope, nonce, redirect_uri; it is "stae"'],
  [{ drop: ' ' }, '--drop wants any of'],
  [{ authParam: ['novalue'] }, '--auth-param wants NAME=VALUE'],
  [{ tokenParam: ['=x'] }, '--token-param wants NAME=VALUE'],
  [{ clientAuth: 'basic' }, '--client-auth wants one of: auto, none, client_secret_basic'],
  [{ clientAuth: 'basic' }, 'it is "basic"'],
  [{ registration: 'static' }, 'it is "static"'],
  [{ assertionAudience: 'x' }, '--assertion-audience wants one of: '],
  [{ grant: 'password' }, 'it is "password"'],
  [{ scope: '  ' }, '--scope: wants at least one scope'],
  [{ clientMetadataDocument: 'app.example/c.json' }, 'it is "app.example/c.json"'],
  [{ identityProvider: 'https://idp' }, '--identity-client-id belong together'],
  [{ privateKey: 'SIGHTGLASS_NO_SUCH_VARIABLE' }, '--private-key: there is no variable'],
  [{ privateKey: 'KEY=-----BEGIN' }, '--private-key KEY= wants @FILE or $VARIABLE'],
])('%j are refused: %s', (options, complaint) => {
  expect(() => read(options)).toThrow(complaint);
});

test('a key and the value of a parameter come from files, whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-options-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const key = join(folder, 'key.pem');
  await writeFile(key, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
  expect(read({ privateKey: `KEY=@${key}`, authParam: [`login_hint=@${key}`] })).toEqual({
    privateKey: { isSet: true, value: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' },
    extra: [{ name: 'login_hint', value: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }],
  });
});

test.each([
  [{ registration: 'pre-registered' }, '--client-id'],
  [{ registration: 'metadata-document' }, '--client-metadata-document'],
  [{ keyId: 'k' }, '--private-key'],
  [{ assertionAudience: 'issuer' }, '--private-key'],
  [{ clientAuth: 'private_key_jwt' }, '--private-key'],
])('%j says at a server without settings that it needs %s', (options, missing) => {
  expect(() => checkComplete(read(options))).toThrow(missing);
});
