import { beforeEach, expect, test, vi } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { member } from '#fixtures/misbehaving/message.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const legacy = (server: ScriptedHttpServer) => engine.connectUrl(server.url, { era: 'legacy' });
const countOf = (server: ScriptedHttpServer, method: string) =>
  server.requests.filter(({ messages }) => messages[0]?.method === method).length;
const renewed = (id: string, times: number) =>
  engine.until(async () => {
    const view = await engine.session(id);
    return view.phase === 'ready' && view.http?.renewed === times ? view : null;
  });
const notFound = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } };

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
  const call = { sessionId: id, tool: 'echo', arguments: '{"message":"slow"}', timeout: null };
  await engine.call('calls/start', call);
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
  expect(countOf(server, 'initialize')).toBe(2);
  expect((await engine.session(id)).http?.sessionId).toBe(http?.sessionId);
});

test('several calls that meet it at once open the session anew only once', async () => {
  const server = await serve({});
  const { id } = await legacy(server);
  server.expire();
  await Promise.all(['a', 'b', 'c', 'd'].map((message) => engine.callTool(id, 'echo', { message })));
  await renewed(id, 1);
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  expect(countOf(server, 'initialize')).toBe(2);
});

test('a server that forgets every session at once is not asked for ever', async () => {
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
  expect(countOf(server, 'initialize')).toBe(2);
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
  expect(countOf(server, 'initialize')).toBe(1);
});

test('disconnecting while it is opened anew ends at once', async () => {
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
