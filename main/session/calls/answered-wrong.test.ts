import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test.each([
  ['wrong-jsonrpc', 'protocol-error'],
  ['no-jsonrpc', 'protocol-error'],
  ['string-error-code', 'protocol-error'],
  ['result-and-error', 'protocol-error'],
  ['neither-result-nor-error', 'protocol-error'],
  ['id-null', 'protocol-error'],
  ['string-id', 'protocol-error'],
  ['null-result', 'ok'],
  ['result-without-content', 'ok'],
  ['duplicate-response', 'ok'],
  ['unknown-id', 'ok'],
  ['extra-key', 'ok'],
  ['deep-nesting', 'protocol-error'],
  ['batch', 'ok'],
  ['crlf', 'ok'],
  ['bom', 'ok'],
] as const)('%s: the call ends (%s) and the session goes on', async (scenario, state) => {
  const { id } = await engine.connect(misbehavingServer(scenario));
  expect((await engine.callTool(id, 'echo', { message: 'hi' })).state).toBe(state);
  await engine.call('sessions/ping', { sessionId: id });
  expect((await engine.session(id)).phase).toBe('ready');
});

test('a second answer and one to an unknown request are rows of their own', async () => {
  for (const scenario of ['duplicate-response', 'unknown-id'] as const) {
    const { id } = await engine.connect(misbehavingServer(scenario));
    await engine.callTool(id, 'echo', {});
    const orphan = await engine.row(id, (row) => row.status === 'orphan');
    const { error } = await engine.call('trace/detail', { sessionId: id, row: orphan.row });
    expect(error).toContain('no request');
  }
});
