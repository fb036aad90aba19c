import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const methodsOf = (server: ScriptedHttpServer) => server.requests.map(({ method }) => method);

describe('in the modern era', () => {
  test('no stream is resumed, whatever ids its events have', async () => {
    const server = await serve({
      era: 'modern',
      handlers: {
        'tools/call': (_, exchange) => {
          const stream = exchange.stream();
          stream.raw('retry: 1\nid: e1\ndata:\n\n');
          stream.end();
          return undefined;
        },
      },
    });
    const { id } = await engine.connectUrl(server.url);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'lost', fault: { code: 'stream-ended' } });
    expect(new Set(methodsOf(server))).toEqual(new Set(['POST']));
  });

  test('a request of the server is on record, and not answered', async () => {
    const server = await serve({
      era: 'modern',
      handlers: {
        'tools/call': ({ id }, exchange) => {
          const stream = exchange.stream();
          stream.send({ jsonrpc: '2.0', id: 'mine', method: 'ping' });
          stream.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } });
          stream.end();
          return undefined;
        },
      },
    });
    const { id } = await engine.connectUrl(server.url);
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
    await engine.row(id, (row) => row.kind === 'request' && row.direction === 'in' && row.method === 'ping');
    const sent = (await engine.rows(id)).filter((row) => row.direction === 'out' && row.kind !== 'http');
    expect(new Set(sent.map(({ kind }) => kind))).toEqual(new Set(['request']));
  });

  test('a cancelled call closes its stream also where a redirect led to', async () => {
    const left = new Hold();
    const opened = new Hold();
    const server = await serve({
      era: 'modern',
      intercept: async (exchange) => {
        const { received } = exchange;
        if (received.messages[0]?.method !== 'tools/call') return false;
        if (received.url === '/mcp') exchange.reply(307, { Location: '/elsewhere' });
        else {
          exchange.stream();
          opened.release();
          await exchange.left;
          left.release();
        }
        return true;
      },
    });
    const { id } = await engine.connectUrl(server.url);
    const { id: callId } = await engine.startTool(id, 'echo');
    await opened.released;
    await engine.call('calls/cancel', { sessionId: id, callId });
    await left.released;
    expect(await engine.ended(id, callId)).toMatchObject({ state: 'cancelled' });
  });

  test('a late answer to initialize begins no session to be left', async () => {
    const hold = new Hold();
    const server = await serve({
      era: 'both',
      intercept: async (exchange) => {
        const [message] = exchange.received.messages;
        if (message?.method === 'server/discover') {
          await server.receivedMethod('initialize');
          return false;
        }
        if (message?.method !== 'initialize') return false;
        await hold.released;
        return false;
      },
    });
    const { id, agreement } = await engine.connectUrl(server.url);
    expect(agreement?.era).toBe('modern');
    hold.release();
    await engine.row(id, (row) => row.kind === 'result' && row.method === 'initialize');
    await engine.call('sessions/close', { sessionId: id });
    expect(new Set(methodsOf(server))).toEqual(new Set(['POST']));
  });
});

describe('in the legacy era', () => {
  test('nothing is asked before the server has taken notifications/initialized', async () => {
    const hold = new Hold();
    const server = await serve({
      handlers: {
        'notifications/initialized': async () => {
          await hold.released;
          return undefined;
        },
      },
    });
    const connecting = engine.connectUrl(server.url, { era: 'legacy' });
    await server.receivedMethod('notifications/initialized');
    await server.received(({ method }) => method === 'GET');
    const [session] = await engine.call('sessions/list', {});
    expect(session?.phase).toBe('initializing');
    expect((await engine.rows(session?.id ?? '')).filter((row) => row.method === 'tools/list')).toEqual([]);
    hold.release();
    expect(await connecting).toMatchObject({ phase: 'ready', toolCount: 1 });
  });

  test('a server that never answers notifications/initialized is gone on with after a while', async () => {
    const server = await serve({
      handlers: { 'notifications/initialized': () => new Promise<undefined>(() => {}) },
    });
    const session = await engine.connectUrl(server.url, { era: 'legacy', timeouts: { ...defaultTimeouts } });
    expect(session).toMatchObject({ phase: 'ready', toolCount: 1 });
  });

  test('disconnecting while that answer is waited for ends at once', async () => {
    const server = await serve({
      handlers: { 'notifications/initialized': () => new Promise<undefined>(() => {}) },
    });
    const connecting = engine.connectUrl(server.url, { era: 'legacy' });
    await server.receivedMethod('notifications/initialized');
    const [session] = await engine.call('sessions/list', {});
    await engine.call('sessions/close', { sessionId: session?.id ?? '' });
    expect(await connecting).toMatchObject({ phase: 'closed', fault: null, toolCount: null });
    expect(server.requests.at(-1)?.method).toBe('DELETE');
  });

  test('a stream that ends while that answer is waited for ends the session', async () => {
    const server = await serveSse({
      handlers: {
        'notifications/initialized': (_, { stream }) => {
          stream.end();
          return new Promise<undefined>(() => {});
        },
      },
    });
    const session = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'server-ended' } });
    expect(session.reason).toContain('event stream ended');
  });
});
