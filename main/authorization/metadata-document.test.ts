import { createPublicKey, generateKeyPairSync, verify, sign } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { beginFlow, settledFlow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
} from '#shared/contract/servers.ts';
import { checkDocument } from './checks/client-metadata.ts';

const url = 'https://client.example/sightglass.json';
const settings: AuthorizationSettings = { ...defaultAuthorization, metadataDocument: url };

async function engine(): Promise<EngineFixture> {
  const opened = await EngineFixture.open();
  onTestFinished(() => opened.close());
  return opened;
}

const rulesOf = (text: string, redirectUri: string) =>
  checkDocument(
    {
      url: new URL(url),
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(text),
      isCut: false,
      row: 1,
      duration: 1,
    },
    { clientId: url, redirectUri },
  ).findings.map(({ rule }) => rule);

describe('the metadata document that the app writes', () => {
  test('is one that an authorization server accepts for the redirect of the settings', async () => {
    const { call } = bound(await engine());
    const redirect = { host: '127.0.0.1', port: 8123, path: '/callback' } as const;
    const { text } = await call({ ...settings, redirect });
    expect(rulesOf(text, 'http://127.0.0.1:8123/callback')).toEqual([]);
    expect(JSON.parse(text)).toEqual({
      client_id: url,
      client_name: 'Sightglass',
      redirect_uris: ['http://127.0.0.1:8123/callback'],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  test('names a redirect without a port if any may be used', async () => {
    const { call } = bound(await engine());
    const { text } = await call(settings);
    expect(JSON.parse(text)).toMatchObject({ redirect_uris: ['http://127.0.0.1/callback'] });
  });

  test('has the public part of the private key, of a saved server too, and nothing of the private one', async () => {
    const own = await engine();
    const { call } = bound(own);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signing = {
      ...settings,
      authMethod: 'private_key_jwt',
      privateKey: { isSet: true, value: pem },
    } as const;
    const saved = await own.call('servers/save', {
      id: null,
      settings: {
        name: 'protected',
        era: 'auto',
        revision: null,
        timeouts: defaultTimeouts,
        keepAlive: noKeepAlive,
        client: defaultClientProfile,
        notes: '',
        transport: { ...plainHttpSettings('http://127.0.0.1:9/mcp'), authorization: signing },
      },
    });
    for (const [serverId, value] of [
      [null, pem],
      [saved.id, null],
    ] as const) {
      const { text } = await call({ ...signing, privateKey: { isSet: true, value } }, serverId);
      expect(rulesOf(text, 'http://127.0.0.1/callback')).toEqual([]);
      const { jwks } = JSON.parse(text) as { jwks: { keys: [Record<string, string>] } };
      const [jwk] = jwks.keys;
      expect(Object.keys(jwk).toSorted()).toEqual(['alg', 'crv', 'kty', 'use', 'x', 'y']);
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      const signature = sign('sha256', Buffer.from('text'), privateKey);
      expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
    }
  });

  test('says what is missing', async () => {
    const { call } = bound(await engine());
    await expect(call({ ...settings, metadataDocument: null })).rejects.toThrow(FaultError);
    await expect(call({ ...settings, authMethod: 'private_key_jwt' })).rejects.toThrow(
      'The document needs the public part of the private key, and none is set.',
    );
  });
});

test('a flow stops at a document that authorization servers reject; stepped, the user can go on', async () => {
  const own = await engine();
  const server = await ProtectedServer.open({ authorization: { acceptsMetadataDocuments: true } });
  onTestFinished(() => server.close());
  const metadataDocument = 'http://client.example/sightglass.json';
  const begun = await beginFlow(own, server.url, { mode: 'stepped', settings: { metadataDocument } });
  const stopped = await stepThrough(own, begun);
  expect(stopped).toMatchObject({
    state: 'failed',
    canOverride: true,
    fault: { code: 'document-url-invalid', next: expect.stringContaining('Copy the document') },
  });
  await own.call('authorization/override', { flowId: begun.id });
  const sent = await stepThrough(
    own,
    await settledFlow(own, begun),
    ({ name }) => name === 'authorization-request',
  );
  const request = sent.steps.find(({ name }) => name === 'authorization-request')?.request;
  expect(request?.query).toContainEqual(
    expect.objectContaining({ name: 'client_id', value: metadataDocument }),
  );
});

const bound = (own: EngineFixture) => ({
  call: (changed: AuthorizationSettings, serverId: string | null = null) =>
    own.call('authorization/write-document', { serverId, settings: changed }),
});
