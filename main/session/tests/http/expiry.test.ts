import { beforeEach, describe, expect, test, vi } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { member } from '#fixtures/misbehaving/message.ts';
import { switchesOff } from '#shared/client-switches/switches.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const legacy = (server: ScriptedHttpServer) => engine.connectUrl(server.url, { era: 'legacy' });
const renewed = (id: string, times: number) =>
  engine.until(async () => {
    const view = await engine.session(id);
    return view.phase === 'ready' && view.http?.renewed === times ? view : null;
  });
const notFound = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } };

describe('a session that the server let expire', () => {
  test('is opened again with its log level, and the call that found it expired gets a fault', async () => {
    const server = await serve({});
    const { id, http } = await legacy(server);
    const setLevel = '{"jsonrpc":"2.0","id":900,"method":"logging/setLevel","params":{"level":"debug"}}';
    await engine.send(id, setLevel);
    await engine.row(id, (row) => row.kind === 'result' && row.id === '900');
    server.expire();
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'protocol-error', error: { message: 'Session not found' } });
    const again = await renewed(id, 1);
    expect(again.http?.sessionId).not.toBe(http?.sessionId);
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    const levels = server.messages
      .filter(({ method }) => method === 'logging/setLevel')
      .map(({ params }) => params?.level);
    expect(levels).toEqual(['debug', 'debug']);
    const initialize = server.requestsFor('initialize');
    expect(initialize.map((request) => request.header('mcp-session-id'))).toEqual([undefined, undefined]);
  });

  test('takes its questions with it: the new one does not know them', async () => {
    const server = await serve({});
    const { id } = await legacy(server);
    const params = { messages: [], maxTokens: 1 };
    await server.push({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params });
    const asked = await engine.until(
      async () => (await engine.call('inbox/list', { sessionId: id }))[0] ?? null,
    );
    expect(asked.state).toBe('waiting');
    server.expire();
    await engine.callTool(id, 'echo', { message: 'hi' });
    await renewed(id, 1);
    expect(await engine.call('inbox/list', { sessionId: id })).toMatchObject([{ state: 'lost' }]);
    expect(server.messages.filter((message) => message.id === 'q')).toEqual([]);
  });

  test('stays as it is when the switch says so', async () => {
    const server = await serve({});
    const { id, serverId } = await legacy(server);
    await engine.call('sessions/set-switches', { serverId, switches: { ...switchesOff, keepExpired: true } });
    server.expire();
    for (let count = 0; count < 2; count++) {
      const call = await engine.callTool(id, 'echo', { message: 'hi' });
      expect(call.state).not.toBe('ok');
    }
    expect(server.requestsFor('initialize')).toHaveLength(1);
  });
});

test('after the server let its session expire, pending requests fail, and subscriptions and the standing stream are restored in the same revision', async () => {
  const server = await serve({
    handlers: {
      'resources/subscribe': () => ({}),
      'tools/call': ({ params }, exchange) => {
        if (params?.name !== 'hang') return { content: [] };
        exchange.stream();
        return undefined;
      },
    },
  });
  const before = await engine.connectUrl(server.url, { revision: '2025-06-18' });
  const { id } = before;
  await server.received(({ method }) => method === 'GET');
  const subscribe = '{"jsonrpc":"2.0","id":700,"method":"resources/subscribe","params":{"uri":"x:/1"}}';
  await engine.send(id, subscribe);
  await engine.row(id, (row) => row.kind === 'result' && row.id === '700');
  const hanging = await engine.startTool(id, 'hang');
  await engine.until(async () => {
    const { http } = await engine.session(id);
    return http?.streams.find(({ kind, state }) => kind === 'answer' && state === 'open') ?? null;
  });

  server.expire();
  const met = await engine.callTool(id, 'echo');
  expect(met.state).toBe('protocol-error');
  expect(await engine.ended(id, hanging.id)).toMatchObject({
    state: 'lost',
    fault: { code: 'session-expired' },
  });
  const after = await renewed(id, 1);
  const newId = after.http?.sessionId;
  expect(newId).not.toBe(before.http?.sessionId);
  await server.received((request) => request.method === 'GET' && request.header('mcp-session-id') === newId);
  expect(
    server.requestsFor('resources/subscribe').map((request) => request.messages[0]?.params?.uri),
  ).toEqual(['x:/1', 'x:/1']);
  expect(
    server.requestsFor('initialize').map((request) => request.messages[0]?.params?.protocolVersion),
  ).toEqual(['2025-06-18', '2025-06-18']);
  expect(after.agreement?.revision).toBe('2025-06-18');
  const divider = await engine.row(id, (row) => row.kind === 'phase' && row.summary.includes('expire'));
  expect(divider.summary).toContain('HTTP status 404');
});

test('a subscription that the new session refuses is shown as refused, and is not restored again', async () => {
  let subscribed = 0;
  const server = await serve({
    intercept: (exchange) => {
      const [message] = exchange.received.messages;
      if (message?.method !== 'resources/subscribe') return false;
      subscribed++;
      const { id } = message;
      const error = { code: -32602, message: 'no such resource any more' };
      exchange.json(subscribed === 1 ? { jsonrpc: '2.0', id, result: {} } : { jsonrpc: '2.0', id, error });
      return true;
    },
  });
  const { id } = await legacy(server);
  const state = async () => {
    const [subscription] = await engine.call('subscriptions/list', { sessionId: id });
    return subscription;
  };
  await engine.call('subscriptions/subscribe', { sessionId: id, uri: 'x:/1' });
  expect(await state()).toMatchObject({ state: 'active', fault: null });
  server.expire();
  await engine.callTool(id, 'echo', { message: 'hi' });
  await renewed(id, 1);
  const refused = await state();
  expect(refused).toMatchObject({ state: 'refused' });
  expect(JSON.stringify(refused?.fault)).toContain('no such resource any more');
  server.expire();
  await engine.callTool(id, 'echo', { message: 'hi' });
  await renewed(id, 2);
  expect(subscribed).toBe(2);
});

test('a 404 that comes late is about the session it names, not about the one opened since', async () => {
  const hold = new Hold();
  const server = await serve({
    intercept: async ({ received, ...exchange }) => {
      const message = member(member(received.messages[0]?.params, 'arguments'), 'message');
      if (message !== 'slow') return false;
      await hold.released;
      exchange.response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(notFound));
      return true;
    },
  });
  const { id } = await legacy(server);
  await engine.startTool(id, 'echo', { message: 'slow' });
  await server.receivedMethod('tools/call');
  server.expire();
  await engine.callTool(id, 'echo', { message: 'fast' });
  const { http } = await renewed(id, 1);
  hold.release();
  await engine.until(async () => {
    const refused = (await engine.rows(id)).filter((row) => row.kind === 'http' && row.code === 404);
    return refused.filter(({ status }) => status === 'error').length === 2 ? true : null;
  });
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  expect(server.requestsFor('initialize')).toHaveLength(2);
  expect((await engine.session(id)).http?.sessionId).toBe(http?.sessionId);
});

test('several calls that meet it at once open the session again only once', async () => {
  const server = await serve({});
  const { id } = await legacy(server);
  server.expire();
  await Promise.all(['a', 'b', 'c', 'd'].map((message) => engine.callTool(id, 'echo', { message })));
  await renewed(id, 1);
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  expect(server.requestsFor('initialize')).toHaveLength(2);
});

test('a server that forgets every session at once is not retried forever', async () => {
  const server = await serve({
    intercept: ({ received, ...exchange }) => {
      if (received.messages[0]?.method === 'initialize') return false;
      exchange.response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(notFound));
      return true;
    },
  });
  const { id } = await legacy(server);
  const ended = await engine.settled(id, ['failed']);
  expect(ended.fault?.code).toBe('session-forgotten-again');
  expect(server.requestsFor('initialize')).toHaveLength(2);
});

test('is met by the stream for what the server sends unasked, too', async () => {
  const server = await serve({
    onStanding: (stream) => stream.raw('retry: 1\n\n'),
  });
  const { id, http } = await legacy(server);
  await server.until(() => (server.standing.length === 1 ? true : null));
  server.expire();
  server.standing[0]?.end();
  const view = await renewed(id, 1);
  expect(view.http?.sessionId).not.toBe(http?.sessionId);
  await server.until(() => (server.standing.length === 1 ? true : null));
});

test('a server without such a stream that says 404 to it has not forgotten anything', async () => {
  const server = await serve({
    intercept: (exchange) => {
      if (exchange.received.method !== 'GET') return false;
      exchange.reply(404);
      return true;
    },
  });
  const { id } = await legacy(server);
  await engine.row(id, (row) => row.kind === 'http' && row.method === 'GET' && row.status === 'error');
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  expect(server.requestsFor('initialize')).toHaveLength(1);
});

test('disconnecting while it is opened again ends at once', async () => {
  const asked = new Hold();
  let count = 0;
  const server = await serve({
    intercept: ({ received }) => {
      if (received.messages[0]?.method !== 'initialize' || ++count === 1) return false;
      asked.release();
      return true;
    },
  });
  const { id } = await legacy(server);
  server.expire();
  await engine.callTool(id, 'echo', { message: 'hi' });
  await asked.released;
  await engine.call('sessions/close', { sessionId: id });
  expect(await engine.session(id)).toMatchObject({ phase: 'closed', fault: null });
  await vi.waitUntil(() => server.listening.openSockets === 0);
});

test('what the user starts while it is opened again is sent in the new session', async () => {
  const again = new Hold();
  let count = 0;
  const server = await serve({
    intercept: async ({ received }) => {
      if (received.messages[0]?.method === 'initialize' && ++count === 2) await again.released;
      return false;
    },
  });
  const { id } = await legacy(server);
  server.expire();
  await engine.callTool(id, 'echo', { message: 'lost' });
  await engine.settled(id, ['initializing']);
  const params = { sessionId: id, tool: 'echo', arguments: '{"message":"kept"}', timeout: null };
  const call = await engine.call('calls/start', params);
  expect(call.state).toBe('waiting');
  again.release();
  expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
  const { http } = await engine.session(id);
  const sent = server.requestsFor('tools/call').map((request) => request.header('mcp-session-id'));
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(http?.sessionId);
});
