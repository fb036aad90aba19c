import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { Hold } from '#fixtures/http/hold.ts';
import { answerLastCall, onResume } from '#fixtures/http/resumption.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

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

test('a stream can be requested manually, from any event on', async () => {
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
  expect(again).toMatchObject({ exchange: row, replayed: true });
  expect((await engine.rows(id)).filter(({ replayed }) => replayed)).toHaveLength(1);
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
      intercept: onResume((exchange, app) => answerLastCall(exchange, app, { content: [] }), 'begin'),
    });
    const { id } = await legacy(server);
    const call = await engine.startTool(id, 'echo');
    const stream = await engine.until(async () => {
      const { http } = await engine.session(id);
      return http?.streams.find(({ kind, lastEventId }) => kind === 'answer' && lastEventId !== null) ?? null;
    });
    await engine.call('sessions/drop-stream', { sessionId: id, exchange: stream.exchange });
    expect(await engine.ended(id, call.id)).toMatchObject({ state: 'ok' });
    expect(server.messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
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
