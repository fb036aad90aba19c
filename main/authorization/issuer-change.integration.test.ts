import { expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings, serverSettingsSchema } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

const clients = [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }] as const;

/** A server whose tokens are worthless from now on, and which names another authorization server since. */
async function atNewIssuer(settings: Partial<AuthorizationSettings>) {
  const options = { clients, acceptsMetadataDocuments: true };
  const server = opened(await ProtectedServer.open({ authorization: options }));
  const other = opened(await AuthorizationServer.open({ ...options, resources: [server.resource] }));
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const { id, serverId } = await engine.connectUrl(server.url, {
    http: {
      ...plainHttpSettings(server.url),
      authorization: { ...defaultAuthorization, ...settings },
    },
  });
  await engine.call('sessions/close', { sessionId: id });
  server.authorization.tokens.all.length = 0;
  const resourceMetadata = { authorization_servers: [other.issuer] };
  server.options = { ...server.options, resourceMetadata, others: [other] };
  const { id: sessionId, phase } = await engine.reconnect(serverId);
  const flow = (await engine.call('authorization/flows', { sessionId })).at(-1);
  const findings = flow?.steps
    .flatMap((step) => step.findings)
    .filter(({ severity }) => severity === 'error');
  return { server, other, engine, serverId, phase, flow, findings };
}

test('a client ID that was registered at one authorization server is not sent to another', async () => {
  const { server, other, phase, flow, findings } = await atNewIssuer({ clientId: 'mine' });
  expect(findings).toMatchObject([
    { rule: 'issuer-changed', expected: server.authorization.issuer, received: other.issuer },
  ]);
  expect(flow).toMatchObject({ state: 'failed', fault: { code: 'issuer-changed' } });
  expect(phase).toBe('failed');
  expect(other.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /.well-known/oauth-authorization-server',
  ]);
});

test('a client that registers itself does so again at another authorization server', async () => {
  const { other, phase, findings } = await atNewIssuer({});
  expect(findings).toEqual([]);
  expect(phase).toBe('ready');
  expect(other.requestsTo('register')).toHaveLength(1);
});

test('the URL of a metadata document stays the client ID at another authorization server', async () => {
  // It cannot be reached from here, which is for the authorization servers to say.
  const metadataDocument = 'https://127.0.0.1:9/sightglass.json';
  const { other, phase, flow } = await atNewIssuer({ metadataDocument });
  expect(phase).toBe('ready');
  expect(flow?.steps).toContainEqual(
    expect.objectContaining({
      name: 'client-metadata',
      state: 'done',
      outcome: expect.stringMatching(/^It cannot be read/),
    }),
  );
  const [request] = other.requestsTo('authorize');
  expect(new URL(request?.url ?? '', other.origin).searchParams.get('client_id')).toBe(metadataDocument);
});

test('a client and its tokens are not used for a server that has another address since', async () => {
  const options = { authorization: { clients } };
  const [before, after] = [opened(await ProtectedServer.open(options)), opened(await ProtectedServer.open())];
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const first = await engine.connectUrl(before.url);
  await engine.call('sessions/close', { sessionId: first.id });
  const [saved] = await engine.call('servers/list', {});
  if (saved === undefined) throw new Error('the server is saved');
  const transport = { ...plainHttpSettings(after.url), authorization: defaultAuthorization };
  await engine.call('servers/save', {
    id: saved.id,
    settings: { ...serverSettingsSchema.parse(saved), transport },
  });
  expect(await engine.reconnect(saved.id)).toMatchObject({ phase: 'ready' });
  expect(after.authorization.requestsTo('register')).toHaveLength(1);
  const used = before.authorization.tokens.all.map(({ value }) => value);
  const received = after.log.map(
    ({ request }) => `${request.header('Authorization') ?? ''} ${String(request.body)}`,
  );
  expect(received.filter((text) => used.some((value) => text.includes(value)))).toEqual([]);
});
