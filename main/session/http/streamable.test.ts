import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import { member } from '#fixtures/misbehaving/message.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';
import { goodClient, type SessionView } from '#shared/contract/sessions.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const legacy = (server: ScriptedHttpServer) => engine.connectUrl(server.url, { era: 'legacy' });
const standingOf = ({ http }: SessionView) => http?.streams.find(({ kind }) => kind === 'standing');
const standing = (sessionId: string, state: string) =>
  engine.until(async () => {
    const stream = standingOf(await engine.session(sessionId));
    return stream?.state === state ? stream : null;
  });

describe('the standing stream', () => {
  test('is opened after initialize, and carries what the server sends unasked', async () => {
    const server = await serve({});
    const { id } = await legacy(server);
    await standing(id, 'open');
    await server.push(
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { id: 'e1' },
    );
    const row = await engine.row(id, ({ method }) => method === 'notifications/message');
    const rows = await engine.rows(id);
    expect(rows[row.exchange ?? -1]).toMatchObject({
      kind: 'http',
      method: 'GET',
      status: 'receiving',
      code: 200,
    });
    expect(standingOf(await engine.session(id))).toMatchObject({ events: 1, lastEventId: 'e1' });
  });

  test('is no failure when the server has none', async () => {
    const server = await serve({ standing: false });
    const { id } = await legacy(server);
    await standing(id, 'refused');
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('is taken up again where it left, as soon as the server allows', async () => {
    const server = await serve({
      onStanding: (stream, { received }) => {
        if (received.header('last-event-id') === undefined) {
          stream.raw('retry: 1\nid: e7\ndata:\n\n');
          stream.end();
        }
      },
    });
    const { id } = await legacy(server);
    const again = await server.received(
      ({ headers: _, ...request }) => request.header?.('last-event-id') === 'e7',
    );
    expect(again.method).toBe('GET');
    const stream = await standing(id, 'open');
    expect(stream).toMatchObject({ retry: 1, lastEventId: 'e7' });
  });

  test('answers requests of the server by a POST of its own', async () => {
    const server = await serve({});
    const { id } = await legacy(server);
    await standing(id, 'open');
    await server.push({ jsonrpc: '2.0', id: 'p-1', method: 'ping' });
    const pong = await server.received(({ messages }) => messages.some((message) => message.id === 'p-1'));
    expect(pong.messages).toEqual([{ jsonrpc: '2.0', id: 'p-1', result: {} }]);
    await engine.row(id, (row) => row.kind === 'result' && row.id === '"p-1"');
  });
});

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
      intercept: (exchange, app) => {
        if (exchange.received.header('last-event-id') !== 'begin') return false;
        const call = app.requests
          .flatMap(({ messages }) => messages)
          .find(({ method }) => method === 'tools/call');
        const stream = exchange.stream();
        stream.send({ jsonrpc: '2.0', id: call?.id, result: { content: [] } }, { id: 'end' });
        stream.end();
        return true;
      },
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

  test('of several requests at once each finds its own', async () => {
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

describe('a session that the server let expire', () => {
  test('is opened anew, knows its log level again, and the call that met it is told', async () => {
    const server = await serve({});
    const { id, http } = await legacy(server);
    const setLevel = '{"jsonrpc":"2.0","id":900,"method":"logging/setLevel","params":{"level":"debug"}}';
    await engine.call('sessions/send', {
      sessionId: id,
      bytes: { as: 'text', text: setLevel },
      headers: null,
    });
    await engine.row(id, (row) => row.kind === 'result' && row.id === '900');
    server.expire();
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'protocol-error', error: { message: 'Session not found' } });
    const renewed = await engine.until(async () => {
      const view = await engine.session(id);
      return view.phase === 'ready' && view.http?.renewed === 1 ? view : null;
    });
    expect(renewed.http?.sessionId).not.toBe(http?.sessionId);
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    const levels = server.requests.flatMap(({ messages }) =>
      messages.filter(({ method }) => method === 'logging/setLevel').map(({ params }) => params?.level),
    );
    expect(levels).toEqual(['debug', 'debug']);
    const initialize = server.requests.filter(({ messages }) => messages[0]?.method === 'initialize');
    expect(initialize.map((request) => request.header('mcp-session-id'))).toEqual([undefined, undefined]);
  });

  test('stays as it is when the switch says so', async () => {
    const server = await serve({});
    const { id, serverId } = await legacy(server);
    await engine.call('sessions/set-switches', { serverId, switches: { ...goodClient, keepExpired: true } });
    server.expire();
    for (let count = 0; count < 2; count++) {
      const call = await engine.callTool(id, 'echo', { message: 'hi' });
      expect(call.state).not.toBe('ok');
    }
    expect(server.requests.filter(({ messages }) => messages[0]?.method === 'initialize')).toHaveLength(1);
  });
});

describe('giving a request up', () => {
  const never = { 'tools/call': () => new Promise<undefined>(() => {}) };

  test('is told by a notification in the legacy era', async () => {
    const server = await serve({ handlers: never });
    const { id } = await legacy(server);
    const call = await engine.call('calls/start', {
      sessionId: id,
      tool: 'echo',
      arguments: '{}',
      timeout: null,
    });
    await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'enough' });
    const told = await server.receivedMethod('notifications/cancelled');
    expect(told.messages[0]?.params).toEqual({ requestId: call.requestId, reason: 'enough' });
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
    const call = await engine.call('calls/start', {
      sessionId: id,
      tool: 'echo',
      arguments: '{}',
      timeout: null,
    });
    await engine.until(async () => ((await engine.session(id)).http?.streams.length === 1 ? true : null));
    await engine.call('calls/cancel', { sessionId: id, callId: call.id });
    await left.released;
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'cancelled' });
    await engine.row(id, (row) => row.row === call.requestRow && row.status === 'cancelled');
    expect(server.requests.flatMap(({ messages }) => messages.map(({ method }) => method))).not.toContain(
      'notifications/cancelled',
    );
  });

  test('comes by itself after the time, which progress starts anew unless told not to', async () => {
    const server = await serve({
      handlers: {
        'tools/call': async ({ id, params }, exchange) => {
          const stream = exchange.stream();
          const progressToken = member(params?._meta, 'progressToken');
          for (let progress = 1; progress <= 6; progress++) {
            stream.send({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken, progress },
            });
            await new Promise((resolve) => setTimeout(resolve, 200));
          }
          stream.send({ jsonrpc: '2.0', id, result: { content: [] } });
          stream.end();
          return undefined;
        },
      },
    });
    const { id } = await legacy(server);
    const start = (options: object) =>
      engine.call('calls/start', { sessionId: id, tool: 'echo', arguments: '{}', timeout: 700, ...options });
    const patient = await start({});
    const strict = await start({ resetOnProgress: false });
    const bounded = await start({ maxTimeout: 500 });
    expect((await engine.ended(id, strict.id)).state).toBe('timed-out');
    expect((await engine.ended(id, bounded.id)).state).toBe('timed-out');
    expect((await engine.ended(id, patient.id)).state).toBe('ok');
    // What comes after that is on record, and harms nobody.
    const late = await engine.row(id, (row) => row.status === 'late' && row.kind === 'result');
    expect([strict.requestRow, bounded.requestRow]).toContain(late.pair);
  });
});

test('a stream can be asked for by hand, from any event on', async () => {
  const server = await serve({
    onStanding: (stream, { received }) => {
      if (received.header('last-event-id') !== 'e3') return;
      stream.send({ jsonrpc: '2.0', method: 'notifications/again' }, { id: 'e4' });
      stream.end();
    },
  });
  const { id } = await legacy(server);
  const { row } = await engine.call('sessions/resume-stream', { sessionId: id, lastEventId: 'e3' });
  const again = await engine.row(id, ({ method }) => method === 'notifications/again');
  expect(again.exchange).toBe(row);
  const stream = await engine.until(async () => {
    const { http } = await engine.session(id);
    return http?.streams.find((one) => one.row === row && one.state === 'closed') ?? null;
  });
  expect(stream).toMatchObject({ events: 1, lastEventId: 'e4', resumed: 1 });
});

describe('breaking a stream off on purpose', () => {
  test('is no cancellation: what can be resumed is', async () => {
    const opened = new Hold();
    const server = await serve({
      handlers: {
        'tools/call': (_, exchange) => {
          exchange.stream().raw('retry: 1\nid: begin\ndata:\n\n');
          opened.release();
          return undefined;
        },
      },
      intercept: (exchange, app) => {
        if (exchange.received.header('last-event-id') !== 'begin') return false;
        const call = app.requests
          .flatMap(({ messages }) => messages)
          .find(({ method }) => method === 'tools/call');
        const stream = exchange.stream();
        stream.send({ jsonrpc: '2.0', id: call?.id, result: { content: [] } });
        stream.end();
        return true;
      },
    });
    const { id } = await legacy(server);
    const call = await engine.call('calls/start', {
      sessionId: id,
      tool: 'echo',
      arguments: '{}',
      timeout: null,
    });
    const stream = await engine.until(async () => {
      const { http } = await engine.session(id);
      return http?.streams.find(({ kind, lastEventId }) => kind === 'answer' && lastEventId !== null) ?? null;
    });
    await engine.call('sessions/drop-stream', { sessionId: id, exchange: stream.exchange });
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
    expect(server.requests.flatMap(({ messages }) => messages.map(({ method }) => method))).not.toContain(
      'notifications/cancelled',
    );
    const rows = await engine.rows(id);
    expect(rows.find((row) => row.kind === 'http' && row.status === 'cancelled')).toBeDefined();
  });

  test('ends the session over HTTP+SSE, with the reason', async () => {
    const server = await serveSse();
    const { id } = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
    for (const stream of server.streams.values()) stream.end();
    const ended = await engine.settled(id, ['failed', 'closed']);
    expect(ended).toMatchObject({ phase: 'failed' });
    expect(ended.reason).toContain('event stream ended');
  });
});

test('a session that was closed has told the server, and a server that says 405 to that is fine', async () => {
  const server = await serve({
    intercept: (exchange) => {
      if (exchange.received.method !== 'DELETE') return false;
      exchange.reply(405);
      return true;
    },
  });
  const { id } = await legacy(server);
  await engine.call('sessions/close', { sessionId: id });
  expect(await engine.session(id)).toMatchObject({ phase: 'closed' });
  expect(server.requests.at(-1)?.method).toBe('DELETE');
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
