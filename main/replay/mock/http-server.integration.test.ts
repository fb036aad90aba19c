import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { MockHttpServer } from './http-server.ts';
import { noLatency } from './latency.ts';
import { Mock } from './mock.ts';
import { Recording } from './recording.ts';

let trace: TraceOf;
let server: MockHttpServer;
beforeAll(async () => {
  trace = await TraceOf.begin();
  trace.message('out', '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
  trace.message('in', '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{}}}');
  trace.message('out', '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  trace.message('in', '{"jsonrpc":"2.0","id":"r","method":"roots/list"}');
  trace.message('out', '{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}');
  trace.message(
    'in',
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"rooted"}}',
  );
  trace.message('out', '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}');
  trace.message('in', '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}');
  const recording = await Recording.of(trace, 'session.mcptrace');
  const options = {
    match: 'context',
    latency: noLatency,
    forward: null,
    faults: null,
    onExchange: () => undefined,
  } as const;
  server = await MockHttpServer.listen(new Mock([recording], options), 0);
});
afterAll(async () => {
  await server.close();
  await trace.close();
});

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } });

const post = (body: unknown, headers: Record<string, string> = {}, path = '') =>
  fetch(server.url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Begins a session; returns the header that names it. */
async function begin(): Promise<{ 'Mcp-Session-Id': string }> {
  const opened = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  expect(await opened.json()).toMatchObject({ id: 1, result: { protocolVersion: '2025-03-26' } });
  return { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
}

/** Status of a request with header lines that fetch does not let a page choose. */
const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(server.url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'ping' }));
  });

test('answers local pages and programs only', async () => {
  const { port, host } = new URL(server.url);
  expect(await statusWith({ host: 'evil.example' })).toBe(403);
  expect(await statusWith({ host: `evil.example:${port}` })).toBe(403);
  expect(await statusWith({ origin: 'http://evil.example' })).toBe(403);
  expect(await statusWith({ origin: 'null' })).toBe(403);
  expect(await statusWith({ origin: `http://${host}` })).toBe(200);
  expect(await statusWith({ host: `localhost:${port}` })).toBe(200);
  expect((await post(call(1), {}, '/other')).status).toBe(404);
});

test('each session begins at the start of the recording, under an id of its own', async () => {
  const [one, other] = [await begin(), await begin()];
  expect(one).not.toEqual(other);
  for (const session of [one, other])
    expect(await (await post(call(7), session)).json()).toMatchObject({ id: 7, result: {} });
  const again = await post(call(8), one);
  expect(await again.json()).toMatchObject({ id: 8, error: { data: { mock: 'used-up' } } });
  expect((await fetch(server.url, { method: 'DELETE', headers: one })).status).toBe(200);
  expect((await post(call(9), one)).status).toBe(404);
});

test('what belongs to no request comes on the stream of a GET, and waits until it is open', async () => {
  const session = await begin();
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
  const stream = await fetch(server.url, { headers: { ...session, Accept: 'text/event-stream' } });
  const events = (stream.body ?? new ReadableStream<Uint8Array>())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const { value: asked } = await events.read();
  expect(asked).toMatch(/^event: message\ndata: .*"roots\/list".*\n\n$/);
  const id: unknown = JSON.parse(/"id":(\d+)/.exec(asked ?? '')?.[1] ?? '');
  await post({ jsonrpc: '2.0', id, result: { roots: [] } }, session);
  expect((await events.read()).value).toContain('rooted');
  await events.cancel();
});

test('a client that accepts no streams gets JSON', async () => {
  const session = await begin();
  const answer = await post(call(3), { ...session, Accept: 'application/json' });
  expect(await answer.json()).toMatchObject({ id: 3, result: {} });
});

test('batches are answered one by one, and what is no message is refused', async () => {
  const session = await begin();
  const batch = await post([call(1), { jsonrpc: '2.0', id: 2, method: 'ping' }], session);
  expect(batch.headers.get('content-type')).toBe('text/event-stream');
  expect(new Set([...(await batch.text()).matchAll(/"id":(\d)/g)].map(([, id]) => id))).toEqual(
    new Set(['1', '2']),
  );
  const bad = await post('{"half', session);
  expect([bad.status, await bad.json()]).toEqual([
    400,
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
  ]);
  expect((await post({ id: 1 }, session)).status).toBe(400);
  expect((await fetch(server.url, { method: 'PUT', headers: session })).status).toBe(405);
});

test('a port that is taken is reported', async () => {
  const options = {
    match: 'context',
    latency: noLatency,
    forward: null,
    faults: null,
    onExchange: () => undefined,
  } as const;
  const port = Number(new URL(server.url).port);
  await expect(MockHttpServer.listen(new Mock([], options), port)).rejects.toThrow(/cannot listen on port/);
});
