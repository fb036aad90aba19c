import { expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

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
