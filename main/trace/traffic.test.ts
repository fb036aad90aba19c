import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test('bytes of messages are counted by direction as they cross', async () => {
  const { id: sessionId } = await engine.connect(misbehavingServer());
  const before = await engine.call('trace/traffic', { sessionId });
  await engine.callTool(sessionId, 'echo', { message: 'x'.repeat(1000) });
  const after = await engine.call('trace/traffic', { sessionId });
  expect(after.bytesOut - before.bytesOut).toBeGreaterThan(1000);
  expect(after.bytesIn - before.bytesIn).toBeGreaterThan(1000);
  expect(after.statuses).toEqual([]);
  const { bytesIn, bytesOut } = await engine.call('trace/statistics', { sessionId, rows: { of: 'all' } });
  expect({ bytesIn, bytesOut }).toEqual({ bytesIn: after.bytesIn, bytesOut: after.bytesOut });
});

test('each HTTP method is counted by the status it got, with its newest row', async () => {
  const server = await ScriptedHttpServer.open();
  onTestFinished(() => server.close());
  const { id: sessionId } = await engine.connectUrl(server.url, { era: 'legacy' });
  await engine.call('sessions/close', { sessionId });
  const { statuses } = await engine.call('trace/traffic', { sessionId });
  const exchanges = (await engine.rows(sessionId)).filter(({ kind }) => kind === 'http');
  expect(new Set(statuses.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
  expect(statuses.reduce((sum, { count }) => sum + count, 0)).toBe(exchanges.length);
  for (const { method, status, count, row } of statuses) {
    const same = exchanges.filter((one) => one.method === method && one.code === status);
    expect({ method, status, count, row }).toEqual({
      method,
      status,
      count: same.length,
      row: same.at(-1)?.row,
    });
  }
});
