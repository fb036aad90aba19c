import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accepted, sampled } from '#fixtures/engine/inbox-answers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { TaskBench } from '#fixtures/engine/task-bench.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import { everythingOverStdio, startEverything, type StartedServer } from '#fixtures/http/start-server.ts';

let engine: EngineFixture;
let started: StartedServer | null;
beforeEach(async () => {
  engine = await EngineFixture.open();
  started = null;
});
afterEach(async () => {
  await engine.close();
  await started?.close();
});

const asTask = { task: { ttl: 60_000 } };

describe.each(['stdio', 'streamable-http'] as const)('tasks of a real server over %s', (transport) => {
  const connect = async () => {
    const client = defaultClientProfile;
    if (transport === 'stdio') {
      return new TaskBench(engine, (await engine.connect(everythingOverStdio, { client })).id);
    }
    started = await startEverything('streamableHttp');
    return new TaskBench(engine, (await engine.connectUrl(started.url, { era: 'legacy', client })).id);
  };

  test('a task that asks for input on the stream of tasks/result', async () => {
    const bench = await connect();
    const call = await bench.start('simulate-research-query', { topic: 'python', ambiguous: true }, asTask);
    const entry = await bench.question('elicitation/create');
    expect(entry.callId).toBe(call.id);
    expect(await bench.taskOf(call)).toMatchObject({ status: 'input_required', isFollowed: true });
    await bench.answer(entry, accepted({ interpretation: 'snake' }));
    expect(await bench.resultOf(call)).toContain('python (snake)');
    expect(await bench.task(({ status }) => status === 'completed')).toMatchObject({
      method: 'tools/call',
      isFollowed: false,
      fault: null,
    });
  });

  test('a question as a task of ours', async () => {
    const bench = await connect();
    const call = await bench.start('trigger-sampling-request-async', { prompt: 'Capital of France?' });
    const entry = await bench.question('sampling/createMessage');
    await bench.task(({ owner, polls }) => owner === 'client' && polls > 0);
    await bench.answer(entry, sampled);
    const text = await bench.resultOf(call);
    expect(text).toContain('Async sampling completed');
    expect(text).toContain('Paris');
  });
});

test('a tool that must be a task says so when it is called without one', async () => {
  const bench = new TaskBench(engine, (await engine.connect(everythingOverStdio)).id);
  const call = await bench.start('simulate-research-query', { topic: 'python' });
  expect((await bench.ended(call)).state).not.toBe('ok');
  expect(await bench.tasks()).toEqual([]);
});
