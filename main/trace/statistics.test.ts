import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { percentile, statisticsOf } from './statistics.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const all: RowChoice = { of: 'all' };

test('calls are counted and timed by method, tool and direction, as their rows tell', async () => {
  const { id: sessionId } = await engine.connect(misbehavingServer());
  for (let call = 0; call < 3; call++) await engine.callTool(sessionId, 'echo', { message: 'hi' });
  await engine.callTool(sessionId, 'no-such-tool', {});
  const statistics = await engine.call('trace/statistics', { sessionId, rows: all });
  const { calls, rows } = statistics;
  const table = await engine.rows(sessionId);
  expect(rows).toBe(table.length);
  const countOf = (...kinds: readonly string[]) => table.filter(({ kind }) => kinds.includes(kind)).length;
  expect(statistics).toMatchObject({
    requests: countOf('request'),
    responses: countOf('result', 'error'),
    notifications: countOf('notification'),
  });
  // Each is counted once in the table of calls; a response belongs to its request.
  const counted = calls.reduce((sum, { count }) => sum + count, 0);
  expect(counted).toBe(countOf('request', 'notification'));

  const answered = table.filter(({ kind, duration }) => kind === 'request' && duration !== null);
  expect(statistics.durations.reduce((sum, { count }) => sum + count, 0)).toBe(answered.length);
  for (const { from, to, count } of statistics.durations) {
    const within = answered.filter(({ duration }) => (duration ?? 0) >= from && (duration ?? 0) < to);
    expect([from, within.length]).toEqual([from, count]);
  }
  const sumOf = (of: 'bytesIn' | 'bytesOut') => statistics.sizes.reduce((sum, part) => sum + part[of], 0);
  expect([sumOf('bytesIn'), sumOf('bytesOut')]).toEqual([statistics.bytesIn, statistics.bytesOut]);

  const echoes = table.filter(({ kind, summary }) => kind === 'request' && summary === 'echo');
  const durations = echoes.map(({ duration }) => duration ?? Number.NaN).sort((a, b) => a - b);
  expect(calls.find(({ tool }) => tool === 'echo')).toEqual({
    method: 'tools/call',
    tool: 'echo',
    direction: 'out',
    count: 3,
    errors: 0,
    pending: 0,
    responses: 3,
    p50: durations[1],
    p95: null,
    p99: null,
    longest: durations[2],
    bytes: echoes.reduce((sum, { size }) => sum + size, 0),
    responseBytes: echoes.reduce((sum, { pair }) => sum + (table[pair ?? -1]?.size ?? 0), 0),
  });
  expect(calls.find(({ tool }) => tool === 'no-such-tool')).toMatchObject({ count: 1, errors: 1 });
  expect(calls.find(({ method }) => method === 'notifications/initialized')).toMatchObject({ p50: null });
});

test('messages of a batch come to no more bytes than the batch', async () => {
  const http = await HttpRecording.begin();
  try {
    const requests = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const answers = requests.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} }));
    http.piece({ direction: 'out', channel: 'stdin' }, JSON.stringify(requests));
    http.piece({ direction: 'in', channel: 'stdout' }, JSON.stringify(answers));
    const { calls, bytesIn, bytesOut } = await statisticsOf(http.trace, { count: 6, at: (place) => place });
    expect(calls).toMatchObject([{ count: 3, bytes: bytesOut, responseBytes: bytesIn }]);
    expect([bytesOut, bytesIn]).toEqual([requests, answers].map((batch) => JSON.stringify(batch).length));
  } finally {
    await http.close();
  }
});

test('only the chosen rows count', async () => {
  const { id: sessionId } = await engine.connect(misbehavingServer());
  await engine.callTool(sessionId, 'echo', { message: 'hi' });
  const request = await engine.row(sessionId, ({ method }) => method === 'tools/call');
  const { calls, rows, span } = await engine.call('trace/statistics', {
    sessionId,
    rows: { of: 'rows', rows: [request.row] },
  });
  expect({ rows, span }).toEqual({ rows: 1, span: 0 });
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    tool: 'echo',
    count: 1,
    pending: 0,
    p50: null,
    longest: request.duration,
  });
  const missing = engine.call('trace/statistics', { sessionId, rows: { of: 'rows', rows: [1_000_000] } });
  await expect(missing).rejects.toThrow(/no row/);
});

test('the definition of each tool has its size as it was written, the largest first', async () => {
  const { id: sessionId } = await engine.connect(misbehavingServer());
  await engine.call('catalog/tools', { sessionId });
  const { tools } = await engine.call('trace/statistics', { sessionId, rows: all });
  const { entries } = await engine.call('catalog/tools', { sessionId });
  const texts = new Map(
    entries.flatMap((entry) => (entry.usable ? [[entry.tool.name, entry.raw] as const] : [])),
  );
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...texts.keys()].toSorted());
  for (const { name, bytes, tokens } of tools) {
    const text = texts.get(name) ?? '';
    expect({ bytes, tokens }).toEqual({
      bytes: Buffer.byteLength(text),
      tokens: Math.ceil(text.length / 4),
    });
  }
  expect(tools.map(({ bytes }) => bytes)).toEqual(tools.map(({ bytes }) => bytes).toSorted((a, b) => b - a));
});

test.each([
  [[], 0.5, null],
  [[7], 0.5, null],
  [[1, 2], 0.5, 1],
  [Array.from({ length: 99 }, (_, place) => place), 0.99, null],
  [[1, 2, 3, 4], 0.5, 2],
  [Array.from({ length: 100 }, (_, place) => place + 1), 0.95, 95],
])('of %j the percentile %d is %j', (sorted, part, expected) => {
  expect(percentile(Float64Array.from(sorted), part)).toBe(expected);
});
