import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accepted, sampled } from '#fixtures/engine/inbox-answers.ts';
import { connectLegacy, type FeatureSession, legacyTransports } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { Call } from '#shared/contract/calls.ts';
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

/** What the tool of the fixture tells of the task it had us do. */
const resultSchema = z.object({
  isTask: z.boolean(),
  created: z.record(z.string(), z.unknown()),
  listed: z.object({ result: z.object({ tasks: z.array(z.object({ taskId: z.string() })) }) }).optional(),
  cancelled: z.unknown().optional(),
  polled: z.array(z.object({ result: z.object({ status: z.string() }).loose().optional() })),
  result: z.unknown().optional(),
  statuses: z.array(z.object({ status: z.string() }).loose()),
});

const reported = async (bench: TaskBench, call: Call) => {
  const result = z
    .object({ content: z.array(z.object({ text: z.string() })) })
    .parse(JSON.parse(await bench.resultOf(call)));
  return resultSchema.parse(JSON.parse(result.content[0]?.text ?? ''));
};

describe.each(legacyTransports)('a question of the server as a task of ours, over %s', (transport) => {
  const connect = async () => {
    feature = await connectLegacy(engine, transport);
    expect(feature.session.phase).toBe('ready');
    return new TaskBench(engine, feature.session.id);
  };

  test('is answered with a task at once, listed, polled, and its result returned', async () => {
    const bench = await connect();
    const call = await bench.start('ask-sampling-as-task', { lists: true, milliseconds: 10 });
    const [entry] = await bench.waiting();
    expect(entry).toMatchObject({ method: 'sampling/createMessage', by: 'request' });
    const task = await bench.task(({ polls }) => polls > 1);
    expect(task).toMatchObject({
      kind: 'core',
      owner: 'client',
      method: 'sampling/createMessage',
      status: 'working',
      ttl: 60_000,
      isFollowed: false,
      resultRow: null,
    });
    expect(await bench.result(task.id)).toBeNull();
    await bench.answer(entry, sampled);
    const { isTask, listed, polled, result, statuses } = await reported(bench, call);
    expect(isTask).toBe(true);
    expect(listed?.result.tasks).toMatchObject([{ taskId: task.id }]);
    expect(polled.map((one) => one.result?.status)).toEqual([
      ...polled.slice(1).map(() => 'working'),
      'completed',
    ]);
    expect(result).toMatchObject({
      result: {
        model: 'by hand',
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.id } },
      },
    });
    expect(statuses).toMatchObject([{ taskId: task.id, status: 'completed' }]);
    const ended = await bench.task(({ resultRow }) => resultRow !== null);
    expect(ended).toMatchObject({ id: task.id, status: 'completed' });
    // The answer stands where the server had it.
    const [answered] = await bench.entries();
    expect(answered).toMatchObject({ state: 'answered', responseRow: ended.resultRow });
    expect(await bench.result(task.id)).toBe(sampled.json);
  });

  test('lets a request for the result wait until the user has answered', async () => {
    const bench = await connect();
    const call = await bench.start('ask-elicitation-as-task', { waits: true });
    const [entry] = await bench.waiting();
    const [request] = await engine.until(async () => {
      const rows = await bench.requests('tasks/result', 'in');
      return rows.length > 0 ? rows : null;
    });
    expect(request).toMatchObject({ status: 'pending' });
    await bench.answer(entry, accepted({ name: 'Ada' }));
    const { result } = await reported(bench, call);
    expect(result).toMatchObject({ result: { action: 'accept', content: { name: 'Ada' } } });
  });

  test('fails when the user refuses it, and gives that error as its result', async () => {
    const bench = await connect();
    const call = await bench.start('ask-sampling-as-task', { milliseconds: 10 });
    const [entry] = await bench.waiting();
    await bench.answer(entry, { kind: 'decline' });
    const { result } = await reported(bench, call);
    expect(result).toMatchObject({ error: { code: -1, message: 'User rejected sampling request' } });
    expect(await bench.task(({ status }) => status === 'failed')).toMatchObject({ owner: 'client' });
  });

  test('is taken back when the server cancels it', async () => {
    const bench = await connect();
    const call = await bench.start('ask-elicitation-as-task', { cancels: true });
    const { cancelled, result } = await reported(bench, call);
    expect(cancelled).toMatchObject({ result: { status: 'cancelled' } });
    expect(result).toMatchObject({ error: { code: -32602 } });
    expect((await bench.entries()).map(({ state }) => state)).toEqual(['withdrawn']);
  });

  test('can be cancelled by the user, and the server is notified', async () => {
    const bench = await connect();
    const call = await bench.start('ask-elicitation-as-task', { milliseconds: 10 });
    await bench.waiting();
    const { id } = await bench.task(({ owner }) => owner === 'client');
    await expect(bench.follow(id)).rejects.toThrow('This is a task of the client');
    await bench.cancel(id);
    const { statuses } = await reported(bench, call);
    expect(statuses).toMatchObject([{ taskId: id, status: 'cancelled' }]);
    expect((await bench.entries()).map(({ state }) => state)).toEqual(['withdrawn']);
  });

  test('is gone when its time is over, and so is the question', async () => {
    const bench = await connect();
    const call = await bench.start('ask-sampling-as-task', { ttl: 60, waits: true });
    const { result } = await reported(bench, call);
    expect(result).toMatchObject({
      error: { code: -32602, message: 'The time of the task is over, so there is no result' },
    });
    expect((await bench.entries()).map(({ state }) => state)).toEqual(['withdrawn']);
    expect(await bench.task(({ owner }) => owner === 'client')).toMatchObject({
      status: 'cancelled',
      statusMessage: 'The time of the task is over',
    });
  });
});

test('a question that asks for a task is answered like any other when tasks were not announced', async () => {
  const server = scriptedServer(`
    'tools/call'(request) {
      server.call = request;
      write({ id: 'q', method: 'elicitation/create', params: { message: 'Name?', task: { ttl: 1000 } } });
    },
    answered(message) { answer(server.call, { content: [], structuredContent: message }) },
  `);
  const client = { info: null, capabilities: { elicitation: {} }, roots: [], rules: [] };
  const session = await engine.connect(server, { client });
  feature = { session, close: () => Promise.resolve() };
  const bench = new TaskBench(engine, session.id);
  const call = await bench.start('any');
  const [entry] = await bench.waiting();
  await bench.answer(entry, accepted({ name: 'Ada' }));
  expect(await bench.resultOf(call)).toContain('"content":{"name":"Ada"}');
  expect(await bench.tasks()).toEqual([]);
});

test('a cancelled request for a result is told from its neighbor by the last digit of its id', async () => {
  const server = scriptedServer(`
    'tools/call'(request) {
      server.call = request;
      write({ id: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, task: {} } });
    },
    ids: [],
    answered({ id, result }, line) {
      if (id === 'ask') {
        const params = '"params":{"taskId":"' + result.task.taskId + '"}';
        for (const id of ['9007199254740993', '9007199254740992'])
          console.log('{"jsonrpc":"2.0","id":' + id + ',"method":"tasks/result",' + params + '}');
        console.log('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}');
        write({ id: 'last', method: 'ping' });
      } else {
        server.ids.push(line.match(/"id":([^,]+)/)[1]);
        if (server.ids.length === 2) answer(server.call, { content: [], structuredContent: server.ids });
      }
    },`);
  const session = await engine.connect(server);
  feature = { session, close: () => Promise.resolve() };
  const bench = new TaskBench(engine, session.id);
  const call = await bench.start('any');
  await engine.row(session.id, ({ method, direction }) => method === 'ping' && direction === 'in');
  const [entry] = await bench.waiting();
  await bench.answer(entry, sampled);
  expect(await bench.resultOf(call)).toContain(String.raw`["\"last\"","9007199254740992"]`);
});
