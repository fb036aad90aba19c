import { beforeEach, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

/** What was sent, without the requests of an authorization for its metadata. */
const methodsOf = (server: ScriptedHttpServer) =>
  server.requests
    .filter(({ url }) => !url.startsWith('/.well-known/'))
    .map(({ method, messages }) => messages[0]?.method ?? method);

const error = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, data },
});

test.each([401, 403])('%d is authorization also when a JSON-RPC error says so', async (status) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.json(error(-32001, 'Unauthorized: a token is needed'), status);
      return true;
    },
  });
  const session = await engine.connectUrl(server.url);
  expect(session).toMatchObject({ phase: 'failed', fault: { code: `http-status-${status}` } });
  expect(session.fault?.evidence).toContain('a token is needed');
  expect(methodsOf(server)).toEqual(['server/discover']);
});

test.each([401, 403])('%d to initialize is reported as missing authorization', async (status) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.json(error(-32001, 'Unauthorized: a token is needed'), status);
      return true;
    },
  });
  const session = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(session).toMatchObject({ phase: 'failed', fault: { code: `http-status-${status}` } });
  expect(methodsOf(server)).toEqual(['initialize']);
});

test('a server that names the revisions it supports instead of ours is no server of HTTP+SSE', async () => {
  const server = await serve({
    intercept: (exchange) => {
      const data = { supported: ['2024-11-05'], requested: '1999-01-01' };
      exchange.json(error(-32602, 'Unsupported protocol version', data), 400);
      return true;
    },
  });
  const session = await engine.connectUrl(server.url, { era: 'legacy', revision: '1999-01-01' });
  expect(session).toMatchObject({
    phase: 'failed',
    fault: { code: 'revision-refused' },
    remedies: [{ kind: 'revision', revision: '2024-11-05' }],
  });
  expect(methodsOf(server)).toEqual(['initialize']);
});

test('a modern server that refuses initialize is no server of HTTP+SSE', async () => {
  const server = await serve({ era: 'modern' });
  const session = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(session.phase).toBe('failed');
  expect(session.fault?.what).toContain('initialize');
  expect(methodsOf(server)).toEqual(['initialize']);
});

test.each([400, 404, 405])('after a refusal with %d HTTP+SSE is tried', async (status) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.reply(status);
      return true;
    },
  });
  const session = await engine.connectUrl(server.url);
  expect(session.phase).toBe('failed');
  expect(session.fault?.what).toContain('neither Streamable HTTP nor HTTP+SSE');
  expect(methodsOf(server)).toEqual(['server/discover', 'initialize', 'GET']);
});

test.each([402, 407, 408, 413, 429, 500, 503])('after %d it is not', async (status) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.reply(status);
      return true;
    },
  });
  const session = await engine.connectUrl(server.url);
  expect(session).toMatchObject({ phase: 'failed', fault: { code: `http-status-${status}` } });
  expect(methodsOf(server)).toEqual(['server/discover', 'initialize']);
});

test('a POST that is redirected to where it is refused leads to HTTP+SSE as well', async () => {
  const server = await bench.serveSse({
    intercept: ({ received, ...exchange }) => {
      if (received.method !== 'POST' || received.url !== '/sse') return false;
      exchange.response.writeHead(307, { Location: '/elsewhere' }).end();
      return true;
    },
  });
  const session = await engine.connectUrl(server.url);
  expect(session).toMatchObject({ phase: 'ready', transport: 'http-sse' });
});
