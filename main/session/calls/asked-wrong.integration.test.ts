import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectLegacy, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

let engine: EngineFixture;
let feature: FeatureSession;
let sessionId: string;
beforeAll(async () => {
  engine = await EngineFixture.open();
  feature = await connectLegacy(engine, 'stdio');
  sessionId = feature.session.id;
});
afterAll(async () => {
  await engine.close();
  await feature.close();
});

const request = async (method: string, params: object) => {
  const text = JSON.stringify(params);
  const { id } = await engine.call('calls/request', { sessionId, method, params: text, timeout: null });
  return engine.ended(sessionId, id);
};

describe('what a server has to refuse is sent as requested, and its refusal is the answer:', () => {
  test.each<[what: string, method: string, params: object, code: number]>([
    ['a made-up cursor of tools', 'tools/list', { cursor: 'made up' }, -32602],
    ['a made-up cursor of resources', 'resources/list', { cursor: 'made up' }, -32602],
    ['a made-up cursor of templates', 'resources/templates/list', { cursor: 'made up' }, -32602],
    ['a made-up cursor of prompts', 'prompts/list', { cursor: 'made up' }, -32602],
    ['an unknown prompt', 'prompts/get', { name: 'none' }, -32602],
    ['a prompt without its argument', 'prompts/get', { name: 'greet', arguments: {} }, -32602],
    ['an unknown resource', 'resources/read', { uri: 'fixture://none' }, -32002],
    ['an unknown level of logs', 'logging/setLevel', { level: 'loud' }, -32602],
  ])('%s', async (_, method, params, code) => {
    const call = await request(method, params);
    expect(call).toMatchObject({ method, state: 'protocol-error', error: { code } });
    const { text } = await engine.call('trace/detail', { sessionId, row: call.requestRow });
    expect(text).toContain(JSON.stringify(params).slice(1, -1));
    expect((await engine.session(sessionId)).phase).toBe('ready');
  });
});

test('an unknown log level is refused when it is chosen for the session too, and the one before stays', async () => {
  await engine.call('sessions/set-log-level', { sessionId, level: 'error' });
  await expect(engine.call('sessions/set-log-level', { sessionId, level: 'loud' })).rejects.toThrow(/-32602/);
  expect((await engine.session(sessionId)).logLevel).toBe('error');
});

test('what completes is as the server put it: its order, and how many more there are', async () => {
  const ref = { type: 'ref/resource', uri: 'fixture://item/{id}' };
  const call = await request('completion/complete', { ref, argument: { name: 'id', value: '' } });
  const { text } = await engine.call('calls/result', { sessionId, callId: call.id });
  const first = Array.from({ length: 100 }, (_, index) => String(index));
  expect(text).toBe(JSON.stringify({ completion: { values: first, total: 250, hasMore: true } }));
});
