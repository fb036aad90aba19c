import { describe, expect, test } from 'vitest';
import { benchForAllTests } from '#fixtures/protocol/real-bench.ts';

describe('server-everything over Streamable HTTP', () => {
  const support = { server: 'server-everything', transport: 'streamable-http' } as const;
  const newest = benchForAllTests({ ...support, revision: '2025-11-25' });
  const batching = benchForAllTests({ ...support, revision: '2025-03-26' });

  test('answers each request of a batch (2025-03-26)', async () => {
    const { bench } = batching;
    const { engine, sessionId } = bench;
    const ids = [700, 701];
    const batch = ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const { row } = await engine.send(sessionId, JSON.stringify(batch));
    for (const [place, id] of ids.entries()) {
      const pong = await engine.row(sessionId, (one) => one.kind === 'result' && one.id === String(id));
      expect(pong.pair).toBe(row + place);
    }
    expect((await engine.rows(sessionId))[row]).toMatchObject({ batch: 2, direction: 'out' });
  });

  test('sends what was missed when a stream that broke off is taken up again', async () => {
    const { bench } = newest;
    const { engine, sessionId } = bench;
    const make = (name: string) =>
      bench.call('gzip-file-as-resource', { name, data: 'data:text/plain,glass' });
    const standing = (fits: (lastEventId: string | null, state: string) => boolean) =>
      engine.until(async () => {
        const { http } = await engine.session(sessionId);
        const found = http?.streams.find(({ kind }) => kind === 'standing');
        return found && fits(found.lastEventId, found.state) ? found : null;
      });
    await make('first.gz');
    const before = await standing((lastEventId) => lastEventId !== null);
    await engine.call('sessions/drop-stream', { sessionId, exchange: before.exchange });
    const changed = 'notifications/resources/list_changed';
    const reported = (await bench.notices(changed)).length;
    await make('second.gz');
    await engine.until(async () => ((await bench.notices(changed)).length > reported ? true : null));
    const after = await standing((_, state) => state === 'open');
    expect(after.resumed).toBeGreaterThan(0);
    const { exchange } = await engine.call('trace/detail', { sessionId, row: after.row });
    const lines = exchange?.request.headers.map(([name, value]) => [name.toLowerCase(), value]);
    expect(lines).toContainEqual(['last-event-id', before.lastEventId]);
  });
});
