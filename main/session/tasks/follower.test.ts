import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';
import { TaskBench } from '#fixtures/engine/task-bench.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A server whose call of any tool becomes a task that says what `states` says, one state a question. */
const serverOf = ({ states, capabilities = '{ cancel: {} }', more = '' }: Script) =>
  scriptedServer(`
    states: ${states},
    made: { taskId: 'job', status: 'working', ttl: null, pollInterval: 50, createdAt: '', lastUpdatedAt: '' },
    initialize(request) {
      answer(request, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: ${capabilities} },
        serverInfo: { name: 'scripted', version: '1.0.0' },
      });
    },
    'tools/call'(request) { answer(request, { task: { ...server.made, ...server.states[0] } }) },
    'tasks/get'(request) {
      if (server.states.length > 1) server.states.shift();
      const [state] = server.states;
      if (state.code) write({ id: request.id, error: { code: state.code, message: state.message } });
      else if (state.silent) return;
      else answer(request, { ...server.made, ...state });
    },
    'tasks/result'(request) { answer(request, { content: [{ type: 'text', text: 'the end' }] }) },
    ${more}
  `);

interface Script {
  readonly states: string;
  readonly capabilities?: string;
  readonly more?: string;
}

const connect = async (script: Script, timeouts = {}) => {
  const settings = { timeouts: { ...defaultTimeouts, ...timeouts } };
  const { id, phase } = await engine.connect(serverOf(script), settings);
  expect(phase).toBe('ready');
  return new TaskBench(engine, id);
};

const asTask = { task: { ttl: null } };

describe('statuses', () => {
  test('that are unknown are shown, and treated as a running task', async () => {
    const states = `[{}, { status: 'Mulling\\u202eover', statusMessage: 'x'.repeat(100_000) }, {}, { status: 'completed' }]`;
    const bench = await connect({ states });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.task(({ status }) => status.startsWith('Mulling'))).statusMessage).toHaveLength(2000);
    expect(await bench.resultOf(call)).toContain('the end');
    expect(await bench.taskOf(call)).toMatchObject({ status: 'completed', statusMessage: null, polls: 3 });
  });

  test('a task that has ended when it is created is not polled', async () => {
    const bench = await connect({ states: `[{ status: 'completed' }]` });
    const call = await bench.start('any', {}, asTask);
    expect(await bench.resultOf(call)).toContain('the end');
    expect(await bench.requests('tasks/get')).toEqual([]);
  });

  test('thousands of notifications do not make us poll more often, and are reported at intervals', async () => {
    let reported = 0;
    const bench = await connect({
      states: `[{}, { status: 'completed' }]`,
      more: `
        'tasks/result'(request) {
          for (let n = 0; n < 3000; n++) {
            const params = { ...server.made, status: 'completed', statusMessage: 'n ' + n };
            write({ method: 'notifications/tasks/status', params });
          }
          answer(request, { content: [] });
        },`,
    });
    engine.engine.onEvent(({ event }) => {
      if (event === 'tasks/changed') reported++;
    });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).state).toBe('ok');
    expect(await bench.task(({ statusMessage }) => statusMessage === 'n 2999')).toMatchObject({ polls: 1 });
    expect(await bench.requests('tasks/result')).toHaveLength(1);
    expect(reported).toBeLessThan(500);
  });

  test('thousands of tasks are not all remembered, and the followed one is', async () => {
    const bench = await connect({
      states: `[{}]`,
      more: `
        ping(request) {
          for (let n = 0; n < 2500; n++) {
            write({ method: 'notifications/tasks/status', params: { ...server.made, taskId: 'other ' + n } });
          }
          answer(request, {});
        },`,
    });
    const call = await bench.start('any', {}, asTask);
    const { id } = await bench.taskOf(call);
    await engine.call('sessions/ping', { sessionId: bench.sessionId });
    const tasks = await bench.tasks();
    expect(tasks).toHaveLength(1000);
    expect(tasks[0]).toMatchObject({ id, isFollowed: true });
    expect(tasks.at(-1)?.id).toBe('other 2499');
  });
});

describe('a task that cannot be followed to its end', () => {
  test.each([
    ['errors', `{ code: -32603, message: 'disk full' }`, 'disk full'],
    ['answers about another task', `{ taskId: 'else' }`, 'is not about task job'],
  ])('is given up after three times: %s', async (_what, state, words) => {
    const bench = await connect({ states: `[{}, {}, ${state}]` });
    const call = await bench.start('any', {}, asTask);
    const { state: came, fault } = await bench.ended(call);
    expect({ came, code: fault?.code }).toEqual({ came: 'lost', code: 'task-unanswered' });
    expect(fault?.what).toContain(words);
    expect(await bench.taskOf(call)).toMatchObject({ status: 'working', isFollowed: false, fault, polls: 4 });
  });

  test('one failure among answers is no reason', async () => {
    const failed = `{ code: -32603, message: 'busy' }`;
    const bench = await connect({
      states: `[{}, ${failed}, ${failed}, {}, ${failed}, { status: 'completed' }]`,
    });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).state).toBe('ok');
  });

  test('is given up at once when the server does not know it any more', async () => {
    const bench = await connect({ states: `[{}, { code: -32602, message: 'Task has expired' }]` });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).fault).toMatchObject({ code: 'task-gone' });
    expect((await bench.taskOf(call)).polls).toBe(1);
  });

  test('is given up when it goes on beyond its time to live', async () => {
    const bench = await connect({ states: `[{ ttl: 120 }]` });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).fault).toMatchObject({ code: 'task-overdue' });
  });

  test('silence counts too; the time limit is that of each question, not of the task', async () => {
    const bench = await connect({ states: `[{}, {}, {}, {}, {}, {}, { silent: true }]` }, { request: 500 });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).fault).toMatchObject({ code: 'task-unanswered' });
    expect((await bench.taskOf(call)).polls).toBeGreaterThan(6);
  });
});

describe('tasks/result', () => {
  test('is sent again once the task has completed, if it was refused earlier', async () => {
    const bench = await connect({
      states: `[{}, { status: 'input_required' }, { status: 'input_required' }, {}, { status: 'completed' }]`,
      more: `
        'tasks/result'(request) {
          if (server.states[0].status === 'completed') answer(request, { content: [] });
          else write({ id: request.id, error: { code: -32603, message: 'not yet' } });
        },`,
    });
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).state).toBe('ok');
    expect(await bench.requests('tasks/result')).toHaveLength(2);
  });

  test('that responds before the status says so ends the task, and the status is polled', async () => {
    const bench = await connect({ states: `[{}, { status: 'input_required' }, { status: 'completed' }]` });
    const call = await bench.start('any', {}, asTask);
    expect(await bench.resultOf(call)).toContain('the end');
    expect(await bench.task(({ status }) => status === 'completed')).toMatchObject({ isFollowed: false });
    expect(await bench.requests('tasks/result')).toHaveLength(1);
  });

  test('that never responds is not awaited forever', async () => {
    const bench = await connect(
      { states: `[{}, { status: 'input_required' }, { status: 'failed' }]`, more: `'tasks/result'() {},` },
      { request: 500 },
    );
    const call = await bench.start('any', {}, asTask);
    expect((await bench.ended(call)).state).toBe('timed-out');
  });
});

describe('cancelling', () => {
  test('is not sent when the server did not announce it; the call is let go and says so', async () => {
    const bench = await connect({ states: `[{}]`, capabilities: '{}' });
    const call = await bench.start('any', {}, asTask);
    const { id } = await bench.taskOf(call);
    await expect(bench.cancel(id)).rejects.toThrow('did not announce tasks.cancel');
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    expect((await bench.ended(call)).state).toBe('cancelled');
    expect(await bench.taskOf(call)).toMatchObject({
      status: 'working',
      isFollowed: false,
      fault: { code: 'task-let-go' },
    });
    expect(await bench.requests('tasks/cancel')).toEqual([]);
    const refresh = engine.call('tasks/refresh', { sessionId: bench.sessionId });
    await expect(refresh).rejects.toThrow('did not announce tasks.list');
  });

  test('that is refused because the task has ended brings its result', async () => {
    const bench = await connect({
      states: `[{ pollInterval: 60_000 }, { status: 'completed' }]`,
      more: `
        'tasks/cancel'(request) {
          write({ id: request.id, error: { code: -32602, message: 'already completed' } });
        },`,
    });
    const call = await bench.start('any', {}, asTask);
    await bench.taskOf(call);
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    expect((await bench.ended(call)).state).toBe('ok');
  });

  test('a server that takes it and goes on is let go when it is cancelled again', async () => {
    const bench = await connect({
      states: `[{ pollInterval: 60_000 }]`,
      more: `'tasks/cancel'(request) { answer(request, server.made) },`,
    });
    const call = await bench.start('any', {}, asTask);
    const { id } = await bench.taskOf(call);
    await bench.cancel(id);
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    await engine.call('calls/cancel', { sessionId: bench.sessionId, callId: call.id });
    expect((await bench.ended(call)).state).toBe('cancelled');
    expect((await bench.taskOf(call)).fault?.code).toBe('task-let-go');
  });
});

test.each([
  ['an error', `write({ id: request.id, error: { code: -32603, message: 'no list' } })`, 'no list'],
  ['no list', `answer(request, { tasks: {} })`, 'no array "tasks"'],
  ['an endless list', `answer(request, { tasks: [server.made], nextCursor: 'again' })`, 'already read'],
])('a list of tasks that is %s is told as that', async (_what, script, words) => {
  const bench = await connect({
    states: `[{}]`,
    capabilities: '{ list: {} }',
    more: `'tasks/list'(request) { ${script} },`,
  });
  const refresh = engine.call('tasks/refresh', { sessionId: bench.sessionId });
  await expect(refresh).rejects.toThrow(words);
});

test('following again polls at once', async () => {
  const bench = await connect({ states: `[{ pollInterval: 60_000 }, {}, { status: 'completed' }]` });
  const call = await bench.start('any', {}, asTask);
  const { id } = await bench.taskOf(call);
  expect(await bench.follow(id)).toMatchObject({ isFollowed: true, polls: 1 });
  expect(await bench.follow(id)).toMatchObject({ status: 'completed' });
  expect((await bench.ended(call)).state).toBe('ok');
});

test('a question that comes before its task belongs to the call that becomes the task', async () => {
  // Two calls wait, so only the task says which of them is meant.
  const more = `
    'tools/call'(request) {
      if (request.params.name === 'other') return;
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'job' } };
      write({ id: 'q', method: 'elicitation/create', params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} }, _meta } });
      server.call = request;
    },
    'notifications/message'() {},
    ping(request) { answer(request, {}); answer(server.call, { task: server.made }) },`;
  const bench = await connect({ states: '[{}]', more });
  await bench.start('other');
  const call = await bench.start('any', {}, asTask);
  const [before] = await bench.waiting();
  expect(before?.callId).toBeNull();
  await engine.call('sessions/ping', { sessionId: bench.sessionId });
  await bench.taskOf(call);
  const [after] = await bench.waiting();
  expect(after).toMatchObject({ id: before?.id, callId: call.id });
});
