import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { HttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

async function connect({
  hasBrowser = true,
  http = {},
  ...options
}: ProtectedServerOptions & { readonly hasBrowser?: boolean; readonly http?: Partial<HttpSettings> } = {}) {
  const server = opened(await ProtectedServer.open(options));
  const openInBrowser = async (url: string) => void (await browse(url));
  const engine = opened(await EngineFixture.open(hasBrowser ? { openInBrowser } : {}));
  const { id, serverId } = await engine.connectUrl(server.url, { http });
  const state = async () => (await engine.session(id)).http?.authorization;
  const becomes = (wanted: string) => engine.until(async () => ((await state()) === wanted ? wanted : null));
  return { server, engine, id, serverId, state, becomes };
}

test('none: the server has demanded nothing', async () => {
  const { state } = await connect({ protects: [] });
  expect(await state()).toBe('none');
});

test('required: the server demands a token, and there is none', async () => {
  const { state } = await connect({ hasBrowser: false });
  expect(await state()).toBe('required');
});

test('required: a flow without a session has asked the server', async () => {
  const { engine, serverId, server } = await connect({ protects: [] });
  server.options = { ...server.options, protects: ['POST'] };
  for (const { id } of await engine.call('sessions/list', {}))
    await engine.call('sessions/close', { sessionId: id });
  const flow = await engine.call('authorization/begin', {
    serverId,
    mode: 'stepped',
    revision: null,
    settings: {},
  });
  const state = async () => (await engine.session(flow.sessionId)).http?.authorization;
  expect(await state()).toBe('none');
  await engine.until(async () => {
    const [now] = await engine.call('authorization/flows', { sessionId: flow.sessionId });
    return now?.state === 'stopped' ? true : null;
  });
  await engine.call('authorization/send', { flowId: flow.id, request: null, wrongValue: null });
  await engine.until(async () => ((await state()) === 'required' ? true : null));
});

test('required: the server does not accept the token it was given', async () => {
  const { state } = await connect({ accepts: () => false });
  expect(await state()).toBe('required');
});

test('authorized, expired by the user, and authorized again by the next request', async () => {
  const { engine, id, serverId, state, becomes } = await connect();
  expect(await state()).toBe('authorized');
  const [stored] = await engine.call('authorization/credentials', { serverId });
  await engine.call('authorization/expire', { credentialsId: stored?.id ?? '' });
  await becomes('expired');
  expect((await engine.callTool(id, 'echo', { text: 'hi' })).state).toBe('ok');
  expect(await state()).toBe('authorized');
});

test('expired: the lifetime of the token is over', async () => {
  const { becomes } = await connect({ authorization: { tokenLifetime: 2 } });
  await becomes('expired');
});

test('nothing is said where the user has set the header', async () => {
  const headers = [{ name: 'Authorization', value: 'Bearer mine', secret: true }];
  const { state } = await connect({ http: { headers } });
  expect(await state()).toBeNull();
});
