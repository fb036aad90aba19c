import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const timeouts = { ...defaultTimeouts, request: 100 };
const pingsOf = async (sessionId: string) =>
  (await engine.rows(sessionId)).filter(({ method, kind }) => method === 'ping' && kind === 'request');

test('pings go out by themselves, marked so, when the user wants them', async () => {
  const { id } = await engine.connect(scriptedServer(''), {
    keepAlive: { every: 20, onSilence: 'warn' },
  });
  const pings = await engine.until(async () => {
    const found = await pingsOf(id);
    return found.length >= 3 ? found : null;
  });
  expect(pings.every(({ automatic }) => automatic)).toBe(true);
  expect((await engine.session(id)).missedPings).toBe(0);
});

test('unanswered ones are counted, and a session that is only to be warned of goes on', async () => {
  const { id } = await engine.connect(scriptedServer('ping() {},'), {
    timeouts,
    keepAlive: { every: 20, onSilence: 'warn' },
  });
  const view = await engine.until(async () => {
    const now = await engine.session(id);
    return now.missedPings >= 4 ? now : null;
  });
  expect(view.phase).toBe('ready');
});

test('after three without an answer a server is reconnected to, if configured', async () => {
  const { id, serverId } = await engine.connect(scriptedServer('ping() {},'), {
    timeouts,
    keepAlive: { every: 20, onSilence: 'reconnect' },
  });
  const next = await engine.until(async () => {
    const sessions = await engine.call('sessions/list', {});
    return sessions.find((one) => one.serverId === serverId && one.id !== id) ?? null;
  });
  expect((await engine.session(id)).phase).toBe('closed');
  expect(
    (await engine.rows(id)).filter(({ status, method }) => method === 'ping' && status === 'cancelled'),
  ).toHaveLength(3);
  await engine.settled(next.id, ['ready', 'closed', 'failed']);
});

test('none go out unless they are wanted', async () => {
  const { id } = await engine.connect(scriptedServer(''));
  await engine.call('sessions/ping', { sessionId: id });
  expect((await pingsOf(id)).map(({ automatic }) => automatic)).toEqual([false]);
});
