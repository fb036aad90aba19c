import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Answers `initialize` once it is pinged, and any other request with its method. */
const untilPinged = scriptedServer(`
  initialize(request) {
    server.ping = (ping) => {
      answer(ping, {});
      shakeHands(request);
    };
  },
  'tools/list': (request) => answer(request, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': (request) => answer(request, { content: [] }),
  'resources/read': (request) => answer(request, { contents: [] }),
  'completion/complete': (request) => answer(request, { completion: { values: ['a'] } }),
`);

/** Begins to connect; `opened` settles once the session is ready or has failed. */
async function connecting(server = untilPinged, initialize = defaultTimeouts.initialize) {
  const opened = engine.connect(server, { timeouts: { ...defaultTimeouts, initialize } });
  const { id } = await engine.until(async () => {
    const [session] = await engine.call('sessions/list', {});
    return session?.phase === 'initializing' ? session : null;
  });
  return { id, opened };
}

const start = (sessionId: string, timeout: number | null = null) =>
  engine.call('calls/start', { sessionId, tool: 'echo', arguments: '{"a":1}', timeout });
const request = (sessionId: string, method: string, params: object) =>
  engine.call('calls/request', { sessionId, method, params: JSON.stringify(params), timeout: null });
const callsOf = (sessionId: string) => engine.call('calls/list', { sessionId });
const sentBy = async (sessionId: string) =>
  (await engine.rows(sessionId)).flatMap(({ direction, method }) =>
    direction === 'out' && method !== null ? [method] : [],
  );

test('what the user starts waits until the session is ready, and its timeout counts from then', async () => {
  const { id, opened } = await connecting();
  const call = await start(id, 400);
  expect(call).toMatchObject({ state: 'waiting', requestId: null, requestRow: null, rounds: [] });
  await request(id, 'resources/read', { uri: 'file:///a' });
  await request(id, 'completion/complete', { ref: { type: 'ref/prompt', name: 'p' } });
  const subscribed = engine.call('subscriptions/subscribe', { sessionId: id, uri: 'file:///a' });
  subscribed.catch(() => undefined);
  await delay(800);
  expect(await callsOf(id)).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }, { state: 'waiting' }]);
  expect(await sentBy(id)).toEqual(['initialize']);

  const { duration } = await engine.call('sessions/ping', { sessionId: id });
  expect(duration).toBeGreaterThan(0);
  await opened;
  const ended = await engine.ended(id, call.id);
  expect(ended).toMatchObject({ state: 'ok', arguments: '{"a":1}' });
  expect(ended.startedAt).toBeGreaterThan(call.startedAt + 700);
  const sent = await engine.until(async () => {
    const methods = await sentBy(id);
    return methods.includes('completion/complete') ? methods : null;
  });
  expect(sent.slice(0, 3)).toEqual(['initialize', 'ping', 'notifications/initialized']);
  const calls = sent.filter((method) => !/list$|subscribe$/.test(method)).slice(3);
  expect(calls).toEqual(['tools/call', 'resources/read', 'completion/complete']);
});

test('a list waits too, is read once, and can be stopped before', async () => {
  const { id, opened } = await connecting();
  const list = () => engine.call('catalog/tools', { sessionId: id });
  const stopped = engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
  await engine.until(async () => ((await list()).state === 'waiting' ? true : null));
  await engine.call('catalog/stop', { sessionId: id, list: 'tools' });
  await stopped;
  expect((await list()).state).toBe('not-declared');

  const refreshed = engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
  await engine.call('sessions/ping', { sessionId: id });
  await refreshed;
  await opened;
  expect(await list()).toMatchObject({ state: 'ready', entries: [{ usable: true }] });
  expect((await sentBy(id)).filter((method) => method === 'tools/list')).toHaveLength(1);
});

test('a call that is cancelled while it waits is never sent', async () => {
  const { id, opened } = await connecting();
  const call = await start(id);
  await engine.call('calls/cancel', { sessionId: id, callId: call.id });
  await engine.until(async () => ((await callsOf(id))[0]?.state === 'cancelled' ? true : null));
  await engine.call('calls/cancel', { sessionId: id, callId: call.id });
  await engine.call('sessions/ping', { sessionId: id });
  await opened;
  expect(await callsOf(id)).toMatchObject([{ state: 'cancelled', requestRow: null, fault: null }]);
  expect(await sentBy(id)).not.toContain('tools/call');
  expect(await sentBy(id)).not.toContain('notifications/cancelled');
});

test('what waits fails with the reason when the session is not opened', async () => {
  const { id, opened } = await connecting(misbehavingServer('silent-initialize', 'ignores-stdin-eof'), 1000);
  const call = await start(id);
  const subscribed = engine.call('subscriptions/subscribe', { sessionId: id, uri: 'file:///a' });
  // Handled below, once it is due.
  subscribed.catch(() => undefined);
  const refreshed = engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
  expect((await opened).fault).toMatchObject({ code: 'initialize-timeout' });
  await expect(subscribed).rejects.toThrow('initialize');
  await refreshed;
  const [ended] = await callsOf(id);
  expect(ended).toMatchObject({ id: call.id, state: 'lost', fault: { code: 'initialize-timeout' } });
  expect(await engine.call('catalog/tools', { sessionId: id })).toMatchObject({
    state: 'failed',
    fault: { code: 'initialize-timeout' },
  });
  expect(await sentBy(id)).toEqual(['initialize']);
  await expect(start(id)).rejects.toThrow('The session is failed');
});

test('what waits is not sent when the user disconnects', async () => {
  const { id, opened } = await connecting();
  await start(id);
  await engine.call('sessions/close', { sessionId: id });
  await opened;
  expect(await callsOf(id)).toMatchObject([{ state: 'lost', fault: { code: 'not-ready' } }]);
  expect(await sentBy(id)).toEqual(['initialize']);
});

test('raw bytes do not wait', async () => {
  const { id } = await connecting();
  await engine.send(id, '{"jsonrpc":"2.0","method":"notifications/too-early"}\n');
  expect(await sentBy(id)).toEqual(['initialize', 'notifications/too-early']);
});
