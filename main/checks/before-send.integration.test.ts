import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { startEverything, everythingOverStdio } from '#fixtures/http/start-server.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import type { Warning } from '#shared/contract/composer.ts';

/** What the composer is told before a message is sent, in real sessions. */

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const check = async (sessionId: string, message: unknown, revision: string | null = null) => {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const { warnings } = await engine.call('composer/check', {
    sessionId,
    bytes: { as: 'text', text },
    revision,
  });
  return warnings;
};
const rulesOf = (warnings: readonly Warning[]) => warnings.map(({ rule }) => rule);
const request = (id: number | string, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

describe('before a message is sent to server-everything', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await engine.connect(everythingOverStdio));
  });

  test('a correct one is not warned of, and the next id is unused', async () => {
    const { nextId, meta } = await engine.call('composer/context', { sessionId: id });
    expect(meta).toBeNull();
    const call = request(nextId, 'tools/call', { name: 'echo', arguments: { message: 'hi' } });
    expect(await check(id, call)).toEqual([]);
    await engine.call('sessions/send', {
      sessionId: id,
      bytes: { as: 'text', text: JSON.stringify(call) },
      headers: null,
      composed: 'sent',
    });
    const after = await engine.call('composer/context', { sessionId: id });
    expect(after.nextId).toBe(nextId + 1);
    // What is sent meanwhile takes other ids.
    await engine.callTool(id, 'echo', { message: 'hi' });
    expect(await check(id, request(after.nextId, 'ping'))).toEqual([]);
  });

  test('an id used before is named with its row', async () => {
    const sent = request(900, 'ping');
    const { row } = await engine.call('sessions/send', {
      sessionId: id,
      bytes: { as: 'text', text: JSON.stringify(sent) },
      headers: null,
    });
    expect(await check(id, sent)).toMatchObject([
      { rule: 'jsonrpc/id-reused', severity: 'error', pointer: '/id', row },
    ]);
    // The string is another id.
    expect(await check(id, request('900', 'ping'))).toEqual([]);
    expect(rulesOf(await check(id, [request(901, 'ping'), request(901, 'ping')], '2025-03-26'))).toEqual([
      'jsonrpc/id-reused',
    ]);
  });

  test('a batch outside 2025-03-26 is named, and initialize in one', async () => {
    const batch = [request(901, 'ping')];
    expect(rulesOf(await check(id, batch))).toEqual(['jsonrpc/batch-in-unsupported-revision']);
    expect(await check(id, batch, '2025-03-26')).toEqual([]);
    expect(rulesOf(await check(id, batch, '2024-11-05'))).toEqual(['jsonrpc/batch-in-2024-11-05']);
    const params = {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    expect(await check(id, [request(902, 'initialize', params)], '2025-03-26')).toMatchObject([
      {
        severity: 'error',
        pointer: '/0/method',
        text: expect.stringContaining('must not be part of a batch'),
      },
    ]);
  });

  test('methods are named that are unknown, of another revision, or not for a client', async () => {
    expect(await check(id, request(901, 'tools/lst'))).toMatchObject([
      { rule: null, text: 'No revision of MCP has the method "tools/lst"', pointer: '/method' },
    ]);
    const outside = 'version/message-not-in-negotiated-revision';
    expect(rulesOf(await check(id, request(901, 'server/discover')))).toEqual([outside]);
    expect(rulesOf(await check(id, request(901, 'roots/list')))).toEqual([outside]);
  });

  test('what the schema forbids is named with its place', async () => {
    expect(await check(id, request(901, 'tools/call', { name: 7 }))).toMatchObject([
      { rule: 'schema/invalid', pointer: '/params/name' },
    ]);
  });

  test('a capability that was not declared is named', async () => {
    const warnings = await check(id, { jsonrpc: '2.0', method: 'notifications/elicitation/complete' });
    expect(rulesOf(warnings)).toContain('version/message-not-in-negotiated-revision');
    const { id: misses } = await engine.connect(everythingOverStdio, {
      client: { ...(await profileWithoutRoots()) },
    });
    const changed = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    expect(await check(misses, changed)).toMatchObject([
      { text: 'This client did not declare the capability roots.listChanged' },
    ]);
    expect(await check(id, changed)).toEqual([]);
  });

  test('keys of _meta are named that are malformed or reserved', async () => {
    const meta = (key: string) => request(901, 'ping', { _meta: { [key]: 1 } });
    expect(await check(id, meta('com.example/my-key'))).toEqual([]);
    expect(await check(id, meta('io.modelcontextprotocol/logLevel'))).toEqual([]);
    for (const reserved of [
      'modelcontextprotocol.io/a',
      'mcp.dev/a',
      'api.modelcontextprotocol.org/a',
      'tools.mcp.com/a',
    ])
      expect(rulesOf(await check(id, meta(reserved))), reserved).toEqual(['meta/reserved-prefix-used']);
    expect(rulesOf(await check(id, meta('1a.b/c')))).toEqual(['meta/invalid-key-prefix']);
    expect(rulesOf(await check(id, meta('a.b/-c')))).toEqual(['meta/invalid-key-name']);
    expect(await check(id, meta('1a.b/c'), '2025-03-26')).toEqual([]);
    const wrong = request(901, 'ping', { _meta: [] });
    expect(rulesOf(await check(id, wrong))).toContain('meta/not-object');
  });

  test('a response needs a waiting request of the server', async () => {
    expect(rulesOf(await check(id, { jsonrpc: '2.0', id: 77, result: {} }))).toEqual([
      'jsonrpc/unknown-response-id',
    ]);
  });

  test('malformed text is named, and line breaks, which stdio would cut at', async () => {
    expect(await check(id, '{"jsonrpc":')).toMatchObject([
      { rule: null, text: expect.stringContaining('Half a JSON value') },
    ]);
    expect(rulesOf(await check(id, '{"jsonrpc":"2.0",\n"id":901,"method":"ping"}'))).toEqual([
      'stdio/embedded-newline',
    ]);
    const ping = '{"jsonrpc":"2.0","id":901,"method":"ping"}';
    expect(rulesOf(await check(id, `${ping}\n${ping}`))).toEqual(['stdio/embedded-newline']);
    expect(await check(id, `${ping}\n${ping}{}`)).toMatchObject([
      { rule: 'stdio/embedded-newline' },
      { rule: null, text: expect.stringContaining('Line 2: Several JSON values on one line') },
    ]);
    expect(rulesOf(await check(id, '{"jsonrpc":"1.0","id":901,"method":"ping"}'))).toEqual([
      'jsonrpc/version',
    ]);
  });

  async function profileWithoutRoots() {
    const { defaultClientProfile } = await import('#shared/contract/servers.ts');
    return { ...defaultClientProfile, capabilities: {} };
  }
});

describe('over HTTP', () => {
  test('the header lines are told, credentials are not, and a change of them goes with one message', async () => {
    const server = await ScriptedHttpServer.open();
    try {
      const { id } = await engine.connectUrl(server.url, {
        era: 'legacy',
        http: {
          headers: [
            { name: 'Authorization', value: 'Bearer abc123def456', secret: false },
            { name: 'X-Pin', value: '1234', secret: false },
          ],
        },
      });
      const text = JSON.stringify(request(900, 'ping'));
      const { headers } = await engine.call('composer/check', {
        sessionId: id,
        bytes: { as: 'text', text },
        revision: null,
      });
      expect(headers).toContainEqual(['Accept', 'application/json, text/event-stream']);
      expect(headers).toContainEqual(['Authorization', '[secret]']);
      expect(headers).toContainEqual(['X-Pin', '[secret]']);
      await engine.call('sessions/send', {
        sessionId: id,
        bytes: { as: 'text', text },
        headers: null,
        headerChanges: [
          { name: 'accept', value: null },
          { name: 'Content-Type', value: 'text/plain' },
          { name: 'X-Own', value: '1' },
        ],
        composed: 'anyway',
      });
      const got = await server.received(({ body }) => body.toString() === text);
      expect(got.header('accept')).toBeUndefined();
      expect(got.header('content-type')).toBe('text/plain');
      expect(got.header('x-own')).toBe('1');
      expect(got.header('authorization')).toBe('Bearer abc123def456');
      const rows = await engine.rows(id);
      expect(rows.find((row) => row.id === '900' && row.kind === 'request')).toMatchObject({
        composed: 'anyway',
        automatic: false,
      });
    } finally {
      await server.close();
    }
  });

  test('a request without a response is cancelled after the timeout of its send', async () => {
    const server = await startEverything('streamableHttp');
    try {
      const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
      const params = { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 2 } };
      const { row } = await engine.call('sessions/send', {
        sessionId: id,
        bytes: { as: 'text', text: JSON.stringify(request(900, 'tools/call', params)) },
        headers: null,
        timeout: 200,
      });
      const cancelled = await engine.row(id, (one) => one.method === 'notifications/cancelled');
      expect(cancelled).toMatchObject({ direction: 'out', automatic: true, parent: row });
    } finally {
      await server.close();
    }
  });
});
