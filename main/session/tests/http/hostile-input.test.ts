import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { Rejection } from '#fixtures/http/script.ts';
import { switchesOff } from '#shared/client-switches/switches.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

describe('names that would break out of a header', () => {
  const nasty = 'x\r\nX-Injected: 1\r\n\r\nGET / HTTP/1.1';

  test('of tools and mirrored values go out encoded', async () => {
    const tool = {
      name: nasty,
      inputSchema: { type: 'object', properties: { p: { type: 'string', 'x-mcp-header': 'P' } } },
    };
    const server = await serve({
      era: 'modern',
      handlers: {
        'tools/list': () => ({ tools: [tool], ttlMs: 0, cacheScope: 'private' }),
        'tools/call': () => ({ content: [] }),
      },
    });
    const { id } = await engine.connectUrl(server.url);
    expect((await engine.callTool(id, nasty, { p: nasty })).state).toBe('ok');
    const call = await server.receivedMethod('tools/call');
    const encoded = `=?base64?${Buffer.from(nasty).toString('base64')}?=`;
    expect(call.header('mcp-name')).toBe(encoded);
    expect(call.header('mcp-param-p')).toBe(encoded);
    expect(call.header('x-injected')).toBeUndefined();
    expect(server.requests.every(({ method }) => method === 'POST')).toBe(true);
  });

  test('of methods that are sent manually are encoded too', async () => {
    const server = await serve({ era: 'modern' });
    const { id } = await engine.connectUrl(server.url);
    await engine.send(id, JSON.stringify({ jsonrpc: '2.0', id: 'm', method: nasty }));
    const sent = await server.receivedMethod(nasty);
    expect(sent.header('x-injected')).toBeUndefined();
  });

  test.each([
    ['a line break', 'a\r\nX-Injected: 1'],
    ['what is no Latin-1', '日本'],
  ])('as the value of a switch: %s fails the request with a reason, and nothing else', async (_, value) => {
    const server = await serve({});
    const { id, serverId } = await engine.connectUrl(server.url, { era: 'legacy' });
    const versionHeader = { how: 'replace' as const, value };
    await engine.call('sessions/set-switches', { serverId, switches: { ...switchesOff, versionHeader } });
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'lost', fault: { code: 'http-request' } });
    await engine.call('sessions/set-switches', { serverId, switches: switchesOff });
    expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
    expect(server.requests.filter(({ header }) => header('x-injected') !== undefined)).toEqual([]);
  });

  test('as header lines of a unit sent manually fail its exchange, on record', async () => {
    const server = await serve({});
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    const { row } = await engine.send(id, '{}', [['Bad Name', 'a\nb']]);
    const rows = await engine.rows(id);
    expect(rows[rows[row]?.exchange ?? -1]).toMatchObject({ kind: 'http', status: 'failed' });
    expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
  });

  test('as the id of an event: the session goes on', async () => {
    const server = await serve({
      onStanding: (stream) => {
        stream.raw(Buffer.from('retry: 1\nid: a\u0001b\ndata:\n\n').toString());
        stream.end();
      },
    });
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    await engine.row(id, (row) => row.kind === 'http' && row.method === 'GET' && row.status === 'failed');
    expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
  });
});

test('a schema nested very deep does no harm', async () => {
  const deep = `${'{"type":"object","properties":{"a":'.repeat(5000)}{"type":"string"}${'}}'.repeat(5000)}`;
  const server = await serve({
    era: 'modern',
    intercept: (exchange) => {
      const [message] = exchange.received.messages;
      if (message?.method !== 'tools/list') return false;
      exchange.json(
        `{"jsonrpc":"2.0","id":${String(message.id)},"result":{"resultType":"complete","tools":[{"name":"deep","inputSchema":${deep}}]}}`,
      );
      return true;
    },
  });
  const { id, phase, toolCount } = await engine.connectUrl(server.url);
  expect({ phase, toolCount }).toEqual({ phase: 'ready', toolCount: 1 });
  expect((await engine.callTool(id, 'deep', {})).state).toBe('protocol-error');
});

test('a refusal of many megabytes is shown truncated', async () => {
  const long = 'x'.repeat(5_000_000);
  const server = await serve({
    handlers: {
      initialize: () => {
        throw new Rejection(-32000, long, { data: { long } });
      },
    },
  });
  const { fault } = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(JSON.stringify(fault).length).toBeLessThan(50_000);
});

describe('a unit sent manually', () => {
  const large = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { x: 'é'.repeat(1_500_000) } });

  test.each([
    ['of no bytes', ''],
    ['with line breaks', '{"jsonrpc":"2.0",\n"method":"x"}\r\n\n'],
    ['of more than a piece', large],
  ])('%s goes over HTTP as it is', async (_, text) => {
    const server = await serve({});
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    const before = server.requests.length;
    const { row } = await engine.send(id, text);
    const got = await server.received(
      (one) => server.requests.indexOf(one) >= before && one.method === 'POST',
    );
    expect(got.body.equals(Buffer.from(text))).toBe(true);
    const rows = await engine.rows(id);
    // A body of nothing has no row of its own.
    expect(rows[row]).toMatchObject(text === '' ? { kind: 'http' } : { size: Buffer.byteLength(text) });
    expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
  });

  test.each([
    ['of no bytes', ''],
    ['with line breaks', '{"jsonrpc":"2.0",\n"method":"x"}'],
    ['of more than a piece', large],
  ])('%s goes over stdio, and the session goes on', async (_, text) => {
    const { id } = await engine.connect(misbehavingServer());
    const { row } = await engine.send(id, text);
    const { base64 } = await engine.call('trace/bytes', { sessionId: id, row, from: 0, count: 1000 });
    expect(Buffer.from(base64, 'base64')).toEqual(Buffer.from(text).subarray(0, 1000));
    expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
  });

  test('is refused with a reason when there is no connection', async () => {
    const server = await serve({});
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    await engine.call('sessions/close', { sessionId: id });
    await expect(engine.send(id, '{}')).rejects.toThrow('nothing can be sent');
  });
});
