import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accepted } from '#fixtures/engine/inbox-answers.ts';
import { connectModern, type FeatureSession, modernTransports } from '#fixtures/engine/feature-servers.ts';
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

describe.each(modernTransports)('tasks of the extension over %s', (transport) => {
  const connect = async () => {
    feature = await connectModern(engine, transport);
    expect(feature.session).toMatchObject({ phase: 'ready', agreement: { era: 'modern' } });
    return new TaskBench(engine, feature.session.id);
  };

  test('a call becomes a task if the server decides so, and ends with the result in the task', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { steps: 4 });
    const ended = await bench.ended(call);
    expect(ended).toMatchObject({ state: 'ok', fault: null });
    const task = await bench.taskOf(call);
    expect(task).toMatchObject({
      id: ended.taskId,
      kind: 'extension',
      owner: 'server',
      method: 'tools/call',
      status: 'completed',
      ttl: 60_000,
      pollInterval: 20,
      isFollowed: false,
      resultRow: ended.responseRow,
      fault: null,
    });
    const result = await bench.resultOf(call);
    expect(JSON.parse(result)).toMatchObject({ structuredContent: { steps: 4 } });
    expect(await bench.result(task.id)).toBe(result);
    expect(await bench.requests('tasks/get')).toHaveLength(task.polls);
    expect(await bench.requests('tasks/result')).toEqual([]);
  });

  test.each([
    ['tool-error', 'tool-error', 'completed'],
    ['failed', 'protocol-error', 'failed'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const)('a task that ends with %s', async (ends, state, status) => {
    const bench = await connect();
    const call = await bench.start('long-job', { ends, steps: 1 });
    expect((await bench.ended(call)).state).toBe(state);
    expect(await bench.taskOf(call)).toMatchObject({ status, isFollowed: false, fault: null });
    if (ends !== 'failed') return;
    expect((await bench.ended(call)).error).toMatchObject({ code: -32603, message: 'The job broke' });
  });

  test('questions of a task are asked once each, and all answers go out together', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { input: true, milliseconds: 50 });
    const open = await bench.waiting(2);
    expect(open).toMatchObject([
      { by: 'input', key: 'your name', callId: call.id },
      { by: 'input', key: 'agreed', callId: call.id },
    ]);
    const [running] = await engine.call('calls/list', { sessionId: bench.sessionId });
    expect(running).toMatchObject({ state: 'running', inboxEntryIds: open.map(({ id }) => id) });
    // It is asked after all the while, and says the same questions again.
    const polls = (await bench.taskOf(call)).polls;
    await bench.task((task) => task.polls > polls + 2);
    await bench.answer(open[1], accepted({ agrees: true }));
    await bench.answer(open[0], accepted({ name: 'Ada' }));
    expect(JSON.parse(await bench.resultOf(call))).toMatchObject({
      structuredContent: {
        answers: {
          'your name': { action: 'accept', content: { name: 'Ada' } },
          agreed: { action: 'accept', content: { agrees: true } },
        },
      },
    });
    expect(await bench.ended(call)).toMatchObject({ state: 'ok', inboxEntryIds: [] });
    const [update, ...more] = await bench.requests('tasks/update');
    expect(more).toEqual([]);
    const entries = await bench.entries();
    expect(entries.map(({ responseRow }) => responseRow)).toEqual([update?.row, update?.row]);
  });

  test('a refused question ends the following of its task, which asks it again when it is followed again', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { input: true });
    const [first] = await bench.waiting(2);
    await bench.answer(first, { kind: 'error', code: -1, message: 'no' });
    expect(await bench.ended(call)).toMatchObject({ state: 'lost', fault: { code: 'input-refused' } });
    const { id, fault } = await bench.taskOf(call);
    expect(fault?.code).toBe('input-refused');
    expect(await bench.requests('tasks/update')).toEqual([]);
    await bench.follow(id);
    const [name, agreed] = await bench.waiting(2);
    await bench.answer(name, accepted({ name: 'Ada' }));
    await bench.answer(agreed, accepted({ agrees: true }));
    expect(await bench.task(({ status }) => status === 'completed')).toMatchObject({ id });
    expect(await bench.task(({ isFollowed }) => !isFollowed)).toMatchObject({ fault: null });
    expect(await bench.result(id)).toContain('Ada');
  });

  test('input before there is a task, and the task after it', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { askFirst: true });
    const [entry] = await bench.waiting();
    await bench.answer(entry, accepted({ name: 'Ada' }));
    expect(await bench.ended(call)).toMatchObject({ state: 'ok', rounds: [{}, {}] });
    expect(await bench.taskOf(call)).toMatchObject({ status: 'completed' });
  });

  test('a call that is cancelled has its task cancelled, and its questions taken back', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { ends: 'never', input: true });
    await bench.waiting(2);
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    expect((await bench.ended(call)).state).toBe('cancelled');
    expect(await bench.taskOf(call)).toMatchObject({ status: 'cancelled', isFollowed: false, fault: null });
    expect((await bench.entries()).map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn']);
  });

  test('a notification on a listen stream reports the status of a task before the next poll', async () => {
    const bench = await connect();
    const call = await bench.start('long-job', { steps: 1, milliseconds: 400 });
    const { id } = await bench.taskOf(call);
    await engine.call('calls/request', {
      sessionId: bench.sessionId,
      method: 'subscriptions/listen',
      params: JSON.stringify({ notifications: { taskIds: [id] } }),
      timeout: null,
    });
    expect((await bench.ended(call)).state).toBe('ok');
    expect(await bench.resultOf(call)).toContain('Done in 1 steps');
    const { resultRow } = await bench.taskOf(call);
    expect(await bench.textOf(resultRow ?? -1)).toContain('"method":"notifications/tasks"');
    expect(await bench.result(id)).toBe(await bench.resultOf(call));
  });

  test('there is no list of tasks', async () => {
    const bench = await connect();
    const refresh = engine.call('tasks/refresh', { sessionId: bench.sessionId });
    await expect(refresh).rejects.toThrow('cannot list its tasks');
    expect(await bench.requests('tasks/list')).toEqual([]);
  });
});

test('over HTTP a task is followed by its id in the next session', async () => {
  feature = await connectModern(engine, 'streamable-http');
  const before = new TaskBench(engine, feature.session.id);
  const call = await before.start('long-job', { input: true });
  await before.waiting(2);
  const { id } = await before.taskOf(call);
  await engine.call('sessions/close', { sessionId: before.sessionId });
  expect((await before.ended(call)).state).toBe('lost');

  const after = new TaskBench(engine, (await engine.reconnect(feature.session.serverId)).id);
  await expect(after.follow('never-was')).rejects.toThrow('does not know task never-was');
  expect(await after.follow(id)).toMatchObject({ status: 'input_required', isFollowed: true, callId: null });
  const [name, agreed] = await after.waiting(2);
  expect(name).toMatchObject({ by: 'input', callId: null });
  await after.answer(name, accepted({ name: 'Ada' }));
  await after.answer(agreed, accepted({ agrees: false }));
  expect(await after.task(({ isFollowed }) => !isFollowed)).toMatchObject({
    status: 'completed',
    fault: null,
  });
  expect(await after.result(id)).toContain('Ada');
});
