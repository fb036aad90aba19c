import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accepted } from '#fixtures/engine/inbox-answers.ts';
import { connectLegacy, type FeatureSession, legacyTransports } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { TaskBench } from '#fixtures/engine/task-bench.ts';

let engine: EngineFixture;
let feature: FeatureSession;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await feature.close();
});

const asTask = { task: { ttl: 60_000 } };

describe.each(legacyTransports)('tasks of 2025-11-25 over %s', (transport) => {
  const connect = async () => {
    feature = await connectLegacy(engine, transport);
    expect(feature.session).toMatchObject({ phase: 'ready', agreement: { revision: '2025-11-25' } });
    return new TaskBench(engine, feature.session.id);
  };

  test('a call becomes a task, is polled, and ends with the result of the task', async () => {
    const bench = await connect();
    const call = await bench.start('must-be-task', { steps: 4, notifies: false }, asTask);
    const ended = await bench.ended(call);
    expect(ended).toMatchObject({ state: 'ok', fault: null });
    // From the call to the result of the task: four pauses of 20 ms lie between.
    expect(ended.duration).toBeGreaterThan(50_000);
    expect(await bench.resultOf(call)).toContain('Done in 4 steps');
    const task = await bench.taskOf(call);
    expect(task).toMatchObject({
      id: ended.taskId,
      kind: 'core',
      owner: 'server',
      method: 'tools/call',
      status: 'completed',
      statusMessage: 'Ended: completed',
      ttl: 60_000,
      pollInterval: 20,
      isFollowed: false,
      fault: null,
      resultRow: ended.responseRow,
    });
    expect(await bench.requests('tasks/get')).toHaveLength(task.polls);
    expect((await bench.requests('tasks/get')).every(({ automatic }) => automatic)).toBe(true);
    expect(await bench.requests('tasks/result')).toHaveLength(1);
    expect(await bench.result(task.id)).toBe(await bench.resultOf(call));
    // The answer of the call itself is the task, not the result.
    const [round] = ended.rounds;
    expect(await bench.textOf(round?.responseRow ?? -1)).toContain(`"task":{"taskId":"${task.id}"`);
  });

  test('a task has a history, with the row of each change', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { input: true, steps: 1 }, asTask);
    const [entry] = await bench.waiting();
    await bench.task(({ status }) => status === 'input_required');
    await bench.answer(entry, accepted({ name: 'Ada' }));
    await bench.ended(call);
    const task = await bench.task(({ status }) => status === 'completed');
    expect(task).toMatchObject({ tool: 'long-job', requestRow: call.requestRow, error: null });
    expect(task.history.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['working', 'input_required', 'completed']),
    );
    const rows = task.history.map(({ row }) => row);
    expect(rows).toEqual(rows.toSorted((a, b) => a - b));
    const times = task.history.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(task.startedAt).toBeLessThanOrEqual(times.at(-1) ?? 0);
    for (const { row, status } of task.history)
      expect(await bench.textOf(row)).toContain(`"status":"${status}"`);
  });

  test.each([
    ['tool-error', 'tool-error', 'failed'],
    ['failed', 'protocol-error', 'failed'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const)('a task that ends with %s', async (ends, state, status) => {
    const bench = await connect();
    const call = await bench.start('long-job', { ends, steps: 1 }, asTask);
    expect((await bench.ended(call)).state).toBe(state);
    const task = await bench.taskOf(call);
    expect(task).toMatchObject({ status, isFollowed: false, fault: null });
    if (ends !== 'failed') return;
    expect((await bench.ended(call)).error).toMatchObject({ code: -32603, message: 'The job broke' });
    expect(await bench.textOf(task.resultRow ?? -1)).toContain('The job broke');
    expect(task.error).toEqual({ code: -32603, message: 'The job broke' });
  });

  test.each(['result', 'standing'] as const)('a task asks for input (%s stream)', async (asksOn) => {
    const bench = await connect();
    const call = await bench.start('long-job', { input: true, asksOn }, asTask);
    const [entry] = await bench.waiting();
    expect(entry).toMatchObject({ method: 'elicitation/create', by: 'request', callId: call.id });
    const { id } = await bench.task(({ status }) => status === 'input_required');
    await bench.answer(entry, accepted({ name: 'Ada' }));
    expect(await bench.resultOf(call)).toContain('Ada');
    expect(await bench.task(({ status }) => status === 'completed')).toMatchObject({ id, fault: null });
    expect(await bench.requests('tasks/result')).toHaveLength(1);
    // All that belongs to a task names it.
    const [answered] = await bench.entries();
    expect(await bench.textOf(answered?.responseRow ?? -1)).toContain(
      `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"${id}"}}`,
    );
  });

  test('a call that is cancelled has its task cancelled', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { ends: 'never', milliseconds: 60_000 }, asTask);
    const { id } = await bench.taskOf(call);
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    expect((await bench.ended(call)).state).toBe('cancelled');
    expect(await bench.taskOf(call)).toMatchObject({
      id,
      status: 'cancelled',
      isFollowed: false,
      fault: null,
    });
    expect(await bench.requests('tasks/cancel')).toMatchObject([{ automatic: false }]);
    await expect(bench.cancel(id)).rejects.toThrow('the task is cancelled');
  });

  test('a task can be cancelled by its id, and then its call is', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { ends: 'never', milliseconds: 60_000 }, asTask);
    const { id } = await bench.taskOf(call);
    await bench.cancel(id);
    expect((await bench.ended(call)).state).toBe('cancelled');
    expect(await bench.result(id)).toBeNull();
  });

  test('the tasks of the server can be listed, page by page', async () => {
    const bench = await connect();
    const first = await bench.start('long-job', { steps: 1 }, asTask);
    await bench.ended(first);
    await bench.ended(await bench.start('long-job', { steps: 1 }, asTask));
    const known = await bench.tasks();
    await engine.call('tasks/refresh', { sessionId: bench.sessionId });
    const [, lastPage] = await bench.requests('tasks/list');
    // The last page is the news of the second task.
    const after = await bench.tasks();
    expect(after).toMatchObject(known.map(({ id, callId }) => ({ id, callId, status: 'completed' })));
    expect(after[1]?.row).toBe(lastPage?.pair);
  });
});

describe('over HTTP, where a server outlives the session', () => {
  test('a task is followed by its id in the next session, and ends there', async () => {
    feature = await connectLegacy(engine, 'streamable-http');
    const before = new TaskBench(engine, feature.session.id);
    const job = { ends: 'never', steps: 1 };
    const call = await before.start('long-job', job, asTask);
    const { id } = await before.taskOf(call);
    await engine.call('sessions/close', { sessionId: before.sessionId });
    expect(await before.ended(call)).toMatchObject({ state: 'lost', fault: { code: 'session-ended' } });
    expect(await before.taskOf(call)).toMatchObject({ isFollowed: false, fault: { code: 'session-ended' } });

    const after = new TaskBench(engine, (await engine.reconnect(feature.session.serverId)).id);
    await engine.call('tasks/refresh', { sessionId: after.sessionId });
    expect(await after.tasks()).toMatchObject([
      { id, method: null, callId: null, isFollowed: false, polls: 0 },
    ]);
    const followed = await after.follow(id);
    expect(followed).toMatchObject({ id, isFollowed: true, polls: 1 });
    await after.cancel(id);
    expect(await after.task(({ isFollowed }) => !isFollowed)).toMatchObject({
      status: 'cancelled',
      fault: null,
    });
  });

  test('a task that ended meanwhile gives its result in the next session', async () => {
    feature = await connectLegacy(engine, 'streamable-http');
    const before = new TaskBench(engine, feature.session.id);
    const call = await before.start('long-job', { steps: 1 }, asTask);
    await before.ended(call);
    const { id } = await before.taskOf(call);
    await engine.call('sessions/close', { sessionId: before.sessionId });
    const after = new TaskBench(engine, (await engine.reconnect(feature.session.serverId)).id);
    await after.follow(id);
    const task = await after.task(({ isFollowed }) => !isFollowed);
    expect(task).toMatchObject({ status: 'completed', fault: null });
    expect(await after.result(id)).toContain('Done in 1 steps');
  });

  test('an unknown task id is reported at once', async () => {
    feature = await connectLegacy(engine, 'streamable-http');
    const bench = new TaskBench(engine, feature.session.id);
    await expect(bench.follow('never-was')).rejects.toThrow('The server does not know task never-was');
    expect(await bench.tasks()).toEqual([]);
    await expect(bench.result('never-was')).rejects.toThrow('No task never-was');
  });
});
