import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import { answerLastCall, onResume } from '#fixtures/http/resumption.ts';
import { member } from '#fixtures/misbehaving/message.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const legacy = (server: ScriptedHttpServer) => engine.connectUrl(server.url, { era: 'legacy' });

describe('the answer of a request', () => {
  test.each(['json', 'sse'] as const)('comes as %s', async (answers) => {
    const server = await serve({ answers });
    const { id } = await legacy(server);
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test('comes by the stream that was resumed after the server closed it', async () => {
    const server = await serve({
      handlers: {
        'tools/call': (_, exchange) => {
          const stream = exchange.stream();
          stream.raw('retry: 1\nid: begin\ndata:\n\n');
          stream.end();
          return undefined;
        },
      },
      intercept: onResume((exchange, app) => answerLastCall(exchange, app, { content: [] }), 'begin'),
    });
    const { id } = await legacy(server);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call.state).toBe('ok');
    const { http } = await engine.session(id);
    expect(http?.streams.find(({ kind }) => kind === 'answer')).toMatchObject({
      state: 'closed',
      resumed: 1,
    });
  });

  test('is given up, with the reason, when its stream ends without it and has no ids', async () => {
    const server = await serve({
      handlers: {
        'tools/call': (_, exchange) => {
          exchange.stream().end();
          return undefined;
        },
      },
    });
    const { id } = await legacy(server);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'lost', fault: { code: 'stream-ended' } });
    expect((await engine.session(id)).phase).toBe('ready');
  });

  test('never comes after a 202, which is said at once', async () => {
    const server = await serve({
      handlers: {
        'tools/call': (_, exchange) => {
          exchange.reply(202);
          return undefined;
        },
      },
    });
    const { id } = await legacy(server);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'lost', fault: { code: 'no-answer' } });
    expect(call.fault?.why).toContain('202');
    expect((await engine.rows(id))[call.requestRow]?.status).toBe('unanswered');
  });

  test('may be an error without an id, which belongs to the request of its exchange', async () => {
    const server = await serve({
      handlers: {
        'tools/call': (_, exchange) => {
          exchange.json({ jsonrpc: '2.0', error: { code: -32000, message: 'no' } }, 400);
          return undefined;
        },
      },
    });
    const { id } = await legacy(server);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'protocol-error', error: { code: -32000, message: 'no' } });
    const rows = await engine.rows(id);
    expect(rows[call.responseRow ?? -1]).toMatchObject({ kind: 'error', pair: call.requestRow });
  });

  test('reaches its own request when several are pending', async () => {
    const hold = new Hold();
    const server = await serve({
      handlers: {
        'tools/call': async ({ params }) => {
          if (member(params?.arguments, 'message') === 'slow') await hold.released;
          return { content: [] };
        },
      },
    });
    const { id } = await legacy(server);
    const slow = engine.callTool(id, 'echo', { message: 'slow' });
    const fast = await engine.callTool(id, 'echo', { message: 'fast' });
    expect(fast.state).toBe('ok');
    hold.release();
    expect((await slow).state).toBe('ok');
  });
});

describe('giving a request up', () => {
  const never = { 'tools/call': () => new Promise<undefined>(() => {}) };

  test('sends a notification in the legacy era', async () => {
    const server = await serve({ handlers: never });
    const { id } = await legacy(server);
    const call = await engine.startTool(id, 'echo');
    await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'enough' });
    const reported = await server.receivedMethod('notifications/cancelled');
    expect(reported.messages[0]?.params).toEqual({ requestId: call.requestId, reason: 'enough' });
  });

  test('closes its stream in the modern era, and sends nothing', async () => {
    const left = new Hold();
    const server = await serve({
      era: 'modern',
      handlers: {
        'tools/call': async (_, exchange) => {
          exchange.stream();
          await exchange.left;
          left.release();
          return undefined;
        },
      },
    });
    const { id } = await engine.connectUrl(server.url);
    const call = await engine.startTool(id, 'echo');
    await engine.until(async () => ((await engine.session(id)).http?.streams.length === 1 ? true : null));
    await engine.call('calls/cancel', { sessionId: id, callId: call.id });
    await left.released;
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'cancelled' });
    await engine.row(id, (row) => row.row === call.requestRow && row.status === 'cancelled');
    expect(server.messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
  });

  test('happens automatically on timeout, which progress restarts unless that is switched off', async () => {
    const enough = new AbortController();
    const server = await serve({
      handlers: {
        'tools/call': async ({ id, params }, exchange) => {
          const stream = exchange.stream();
          const progressToken = member(params?._meta, 'progressToken');
          for (let progress = 1; !enough.signal.aborted; progress++) {
            stream.send({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken, progress },
            });
            await new Promise((resolve) => setTimeout(resolve, 100));
          }
          stream.send({ jsonrpc: '2.0', id, result: { content: [] } });
          stream.end();
          return undefined;
        },
      },
    });
    const { id } = await legacy(server);
    const start = (options: object) => engine.startTool(id, 'echo', {}, { timeout: 2000, ...options });
    const patient = await start({});
    const strict = await start({ resetOnProgress: false });
    const bounded = await start({ maxTimeout: 500 });
    expect((await engine.ended(id, strict.id)).state).toBe('timed-out');
    expect((await engine.ended(id, bounded.id)).state).toBe('timed-out');
    // It was sent before the one whose time is over.
    enough.abort();
    expect((await engine.ended(id, patient.id)).state).toBe('ok');
    // What comes after that is on record, and harms nobody.
    const late = await engine.row(id, (row) => row.status === 'late' && row.kind === 'result');
    expect([strict.requestRow, bounded.requestRow]).toContain(late.pair);
  });
});

test('time that a server needs to begin an answer is the call’s, not the connection’s', async () => {
  const hold = new Hold();
  const server = await serve({
    handlers: {
      'tools/call': async () => {
        await hold.released;
        return { content: [] };
      },
    },
  });
  const timeouts = { ...defaultTimeouts, request: 400 };
  const { id } = await engine.connectUrl(server.url, { era: 'legacy', timeouts });
  const call = await engine.callTool(id, 'echo', {});
  expect(call.state).toBe('timed-out');
  hold.release();
  const late = await engine.row(id, (row) => row.status === 'late');
  expect(late.pair).toBe(call.requestRow);
});
