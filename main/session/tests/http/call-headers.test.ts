import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const SECRET = 'hush-0123456789';
const headers = [
  { name: 'X-Tenant', value: 'tenant-a', secret: false },
  { name: 'x-shared', value: 'of the call', secret: false },
  { name: 'X-Pin', value: 'true', secret: true },
  { name: 'X-Key', value: SECRET, secret: true },
];

test('headers of a call go with its request only, and replace those of the session', async () => {
  const server = await serve();
  const { id } = await engine.connectUrl(server.url, {
    era: 'legacy',
    http: { headers: [{ name: 'X-Shared', value: 'of the session', secret: false }] },
  });
  const linesOf = async (message: string) =>
    (await server.received(({ body }) => body.includes(message))).headers.filter(([name]) =>
      /^x-/i.test(name),
    );
  const call = await engine.startTool(id, 'echo', { message: 'with' }, { headers });
  expect((await engine.ended(id, call.id)).state).toBe('ok');
  expect(await linesOf('with')).toEqual(headers.map(({ name, value }) => [name, value]));
  await engine.callTool(id, 'echo', { message: 'none' });
  expect(await linesOf('none')).toEqual([['X-Shared', 'of the session']]);
});

test('secret headers of a call are replaced in the trace wherever they occur, short ones in their own line', async () => {
  const server = await serve({
    handlers: {
      'tools/call': (_, exchange) => ({
        content: [{ type: 'text', text: `got ${exchange.received.header('x-key')}` }],
        fine: true,
      }),
    },
  });
  const { id, traceFile } = await engine.connectUrl(server.url, { era: 'legacy' });
  const call = await engine.startTool(id, 'echo', {}, { headers });
  await engine.ended(id, call.id);
  await engine.call('sessions/close', { sessionId: id });
  const text = await readFile(traceFile.path, 'utf8');
  expect(text).toContain('tenant-a');
  expect(text).toContain('got [secret header:X-Key');
  expect(text).toMatch(/\["X-Pin","\[secret header:X-Pin, 4 characters/);
  // The same word elsewhere is not a secret.
  expect(text).toContain(String.raw`\"fine\":true`);
  expect(text).not.toContain(SECRET);
});

test('over stdio there are no headers, and a call with some is not sent', async () => {
  const { id } = await engine.connect(misbehavingServer());
  await expect(engine.startTool(id, 'echo', {}, { headers })).rejects.toThrow(/connected over stdio/);
  expect((await engine.rows(id)).filter(({ method }) => method === 'tools/call')).toEqual([]);
});

test.each([
  { name: 'Content-Length', value: '5' },
  { name: 'X Y', value: 'a' },
  { name: 'X-Y', value: 'a\r\nZ: b' },
])('the header $name: $value is refused', async (header) => {
  const server = await serve();
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const params = { headers: [{ ...header, secret: false }] };
  await expect(engine.startTool(id, 'echo', {}, params)).rejects.toThrow(/calls\/start/);
  expect(server.requests.some(({ body }) => body.includes('tools/call'))).toBe(false);
});
