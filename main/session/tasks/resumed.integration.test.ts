import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectLegacy, connectModern, type FeatureSession } from '#fixtures/engine/feature-servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { TaskBench } from '#fixtures/engine/task-bench.ts';

const asTask = { task: { ttl: 60_000 } };
const endless = { ends: 'never', milliseconds: 60_000 };

/** A data folder, and the app started with it as often as a test likes. */
async function dataFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-tasks-'));
  const started: EngineFixture[] = [];
  onTestFinished(async () => {
    for (const engine of started) await engine.engine.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    start: async (host: 'web' | 'cli' = 'web') => {
      const engine = await EngineFixture.open({ dataFolder: folder, host });
      started.push(engine);
      return engine;
    },
  };
}

const closing = (feature: FeatureSession): FeatureSession => {
  onTestFinished(() => feature.close());
  return feature;
};

const resumable = async (engine: EngineFixture, sessionId: string, count: number) =>
  engine.until(async () => {
    const { tasks } = await engine.call('tasks/resumable', { sessionId });
    return tasks.length === count ? tasks : null;
  });

test.each([
  ['2025-11-25', (engine: EngineFixture) => connectLegacy(engine, 'streamable-http')],
  ['the extension', (engine: EngineFixture) => connectModern(engine, 'streamable-http')],
])(
  'after a restart of the app, the same server is asked for its unfinished tasks (%s)',
  async (_, connect) => {
    const data = await dataFolder();
    const first = await data.start();
    const feature = closing(await connect(first));
    const before = new TaskBench(first, feature.session.id);
    const isModern = feature.session.agreement?.era === 'modern';
    const options = isModern ? {} : asTask;
    await before.ended(await before.start('long-job', { steps: 1 }, options));
    const call = await before.start('long-job', endless, options);
    const { id } = await before.taskOf(call);
    await first.engine.close();

    const second = await data.start();
    const after = new TaskBench(second, (await second.reconnect(feature.session.serverId)).id);
    const { sessionId } = after;
    const [task] = await resumable(second, sessionId, 1);
    expect(task).toMatchObject({
      id,
      method: 'tools/call',
      tool: 'long-job',
      status: 'working',
      ttl: 60_000,
    });
    const view = (await second.call('sessions/list', {})).find((one) => one.id === sessionId);
    expect(view).toMatchObject({ taskCount: 0, resumableTasks: 1 });

    expect(await after.follow(id)).toMatchObject({ id, tool: 'long-job', isFollowed: true, polls: 1 });
    await resumable(second, sessionId, 0);
    await after.cancel(id);
    await after.task(({ status }) => status === 'cancelled');
    await second.engine.close();

    const third = await data.start();
    const last = await third.reconnect(feature.session.serverId);
    expect(await third.call('tasks/resumable', { sessionId: last.id })).toMatchObject({ tasks: [] });
  },
);

test('a task that the server has forgotten is suggested only once', async () => {
  const data = await dataFolder();
  const engine = await data.start();
  const feature = closing(await connectLegacy(engine, 'streamable-http'));
  const bench = new TaskBench(engine, feature.session.id);
  const { id } = await bench.taskOf(await bench.start('long-job', endless, asTask));
  await engine.engine.close();
  const path = join(data.folder, 'tasks', `${feature.session.serverId}.json`);
  const kept = await readFile(path, 'utf8');

  await writeFile(path, kept.replaceAll(id, 'never-was'));
  const second = await data.start();
  const after = new TaskBench(second, (await second.reconnect(feature.session.serverId)).id);
  await resumable(second, after.sessionId, 1);
  await expect(after.follow('never-was')).rejects.toThrow('The server does not know task never-was');
  await resumable(second, after.sessionId, 0);
});

test('tasks are not suggested after their time to live, nor when they were dismissed', async () => {
  const data = await dataFolder();
  const engine = await data.start();
  const feature = closing(await connectLegacy(engine, 'streamable-http'));
  const bench = new TaskBench(engine, feature.session.id);
  const short = await bench.taskOf(await bench.start('long-job', endless, { task: { ttl: 400 } }));
  const dismissed = await bench.taskOf(await bench.start('long-job', endless, asTask));
  await engine.engine.close();

  const second = await data.start();
  await new Promise((resolve) => setTimeout(resolve, 400));
  const { id: sessionId } = await second.reconnect(feature.session.serverId);
  const [only] = await resumable(second, sessionId, 1);
  expect(only?.id).toBe(dismissed.id);
  expect(only?.id).not.toBe(short.id);
  await second.call('tasks/forget', { sessionId, taskId: dismissed.id });
  await resumable(second, sessionId, 0);
  await second.engine.close();

  const third = await data.start();
  const last = await third.reconnect(feature.session.serverId);
  expect(await third.call('tasks/resumable', { sessionId: last.id })).toMatchObject({ tasks: [] });
});

test('tasks of a removed server are forgotten, and those on stdio are never kept', async () => {
  const data = await dataFolder();
  const engine = await data.start();
  const http = closing(await connectLegacy(engine, 'streamable-http'));
  const stdio = closing(await connectLegacy(engine, 'stdio'));
  for (const { session } of [http, stdio]) {
    const bench = new TaskBench(engine, session.id);
    await bench.taskOf(await bench.start('long-job', endless, asTask));
  }
  const files = async () => {
    const all = await readdir(join(data.folder, 'tasks')).catch(() => []);
    return all.filter((name) => name.endsWith('.json'));
  };
  await engine.until(async () => ((await files()).length > 0 ? true : null));
  expect(await files()).toEqual([`${http.session.serverId}.json`]);
  await engine.call('servers/remove', { id: http.session.serverId });
  await engine.engine.close();
  expect(await files()).toEqual([]);
});
