import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { startEverything } from '#fixtures/http/start-server.ts';
import { events } from '#shared/contract/index.ts';
import type { OpenComparison } from '#shared/contract/comparison.ts';
import type { ReplayRun, ReplayScope, ReplayTarget } from '#shared/contract/replay.ts';

let engine: EngineFixture;
beforeAll(async () => {
  engine = await EngineFixture.open();
});
afterAll(() => engine.close());

/** A shop whose invoices are of a build, with two tools that change something. */
const shop = (build: string, total: number) =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [
      { name: 'invoice', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      { name: 'pay', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false, destructiveHint: true } },
      { name: 'mail', inputSchema: { type: 'object' } },
    ] }),
    'tools/call': (request) => answer(request, {
      content: [], structuredContent: { build: '${build}', total: ${total}, of: request.params.name } }),
  `);

/** Records a call of each tool, and a second invoice. */
async function recordShop(): Promise<{ sessionId: string; rows: number[] }> {
  const { id: sessionId } = await engine.connect(shop('6c1', 12));
  const rows: number[] = [];
  for (const tool of ['invoice', 'pay', 'mail', 'invoice']) {
    const { id } = await engine.startTool(sessionId, tool, { n: rows.length }, { isConfirmed: true });
    rows.push((await engine.ended(sessionId, id)).requestRow);
  }
  return { sessionId, rows };
}

async function replay(
  recorded: string,
  sessionId: string,
  options: { scope?: ReplayScope; leaveOut?: ReplayTarget[] } = {},
): Promise<{ run: ReplayRun; comparison: OpenComparison }> {
  const { scope = { of: 'all' }, leaveOut = [] } = options;
  const { rows } = await engine.call('replay/plan', { recorded, sessionId, scope });
  const run = await engine.call('replay/run', {
    recorded,
    sessionId,
    rows,
    allowWrites: true,
    speed: null,
    leaveOut,
  });
  return { run, comparison: await compare(recorded, sessionId, run) };
}

const compare = (recorded: string, other: string, run: ReplayRun | null): Promise<OpenComparison> =>
  engine.call('comparison/open', { recorded, other, replay: run });

/** Opens a trace file and waits until it is read; returns its session id. */
async function openTrace(path: string): Promise<string> {
  const { sessionId } = await engine.call('traces/open', { path });
  await engine.until(
    async () =>
      (await engine.call('traces/opened', {})).find((one) => one.isRead && one.sessionId === sessionId) ??
      null,
  );
  return sessionId;
}

test('a plan names each tool with what it may do, and a scope takes rows of requests and of responses', async () => {
  const { sessionId: recorded, rows } = await recordShop();
  const { id: sessionId } = await engine.connect(shop('7f3', 12));
  const planOf = (scope: ReplayScope) => engine.call('replay/plan', { recorded, sessionId, scope });
  const plan = await planOf({ of: 'all' });
  expect(plan.rows).toEqual(rows);
  expect(plan.calls.map(({ target, count, effect, hints }) => [target, count, effect, hints])).toEqual([
    ['invoice', 2, 'reads', ['readOnlyHint: true']],
    ['pay', 1, 'destructive', ['readOnlyHint: false', 'destructiveHint: true']],
    ['mail', 1, 'unannotated', []],
  ]);
  const { calls } = await engine.call('trace/calls', { sessionId: recorded, from: 0, count: 10 });
  const response = calls.find(({ row }) => row === rows[1])?.responseRow ?? -1;
  expect((await planOf({ of: 'rows', rows: [response] })).rows).toEqual([rows[1]]);
  expect((await planOf({ of: 'from', row: response })).rows).toEqual(rows.slice(1));
});

test('what the user leaves out is skipped, and a session compares with its own recording', async () => {
  const { sessionId: recorded, rows } = await recordShop();
  const { run, comparison } = await replay(recorded, recorded, {
    leaveOut: [{ method: 'tools/call', target: 'pay' }],
  });
  expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'declined', null, null]);
  // The recorded calls are on the same side of the trace, yet none is extra.
  expect(comparison.classes).toEqual(['same', 'skipped', 'same', 'same']);
  expect(comparison.unchanged.tool).toBe(3);
  const one = await replay(recorded, recorded, { scope: { of: 'rows', rows: rows.slice(0, 1) } });
  expect(one.comparison.classes).toEqual(['same']);
});

test('a session under way is compared as far as it has come', async () => {
  const { sessionId: recorded } = await recordShop();
  const { id: sessionId } = await engine.connect(shop('7f3', 12));
  const call = async (tool: string, n: number) => {
    const { id } = await engine.startTool(sessionId, tool, { n }, { isConfirmed: true });
    await engine.ended(sessionId, id);
  };
  await call('invoice', 0);
  const soFar = await compare(recorded, sessionId, null);
  expect(soFar.classes).toEqual(['behavior', 'missing', 'missing', 'missing']);
  expect(soFar.unchanged.tool).toBe(3);
  await call('pay', 1);
  expect((await compare(recorded, sessionId, null)).counts).toMatchObject({ missing: 2, behavior: 2 });
  // From the other side, which is still connected.
  expect((await compare(sessionId, recorded, null)).counts).toMatchObject({ extra: 2, behavior: 2 });
});

test('a path that is ignored is kept for the server, and an accepted response for the recording', async () => {
  const { sessionId: recorded, rows } = await recordShop();
  const { id: sessionId } = await engine.connect(shop('7f3', 13));
  const { run, comparison } = await replay(recorded, sessionId);
  expect(comparison.classes).toEqual(Array(4).fill('behavior'));
  const places = [0, 1, 2, 3];
  const [first] = await engine.call('comparison/calls', { comparisonId: comparison.id, places });
  expect(first?.differences.map(({ path }) => path)).toEqual([
    '$.structuredContent.build',
    '$.structuredContent.total',
  ]);
  const responses = await engine.call('comparison/responses', { comparisonId: comparison.id, place: 0 });
  expect(JSON.parse(responses.other ?? '')).toMatchObject({ structuredContent: { build: '7f3' } });

  const rules = [{ path: '$..build', compare: 'ignore' as const }];
  const unusable = { path: '$..a', compare: 'regex', pattern: '(' } as const;
  await expect(
    engine.call('comparison/save-rules', { sessionId: recorded, rules: [unusable] }),
  ).rejects.toThrow(/rule for \$\.\.a is not a valid regular expression/);
  await engine.call('comparison/save-rules', { sessionId: recorded, rules });
  expect(await engine.call('comparison/rules', { sessionId: recorded })).toEqual(rules);
  for (const [place, isAccepted] of [
    [0, true],
    [1, true],
    [1, false],
  ] as const) {
    await engine.call('comparison/accept', { comparisonId: comparison.id, place, isAccepted });
  }
  const again = await compare(recorded, sessionId, run);
  expect(again.classes).toEqual(['same', 'behavior', 'behavior', 'behavior']);
  const [accepted, other] = await engine.call('comparison/calls', { comparisonId: again.id, places });
  expect(accepted).toMatchObject({ isAccepted: true, differences: [] });
  expect(other).toMatchObject({ isAccepted: false, ignored: [{ path: '$.structuredContent.build' }] });

  // The trace is evidence: the overlay is beside it, and the file opens to the same recording.
  const folder = join(engine.folder, 'accepted-responses');
  const [file = ''] = await readdir(folder);
  expect(await readFile(join(folder, file), 'utf8')).toContain('7f3');
  const path = (await engine.session(recorded)).traceFile.path;
  await engine.call('sessions/close', { sessionId: recorded });
  expect(await readFile(path, 'utf8')).not.toContain('7f3');
  const opened = await openTrace(path);
  expect((await compare(opened, sessionId, run)).classes).toEqual(again.classes);

  // A trimmed copy has the same server and clock, and another call in the row of the accepted one.
  const trimmedPath = join(engine.folder, 'trimmed.mcptrace');
  await engine.call('exports/write', {
    sessionId: opened,
    rows: { of: 'rows', rows: rows.slice(1) },
    format: 'mcptrace',
    redaction: { isOn: false, patterns: [] },
    isWhole: true,
    path: trimmedPath,
  });
  const trimmed = await compare(await openTrace(trimmedPath), sessionId, null);
  expect(trimmed.recordedRows).toContain(rows[0]);
  const ofTrimmed = await engine.call('comparison/calls', { comparisonId: trimmed.id, places });
  expect(ofTrimmed.filter(({ isAccepted }) => isAccepted)).toEqual([]);

  await engine.call('comparison/save-rules', { sessionId: recorded, rules: [] });
  await engine.call('comparison/close', { comparisonId: again.id });
  await expect(engine.call('comparison/calls', { comparisonId: again.id, places })).rejects.toThrow(
    'no longer kept',
  );
});

test('a stepped run asks before each call, and can be stopped in between', async () => {
  const { sessionId: recorded } = await recordShop();
  const { id: sessionId } = await engine.connect(shop('6c1', 12));
  const asked: (string | null)[] = [];
  const end = engine.engine.onEvent(({ event, payload }) => {
    if (event !== 'replay/waiting') return;
    const { target, recordedRow } = events['replay/waiting'].parse(payload);
    asked.push(target);
    const answer = (['send', 'skip'] as const)[asked.length - 1];
    if (answer === undefined) void engine.call('replay/stop', { sessionId });
    else void engine.call('replay/step', { sessionId, recordedRow, answer });
  });
  const run = await engine.call('replay/run', {
    recorded,
    sessionId,
    rows: null,
    allowWrites: true,
    speed: null,
    isStepped: true,
  });
  end();
  expect(asked).toEqual(['invoice', 'pay', 'mail']);
  expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'declined', 'stopped', 'stopped']);
});

test('a stepped run takes no stale answer, and ends with its session', async () => {
  const { sessionId: recorded, rows } = await recordShop();
  const { id: sessionId } = await engine.connect(shop('6c1', 12));
  const asked: number[] = [];
  const end = engine.engine.onEvent(({ event, payload }) => {
    if (event === 'replay/waiting') asked.push(events['replay/waiting'].parse(payload).recordedRow);
  });
  const step = (recordedRow = -1) => engine.call('replay/step', { sessionId, recordedRow, answer: 'send' });
  const params = { recorded, sessionId, rows: null, allowWrites: true, speed: null, isStepped: true };
  const running = engine.call('replay/run', params);
  await engine.until(async () => asked[0] ?? null);
  await step(rows[0]);
  await engine.until(async () => asked[1] ?? null);
  // The same answer once more, of a window that was slow.
  await step(rows[0]);
  await engine.call('sessions/close', { sessionId });
  const run = await running;
  end();
  expect(asked).toEqual(rows.slice(0, 2));
  expect(run.calls.map(({ skipped }) => skipped)).toEqual([null, 'stopped', 'stopped', 'stopped']);
});

test('latency is compared by step over HTTP', async () => {
  const server = await startEverything('streamableHttp');
  try {
    const { id: recorded } = await engine.connectUrl(server.url);
    await engine.callTool(recorded, 'echo', { message: 'hi' });
    const { comparison } = await replay(recorded, recorded);
    expect(comparison.steps.map(({ step }) => step)).toEqual(['queued', 'connected', 'first-byte', 'end']);
    for (const { recorded: before, other: now } of comparison.steps) {
      expect(before).toBeGreaterThanOrEqual(0);
      expect(now).toBeGreaterThanOrEqual(0);
    }
  } finally {
    await server.close();
  }
});
