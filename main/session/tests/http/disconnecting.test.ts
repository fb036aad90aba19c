import { beforeEach, expect, test, vi } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { startRawServer } from '#fixtures/http/raw-server.ts';
import {
  plainHttpSettings,
  defaultClientProfile,
  defaultTimeouts,
  type ServerSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

/** Begins to connect, and waits for nothing. */
async function begin(url: string, settings: Partial<ServerSettings> = {}): Promise<string> {
  const { id: serverId } = await engine.call('servers/save', {
    id: null,
    settings: {
      name: 'under test',
      transport: plainHttpSettings(url),
      era: 'auto',
      revision: null,
      timeouts: defaultTimeouts,
      keepAlive: noKeepAlive,
      client: defaultClientProfile,
      notes: '',
      ...settings,
    },
  });
  const opened = await engine.call('sessions/open', { serverId });
  if (opened.outcome !== 'opened') throw new Error('it was not opened');
  return opened.session.id;
}

async function stop(sessionId: string): Promise<void> {
  await engine.call('sessions/close', { sessionId });
  expect(await engine.session(sessionId)).toMatchObject({ phase: 'closed', fault: null });
  const rows = await engine.rows(sessionId);
  expect(rows.filter(({ status }) => status === 'pending' || status === 'receiving')).toEqual([]);
}

test.each(['server/discover', 'initialize'])(
  'disconnecting while %s is not answered ends at once',
  async (method) => {
    const server = await serve({ intercept: ({ received }) => received.messages[0]?.method === method });
    const id = await begin(server.url);
    await server.receivedMethod(method);
    await stop(id);
    await vi.waitUntil(() => server.listening.openSockets === 0);
  },
);

test('disconnecting during a TLS handshake that the server does not answer ends at once', async () => {
  const server = bench.closeAfter(await startRawServer(() => {}));
  const id = await begin(server.origin.replace('http:', 'https:'));
  await vi.waitUntil(() => server.connections() === 1);
  await stop(id);
});

test('disconnecting while waiting for the endpoint of HTTP+SSE ends at once', async () => {
  const server = await serveSse({ endpoint: () => null });
  const id = await begin(server.url, {
    transport: { ...plainHttpSettings(server.url), transport: 'http-sse' },
  });
  await server.received(({ method }) => method === 'GET');
  await stop(id);
});

test('disconnecting during an endless response ends at once, and the received part is on record', async () => {
  const server = await serve({
    handlers: {
      'tools/call': (_, exchange) => {
        exchange.response.writeHead(200, { 'Content-Type': 'application/json' });
        const more = () => {
          while (exchange.response.write('x'.repeat(65_536)));
        };
        exchange.response.on('drain', more);
        more();
        return undefined;
      },
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const { id: callId } = await engine.startTool(id, 'echo');
  await engine.row(id, (row) => row.direction === 'in' && row.status === 'receiving' && row.size > 2_000_000);
  await stop(id);
  expect((await engine.ended(id, callId)).state).toBe('lost');
});

test('disconnecting while a stream waits to be resumed ends at once', async () => {
  const server = await serve({
    onStanding: (stream) => {
      stream.raw('retry: 3600000\nid: 1\ndata:\n\n');
      stream.end();
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  await engine.until(async () =>
    (await engine.session(id)).http?.streams[0]?.state === 'waiting' ? true : null,
  );
  await stop(id);
});

test('disconnecting ends even if the server does not answer the DELETE', async () => {
  const server = await serve({ intercept: ({ received }) => received.method === 'DELETE' });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  await stop(id);
});
