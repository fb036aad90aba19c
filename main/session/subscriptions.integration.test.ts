import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectModern,
  connectLegacy,
  type FeatureSession,
  legacyTransports,
  modernTransports,
} from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { ListenFilter, Subscription } from '#shared/contract/subscriptions.ts';

let engine: EngineFixture;
let feature: FeatureSession;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

/** Waits until a subscription is as it is wanted. */
const until = (sessionId: string, id: string, fits: (one: Subscription) => boolean) =>
  engine.until(async () => {
    const known = await engine.call('subscriptions/list', { sessionId });
    return known.find((one) => one.id === id && fits(one)) ?? null;
  });

describe.each(modernTransports)('a listen stream over %s', (transport) => {
  const connect = async () => {
    feature = await connectModern(engine, transport);
    return feature.session.id;
  };
  const listen = async (sessionId: string, filter: ListenFilter) => {
    const { id } = await engine.call('subscriptions/listen', { sessionId, filter });
    return until(sessionId, id, ({ state }) => state !== 'requested');
  };

  test('shows what was requested against what the server honours', async () => {
    const id = await connect();
    const filter = { toolsListChanged: true, resourceSubscriptions: ['fixture://text', 'other://x'] };
    expect(await listen(id, filter)).toMatchObject({
      kind: 'listen',
      state: 'active',
      requested: filter,
      acknowledged: { toolsListChanged: true, resourceSubscriptions: ['fixture://text'] },
      notifications: 0,
    });
  });

  test('beside others has the notifications that are its own, and lists follow them', async () => {
    const id = await connect();
    const tools = await listen(id, { toolsListChanged: true });
    const text = await listen(id, { resourceSubscriptions: ['fixture://text'] });
    await engine.callTool(id, 'touch-resource');
    await engine.callTool(id, 'touch-resource');
    await engine.callTool(id, 'change-tools');
    const updated = await until(id, text.id, ({ notifications }) => notifications === 2);
    const changed = await until(id, tools.id, ({ notifications }) => notifications === 1);
    const rows = await engine.rows(id);
    expect(rows[updated.lastRow ?? -1]?.method).toBe('notifications/resources/updated');
    expect(rows[changed.lastRow ?? -1]?.method).toBe('notifications/tools/list_changed');
    await engine.until(async () => {
      const { entries } = await engine.call('catalog/tools', { sessionId: id });
      return entries.some((entry) => entry.usable && entry.tool.name === 'extra') ? true : null;
    });
  });

  test('is ended by us, and the server is notified as the transport requires', async () => {
    const id = await connect();
    const { id: subscription, row } = await listen(id, { toolsListChanged: true });
    await engine.call('subscriptions/end', { sessionId: id, id: subscription });
    await until(id, subscription, ({ state }) => state === 'ended');
    await engine.until(async () => {
      const call = await engine.callTool(id, 'listening');
      const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
      return text?.includes('"open":[]') ? true : null;
    });
    const rows = await engine.rows(id);
    expect(rows[row]?.status).toBe('cancelled');
    expect(rows.some(({ method }) => method === 'notifications/cancelled')).toBe(transport === 'stdio');
  });

  test.each([
    ['graceful', 'ended'],
    ['cancelled', 'ended'],
    ['abrupt', transport === 'stdio' ? 'ended' : 'broken'],
  ] as const)('that the server ends in a %s way is %s', async (how, state) => {
    const id = await connect();
    const { id: subscription, row } = await listen(id, { promptsListChanged: true });
    await engine.callTool(id, 'end-listen', { how });
    const over = await until(id, subscription, (one) => one.state !== 'active');
    expect(over).toMatchObject({ state });
    expect(over.fault === null).toBe(state === 'ended');
    expect((await engine.rows(id))[row]?.status).not.toBe('pending');
    expect(await engine.callTool(id, 'echo', { message: 'on' })).toMatchObject({ state: 'ok' });
  });

  test('goes down with the session', async () => {
    const id = await connect();
    const { id: subscription } = await listen(id, { toolsListChanged: true });
    await engine.call('sessions/close', { sessionId: id });
    expect(await until(id, subscription, ({ state }) => state !== 'active')).toMatchObject({
      state: 'broken',
      fault: { code: 'session-ended' },
    });
  });
});

describe.each(legacyTransports)('a subscription to a resource over %s', (transport) => {
  const connect = async () => {
    feature = await connectLegacy(engine, transport);
    return feature.session.id;
  };

  test('counts its updates, those of its parts too, until it is ended', async () => {
    const id = await connect();
    const uri = 'fixture://text';
    const subscribed = await engine.call('subscriptions/subscribe', { sessionId: id, uri });
    expect(subscribed).toMatchObject({ kind: 'resource', state: 'active', acknowledged: null });
    await engine.callTool(id, 'touch-resource', { uri });
    await until(id, subscribed.id, ({ notifications }) => notifications === 1);
    await engine.call('subscriptions/end', { sessionId: id, id: subscribed.id });
    expect(await until(id, subscribed.id, ({ state }) => state === 'ended')).toMatchObject({
      notifications: 1,
    });
    await expect(engine.call('subscriptions/end', { sessionId: id, id: 'none' })).rejects.toThrow(
      'no subscription',
    );
  });
});

test('a subscription that the user requests in the composer is listed until its unsubscribe', async () => {
  feature = await connectLegacy(engine, 'stdio');
  const sessionId = feature.session.id;
  const request = async (method: string) => {
    const params = JSON.stringify({ uri: 'fixture://text' });
    const { id } = await engine.call('calls/request', { sessionId, method, params, timeout: null });
    await engine.ended(sessionId, id);
  };
  await request('resources/subscribe');
  const [subscription] = await engine.call('subscriptions/list', { sessionId });
  expect(subscription).toMatchObject({ kind: 'resource', state: 'active' });
  await request('resources/unsubscribe');
  await until(sessionId, subscription?.id ?? '', ({ state }) => state === 'ended');
});

test('a subscription that the server refuses says why', async () => {
  const refusing = scriptedServer(
    `'resources/subscribe'({ id }) { write({ id, error: { code: -32002, message: 'not here' } }); },`,
  );
  const session = await engine.connect(refusing);
  feature = { session, close: () => Promise.resolve() };
  const refused = await engine.call('subscriptions/subscribe', { sessionId: session.id, uri: 'other://x' });
  expect(refused).toMatchObject({ state: 'refused', fault: { code: 'protocol-error' } });
  expect(refused.fault?.what).toContain('not here');
});

test('thousands of updates are counted, and the page gets them at intervals', async () => {
  const chatty = scriptedServer(`
    'resources/subscribe': (request) => answer(request, {}),
    'tools/call'(request) {
      const params = { uri: 'fixture://busy' };
      for (let count = 0; count < 2000; count++) write({ method: 'notifications/resources/updated', params });
      answer(request, { content: [] });
    },
  `);
  const session = await engine.connect(chatty);
  feature = { session, close: () => Promise.resolve() };
  const { id } = await engine.call('subscriptions/subscribe', {
    sessionId: session.id,
    uri: 'fixture://busy',
  });
  let reported = 0;
  engine.engine.onEvent(({ event }) => {
    if (event === 'subscriptions/changed') reported++;
  });
  await engine.callTool(session.id, 'busy');
  await until(session.id, id, ({ notifications }) => notifications === 2000);
  expect(reported).toBeLessThan(500);
});
