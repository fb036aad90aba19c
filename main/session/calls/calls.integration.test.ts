import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  connectModern,
  connectLegacy,
  type FeatureSession,
  modernTransports,
} from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

let engine: EngineFixture;
let feature: FeatureSession;
let sessionId: string;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

const request = async (method: string, params: string | null, options = {}) => {
  const { id } = await engine.call('calls/request', { sessionId, method, params, timeout: null, ...options });
  return engine.ended(sessionId, id);
};
const textOf = async (row: number | null) =>
  (await engine.call('trace/detail', { sessionId, row: row ?? -1 })).text ?? '';

describe.each(modernTransports)('a call over %s', (transport) => {
  beforeEach(async () => {
    feature = await connectModern(engine, transport);
    sessionId = feature.session.id;
  });

  test('gives back numbers, keys that are there twice and their order as the server wrote them', async () => {
    const call = await engine.callTool(sessionId, 'odd-output');
    const { text } = await engine.call('calls/result', { sessionId, callId: call.id });
    const odd =
      '[{"id":9007199254740993,"id":"again","ratio":1.10},123456789012345678901234567890,-0,"\\u0041"]';
    expect(text).toContain(`"structuredContent":${odd}`);
    expect(await textOf(call.responseRow)).toContain(odd);
  });

  test('sends arguments and params as they are written', async () => {
    const args = '{"message":"a","n":12345678901234567890, "message":"b"}';
    const call = await engine.callTool(sessionId, 'echo', args);
    expect(await textOf(call.requestRow)).toContain(`"arguments":${args}`);
    const read = await request('resources/read', '{"uri":"fixture://text","z":1.50,"a":1e2}');
    expect(await textOf(read.requestRow)).toContain('"uri":"fixture://text","z":1.50,"a":1e2,"_meta"');
  });

  test('has the requested members of _meta, which win over those of the session', async () => {
    const meta =
      '{"com.example/trace":12345678901234567890,"io.modelcontextprotocol/clientInfo":{"name":"me","version":"1"}}';
    const { id } = await engine.call('calls/start', {
      sessionId,
      tool: 'echo',
      arguments: '{"message":"hi"}',
      timeout: null,
      meta,
    });
    const call = await engine.ended(sessionId, id);
    const sent = await textOf(call.requestRow);
    expect(sent).toContain(meta.slice(1, -1));
    const { params } = JSON.parse(sent);
    expect(params._meta).toMatchObject({
      'io.modelcontextprotocol/clientInfo': { name: 'me' },
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    });
    await expect(request('ping', null, { meta: '[]' })).rejects.toThrow('not a JSON object');
  });

  test('is validated by the schemas of its tool, and is sent anyway', async () => {
    const right = await engine.callTool(sessionId, 'structured');
    expect(right).toMatchObject({
      argumentsValidation: { state: 'valid' },
      outputValidation: { state: 'valid' },
    });
    const wrong = await engine.callTool(sessionId, 'misstructured');
    expect(wrong).toMatchObject({ state: 'ok', outputValidation: { state: 'invalid' } });
    const badArguments = await engine.callTool(sessionId, 'echo', { message: 7 });
    expect(badArguments.argumentsValidation).toMatchObject({
      state: 'invalid',
      errors: [{ pointer: '/message' }],
    });
    expect(await textOf(badArguments.requestRow)).toContain('"message":7');
  });

  test('that was sent as raw bytes is cancelled in the way of the era and transport', async () => {
    const { meta } = await engine.call('composer/context', { sessionId });
    const { row } = await engine.send(
      sessionId,
      `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"_meta":${meta},"name":"hang","arguments":{}}}`,
    );
    await engine.call('calls/cancel-request', { sessionId, row });
    await engine.row(sessionId, (one) => one.row === row && one.status === 'cancelled');
    const notices = (await engine.rows(sessionId)).filter(
      ({ method }) => method === 'notifications/cancelled',
    );
    // Over HTTP the closed stream says it (MCP 2026-07-28 cancellation).
    expect(notices).toHaveLength(transport === 'stdio' ? 1 : 0);
    await expect(engine.call('calls/cancel-request', { sessionId, row })).rejects.toMatchObject({
      fault: { code: 'request-ended' },
    });
    expect(await engine.callTool(sessionId, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test('of a method that nobody knows is sent, and its refusal is the answer', async () => {
    const call = await request('coffee/brew', '{"cups":2}');
    expect(call).toMatchObject({
      method: 'coffee/brew',
      tool: null,
      state: 'protocol-error',
      error: { code: -32601 },
      argumentsValidation: null,
    });
    expect(await engine.callTool(sessionId, 'echo', { message: 'on' })).toMatchObject({ state: 'ok' });
  });

  test('requests logs with each request once a level is set, and stops once it is unset', async () => {
    const logs = async () => {
      const before = (await engine.rows(sessionId)).length;
      await engine.callTool(sessionId, 'log');
      const rows = (await engine.rows(sessionId)).slice(before);
      return rows.filter(({ method }) => method === 'notifications/message').length;
    };
    expect(await logs()).toBe(0);
    await engine.call('sessions/set-log-level', { sessionId, level: 'error' });
    expect((await engine.session(sessionId)).logLevel).toBe('error');
    expect(await logs()).toBe(4);
    await engine.call('sessions/set-log-level', { sessionId, level: null });
    expect(await logs()).toBe(0);
  });
});

describe('in the legacy era', () => {
  beforeEach(async () => {
    feature = await connectLegacy(engine, 'stdio');
    sessionId = feature.session.id;
  });

  test('a log level stays for the session and cannot be taken back', async () => {
    await engine.call('sessions/set-log-level', { sessionId, level: 'warning' });
    expect((await engine.session(sessionId)).logLevel).toBe('warning');
    const before = (await engine.rows(sessionId)).length;
    await engine.callTool(sessionId, 'log');
    const rows = (await engine.rows(sessionId)).slice(before);
    expect(rows.filter(({ method }) => method === 'notifications/message')).toHaveLength(5);
    await expect(engine.call('sessions/set-log-level', { sessionId, level: null })).rejects.toThrow(
      'keeps it for the session',
    );
  });

  test('values complete by what was chosen before', async () => {
    const params = {
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'a' },
      context: { arguments: { language: 'German' } },
    };
    const call = await request('completion/complete', JSON.stringify(params));
    const { text } = await engine.call('calls/result', { sessionId, callId: call.id });
    expect(JSON.parse(text ?? '')).toMatchObject({ completion: { values: ['Anja'] } });
  });
});
