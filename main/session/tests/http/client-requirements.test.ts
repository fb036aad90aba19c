import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { answerLastCall, onResume } from '#fixtures/http/resumption.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

test('no request names an Origin, unless the user gives the server one', async () => {
  const server = await serve();
  const plain = await engine.connectUrl(server.url);
  await server.received(({ method }) => method === 'GET');
  await engine.call('sessions/close', { sessionId: plain.id });
  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
  expect(server.requests.map((request) => request.header('origin'))).toEqual(
    server.requests.map(() => undefined),
  );

  const place = server.requests.length;
  const origin = { name: 'Origin', value: 'http://evil.example', secret: false };
  await engine.connectUrl(server.url, { http: { headers: [origin] } });
  expect(server.requests[place]?.header('origin')).toBe('http://evil.example');
});

test('the standing stream is asked for after notifications/initialized', async () => {
  const server = await serve();
  const { id, http } = await engine.connectUrl(server.url, { era: 'legacy' });
  const get = await server.received(({ method }) => method === 'GET');
  expect(get.header('accept')).toBe('text/event-stream');
  expect(get.header('mcp-session-id')).toBe(http?.sessionId);
  const rows = await engine.rows(id);
  const initialized = rows.findIndex(({ method }) => method === 'notifications/initialized');
  expect(initialized).toBeGreaterThan(0);
  expect(rows.findIndex(({ method }) => method === 'GET')).toBeGreaterThan(initialized);
});

test.each([
  ['200 with a body', 200, '{"ok":true}'],
  ['204', 204, ''],
  ['202 with a body', 202, 'Accepted'],
])('a notification may be answered with %s, which is on record and no answer', async (_, status, body) => {
  const server = await serve({
    intercept: (exchange) => {
      if (exchange.received.messages[0]?.method !== 'notifications/initialized') return false;
      exchange.reply(status, { 'Content-Type': 'application/json' }, body);
      return true;
    },
  });
  const { id, phase } = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(phase).toBe('ready');
  const notification = await engine.row(id, ({ method }) => method === 'notifications/initialized');
  const exchange = await engine.row(id, ({ row, code }) => row === notification.exchange && code !== null);
  expect(exchange.code).toBe(status);
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
});

test.each([
  ['Application/JSON; charset=utf-8', (text: string) => text],
  ['TEXT/event-stream; charset=utf-8', (text: string) => `data: ${text}\n\n`],
])('an answer is read by its media type, whatever case and parameters: %s', async (type, wrap) => {
  const server = await serve({
    handlers: {
      'tools/call': ({ id }, exchange) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } });
        exchange.reply(200, { 'content-TYPE': type }, wrap(text));
        return undefined;
      },
    },
  });
  const { id } = await engine.connectUrl(server.url);
  expect(await engine.callTool(id, 'echo')).toMatchObject({ state: 'ok', fault: null });
});

test('the session id is known in whatever case its header is written', async () => {
  const server = await serve({
    sessions: false,
    handlers: {
      initialize: ({ params }, exchange) => {
        exchange.headers['mCP-sESSION-iD'] = 'MiXed-Case_!~';
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'odd', version: '1' },
        };
      },
    },
  });
  const { http } = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(http?.sessionId).toBe('MiXed-Case_!~');
  expect(server.requestsFor('tools/list')[0]?.header('mcp-session-id')).toBe('MiXed-Case_!~');
});

test('a stream whose connection broke before the answer is resumed from its last event', async () => {
  const server = await serve({
    handlers: {
      'tools/call': (_, exchange) => {
        const stream = exchange.stream();
        stream.raw('retry: 1\nid: half-way\ndata:\n\n');
        stream.cut();
        return undefined;
      },
    },
    intercept: onResume((exchange, app) => answerLastCall(exchange, app, { content: [] }), 'half-way'),
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const call = await engine.callTool(id, 'echo');
  expect(call.state).toBe('ok');
  const { exchange } = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
  expect(exchange?.end).toMatchObject({ how: 'cut', failure: { step: 'body' } });
});

describe('leaving', () => {
  test('does not wait forever for a server that leaves DELETE unanswered', async () => {
    const server = await serve({ intercept: (exchange) => exchange.received.method === 'DELETE' });
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    await engine.call('sessions/close', { sessionId: id });
    expect(await engine.session(id)).toMatchObject({ phase: 'closed' });
    const left = await engine.row(id, (row) => row.kind === 'http' && row.method === 'DELETE');
    expect(left.status).toBe('cancelled');
  });

  test('tells the server, and one that does not let sessions be ended is a row that says so', async () => {
    const server = await serve({
      intercept: (exchange) => {
        if (exchange.received.method !== 'DELETE') return false;
        exchange.reply(405, { Allow: 'GET, POST' });
        return true;
      },
    });
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    await engine.call('sessions/close', { sessionId: id });
    expect(await engine.session(id)).toMatchObject({ phase: 'closed', fault: null });
    expect(server.requests.at(-1)?.method).toBe('DELETE');
    const left = await engine.row(id, (row) => row.kind === 'http' && row.method === 'DELETE');
    expect(left).toMatchObject({ code: 405, status: 'error' });
  });
});

test.each([500, 503])('%d is no reason to try the older transport', async (status) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.reply(status, {}, 'out of order');
      return true;
    },
  });
  const { phase, fault } = await engine.connectUrl(server.url);
  expect({ phase, code: fault?.code }).toEqual({ phase: 'failed', code: `http-status-${status}` });
  expect(server.requests.map(({ method }) => method)).not.toContain('GET');
});

test('the endpoint of HTTP+SSE is read relative to the stream, and a POST to it may be answered with any 2xx', async () => {
  const server = await serveSse({
    endpoint: (path) => path.replace(/^\//, ''),
    handlers: {
      'notifications/initialized': (_, { exchange }) => {
        exchange.reply(204);
        return undefined;
      },
    },
  });
  const { id, http, phase } = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
  expect(phase).toBe('ready');
  expect(http?.endpoint).toMatch(new RegExp(`^${server.listening.origin}/sse/messages\\?session=`));
  const said = await engine.row(id, ({ method }) => method === 'notifications/initialized');
  await engine.row(id, ({ row, code }) => row === said.exchange && code === 204);
  expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
});
