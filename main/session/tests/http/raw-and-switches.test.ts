import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';
import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import { plainHttpSettings, defaultClientProfile, noKeepAlive } from '#shared/contract/servers.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const broken = Buffer.from('{"half": "ÿ', 'latin1');
const send = (sessionId: string, bytes: Buffer, headers: [string, string][] | null = null) =>
  engine.call('sessions/send', {
    sessionId,
    bytes: { as: 'base64', base64: bytes.toString('base64') },
    headers,
  });

describe('bytes sent manually go out exactly as they are', () => {
  test('over Streamable HTTP, with the headers of an ordinary message', async () => {
    const server = await serve();
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    const { row } = await send(id, broken);
    const got = await server.received(({ body }) => body.equals(broken));
    expect(got.header('content-type')).toBe('application/json');
    expect(got.header('mcp-session-id')).toBeDefined();
    const rows = await engine.rows(id);
    expect(rows[row]).toMatchObject({
      kind: 'noise',
      noise: 'not-utf8',
      direction: 'out',
      size: broken.length,
    });
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test('over Streamable HTTP, with headers of the caller’s choice in their order and case', async () => {
    const server = await serve();
    const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
    const headers: [string, string][] = [
      ['x-ODD', '1'],
      ['X-odd', '2'],
      ['Content-Type', 'text/plain'],
    ];
    await send(id, Buffer.from('not json'), headers);
    const got = await server.received(({ body }) => body.toString() === 'not json');
    expect(got.headers.filter(([name]) => /^(x-odd|content-type|accept)$/i.test(name))).toEqual(headers);
  });

  test('over HTTP+SSE', async () => {
    const server = await serveSse();
    const { id } = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
    await send(id, broken);
    expect((await server.received(({ body }) => body.equals(broken))).method).toBe('POST');
  });

  test('over stdio, on a line of their own', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const { row } = await send(id, broken);
    const rows = await engine.rows(id);
    expect(rows[row]).toMatchObject({ kind: 'noise', direction: 'out', size: broken.length });
    const { base64 } = await engine.call('trace/bytes', { sessionId: id, row, from: 0, count: 100 });
    expect(Buffer.from(base64, 'base64')).toEqual(broken);
    expect(await engine.callTool(id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test('and a batch is answered, each request by its id, none of which is used again', async () => {
    const server = await serve();
    const { id } = await engine.connectUrl(server.url, { revision: '2025-03-26' });
    const batch = '[{"jsonrpc":"2.0","id":500,"method":"ping"},{"jsonrpc":"2.0","id":501,"method":"ping"}]';
    const { row } = await send(id, Buffer.from(batch));
    const pong = await engine.row(id, (one) => one.kind === 'result' && one.id === '501');
    expect(pong).toMatchObject({ batch: 2, position: 1, pair: row + 1 });
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call.requestId).toBe(502);
  });
});

describe('client switches', () => {
  /** A saved server with its switches turned before it is connected. */
  async function connect(server: ScriptedHttpServer, switches: Partial<Switches>, era: 'legacy' | 'modern') {
    const saved = await engine.call('servers/save', {
      id: null,
      settings: {
        name: 'under test',
        transport: plainHttpSettings(server.url),
        era,
        revision: null,
        timeouts: { initialize: 5000, request: 5000, requestMax: 5000 },
        keepAlive: noKeepAlive,
        client: defaultClientProfile,
        notes: '',
      },
    });
    const all = { ...switchesOff, ...switches };
    await engine.call('sessions/set-switches', { serverId: saved.id, switches: all });
    expect(await engine.call('sessions/switches', { serverId: saved.id })).toEqual(all);
    return engine.reconnect(saved.id);
  }

  test('are on record and in the session’s view, and say nothing when all are off', async () => {
    const server = await serve();
    const { id, switchesOn } = await connect(
      server,
      { omitSessionId: true, noStandingStream: true },
      'legacy',
    );
    expect(switchesOn).toEqual(['Mcp-Session-Id left out', 'no GET stream']);
    const row = await engine.row(id, ({ kind }) => kind === 'switches');
    expect(row.summary).toContain('Mcp-Session-Id left out');

    const good = await engine.connectUrl(server.url, { era: 'legacy' });
    expect(good.switchesOn).toEqual([]);
    expect((await engine.rows(good.id)).map(({ kind }) => kind)).not.toContain('switches');
  });

  test('withhold notifications/initialized', async () => {
    const server = await serve();
    const { id } = await connect(server, { initialized: { how: 'withhold' } }, 'legacy');
    await engine.callTool(id, 'echo', { message: 'hi' });
    expect(server.requestsFor('notifications/initialized')).toEqual([]);
  });

  test('delay notifications/initialized, so that requests come before it', async () => {
    const server = await serve();
    await connect(server, { initialized: { how: 'delay', milliseconds: 300 } }, 'legacy');
    const late = await server.receivedMethod('notifications/initialized');
    const [list] = server.requestsFor('tools/list');
    if (list === undefined) throw new Error('no tools/list');
    expect(server.requests.indexOf(list)).toBeLessThan(server.requests.indexOf(late));
  });

  test('omit the session id, which the server then refuses', async () => {
    const server = await serve();
    const { id } = await connect(server, { omitSessionId: true }, 'legacy');
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call.state).toBe('protocol-error');
    expect(server.requestsFor('tools/call')[0]?.header('mcp-session-id')).toBeUndefined();
  });

  test('open no GET stream, and close one that is open', async () => {
    const server = await serve();
    const { id, serverId } = await engine.connectUrl(server.url, { era: 'legacy' });
    await server.until(() => (server.standing.length === 1 ? true : null));
    await engine.call('sessions/set-switches', {
      serverId,
      switches: { ...switchesOff, noStandingStream: true },
    });
    await server.until(() => (server.standing.length === 0 ? true : null));
    const before = server.requests.length;
    await engine.callTool(id, 'echo', { message: 'hi' });
    expect(server.requests.slice(before).map(({ method }) => method)).toEqual(['POST']);
  });

  test('omit or replace the version header', async () => {
    const server = await serve({ era: 'both' });
    await connect(server, { versionHeader: { how: 'replace', value: '1999-01-01' } }, 'legacy');
    expect(server.requestsFor('tools/list')[0]?.header('mcp-protocol-version')).toBe('1999-01-01');
    await connect(server, { versionHeader: { how: 'omit' } }, 'modern');
    expect(server.requestsFor('tools/list')[1]?.header('mcp-protocol-version')).toBeUndefined();
  });

  test('set the mirrored headers at odds with the body', async () => {
    const server = await serve({ era: 'modern' });
    await connect(server, { standardHeaders: 'disagree' }, 'modern');
    const method = server.requestsFor('tools/list')[0]?.header('mcp-method');
    expect(method).toBeDefined();
    expect(method).not.toBe('tools/list');
  });

  test('ask for no progress, where every request otherwise has its id as the token', async () => {
    const server = await serve();
    const tokenOf = (at: number) => server.requestsFor('tools/list')[at]?.messages[0]?.params?._meta;
    await connect(server, {}, 'legacy');
    expect(tokenOf(0)).toEqual({ progressToken: server.requestsFor('tools/list')[0]?.messages[0]?.id });
    await connect(server, { noProgressToken: true }, 'legacy');
    expect(tokenOf(1)).toBeUndefined();
  });

  test('leave _meta out, or change members of it', async () => {
    const server = await serve({ era: 'both' });
    const prefix = 'io.modelcontextprotocol/';
    const members = { [`${prefix}protocolVersion`]: '1999-01-01', [`${prefix}clientInfo`]: null, own: 1 };
    const { id } = await connect(server, { meta: { how: 'change', members } }, 'modern');
    expect(server.requestsFor('tools/list')[0]?.messages[0]?.params?._meta).toEqual({
      progressToken: 1,
      [`${prefix}protocolVersion`]: '1999-01-01',
      [`${prefix}clientCapabilities`]: defaultClientCapabilities('2026-07-28'),
      own: 1,
    });
    const error = await engine.row(id, (row) => row.kind === 'error' && row.method === 'tools/list');
    expect(error.code).toBe(-32022);
    await connect(server, { meta: { how: 'omit' }, noProgressToken: true }, 'modern');
    expect(server.requestsFor('tools/list')[1]?.messages[0]?.params?._meta).toBeUndefined();
  });
});
