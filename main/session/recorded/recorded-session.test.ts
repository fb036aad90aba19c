import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectLegacy, connectModern } from '#fixtures/engine/feature-servers.ts';
import { sampled } from '#fixtures/engine/inbox-answers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { TaskBench } from '#fixtures/engine/task-bench.ts';
import { everythingOverStdio, startEverything } from '#fixtures/http/start-server.ts';
import { modernOverStdio, startModernServer } from '#fixtures/modern/start.ts';
import { type CacheHint, catalogLists } from '#shared/contract/catalog.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

async function engine(): Promise<EngineFixture> {
  const opened = await EngineFixture.open();
  onTestFinished(() => opened.close());
  return opened;
}

/** A list without the exact time of its reading: the engine notes it a moment after the response was recorded. */
const listed = <L extends { cache: CacheHint | null }>({ cache, ...list }: L) => ({
  ...list,
  cache: cache && { ...cache, readAt: new Date(cache.readAt).getFullYear() },
});

/** What the panes show of a session. */
async function shown(from: EngineFixture, sessionId: string, view: SessionView) {
  const { agreement, evidence, http, process, switchesOn, logLevel, toolCount, resourceCount, promptCount } =
    view;
  const calls = await from.call('calls/list', { sessionId });
  const results = await Promise.all(
    calls.map(async ({ id: callId }) => (await from.call('calls/result', { sessionId, callId })).text),
  );
  return {
    view: {
      agreement,
      evidence,
      http: http && {
        ...http,
        streams: http.streams.toSorted((a, b) => a.row - b.row),
        // A recording does not have the tokens, so it cannot tell whether they are still good.
        authorization: null,
      },
      process,
      switchesOn,
      logLevel,
      counts: { toolCount, resourceCount, promptCount },
      ending: { phase: view.phase, reason: view.reason, closedAt: Math.round((view.closedAt ?? 0) / 1000) },
    },
    tools: listed(await from.call('catalog/tools', { sessionId })),
    resources: listed(await from.call('catalog/resources', { sessionId })),
    templates: listed(await from.call('catalog/templates', { sessionId })),
    prompts: listed(await from.call('catalog/prompts', { sessionId })),
    calls: calls.map(({ method, tool, arguments: args, state, size, error, requestRow, responseRow }) => ({
      method,
      tool,
      args,
      state,
      size,
      error,
      requestRow,
      responseRow,
    })),
    outputs: calls.map(({ argumentsValidation, outputValidation }) => [
      argumentsValidation,
      outputValidation,
    ]),
    results,
  };
}

/** Reads every list of a session once more, after any reading that the server has caused, and waits until all are read. */
async function allListed(live: EngineFixture, sessionId: string): Promise<void> {
  for (const list of catalogLists) await live.call('catalog/refresh', { sessionId, list });
  for (const list of catalogLists) {
    await live.until(async () => {
      const { state } = await live.call(`catalog/${list}`, { sessionId });
      return state === 'loading' || state === 'waiting' ? null : true;
    });
  }
}

/** Ends a session, opens its trace in another engine, and returns what both show. */
async function recordedOf(live: EngineFixture, sessionId: string) {
  await allListed(live, sessionId);
  await live.call('sessions/close', { sessionId });
  const ended = await live.settled(sessionId, ['closed', 'failed']);
  const before = await shown(live, sessionId, ended);
  const later = await engine();
  const path = join(later.folder, 'recorded.mcptrace');
  await copyFile(ended.traceFile.path, path);
  const opened = await later.call('traces/open', { path });
  await later.until(async () => {
    const all = await later.call('traces/opened', {});
    return all.find((one) => one.sessionId === opened.sessionId)?.isRead ? true : null;
  });
  const view = await later.call('traces/session', { sessionId: opened.sessionId });
  return { before, after: await shown(later, opened.sessionId, view), later, recordedId: opened.sessionId };
}

async function use(live: EngineFixture, sessionId: string): Promise<void> {
  const request = async (method: string, params: object) => {
    const { id } = await live.call('calls/request', {
      sessionId,
      method,
      params: JSON.stringify(params),
      timeout: null,
    });
    await live.ended(sessionId, id);
  };
  await live.callTool(sessionId, 'echo', '{"message": "again", "n": 1.0}');
  await live.callTool(sessionId, 'get-structured-content', { location: 'Chicago' });
  await live.callTool(sessionId, 'no-such-tool', {});
  await request('resources/read', { uri: 'demo://resource/dynamic/text/1' });
  await request('resources/read', { uri: 'demo://nothing' });
  await request('prompts/get', { name: 'args-prompt', arguments: { city: 'Bern' } });
  await live.call('sessions/set-log-level', { sessionId, level: 'warning' });
}

test('server-everything over stdio: the trace shows what the session showed', async () => {
  const live = await engine();
  const { id } = await live.connect(everythingOverStdio);
  await use(live, id);
  const { before, after } = await recordedOf(live, id);
  expect(after).toEqual(before);
  expect(after.calls).toHaveLength(6);
  expect(after.view.evidence.length).toBeGreaterThan(0);
});

test.each(['streamableHttp', 'sse'] as const)('server-everything over %s', async (transport) => {
  const server = await startEverything(transport);
  onTestFinished(() => server.close());
  const live = await engine();
  const { id } = await live.connectUrl(server.url);
  await use(live, id);
  const { before, after } = await recordedOf(live, id);
  expect(after).toEqual(before);
});

test.each(['stdio', 'http'] as const)('a server of the modern era over %s', async (transport) => {
  const live = await engine();
  const server = transport === 'http' ? await startModernServer() : null;
  if (server !== null) onTestFinished(() => server.close());
  const { id } =
    server === null
      ? await live.connect(modernOverStdio, { era: 'auto' })
      : await live.connectUrl(server.url);
  const { before, after } = await recordedOf(live, id);
  expect(after).toEqual(before);
  expect(after.view.agreement?.era).toBe('modern');
});

describe('the tasks of a session', () => {
  /** The tasks as both show them; a recorded call has another id. */
  const tasksIn = async (from: EngineFixture, sessionId: string) => {
    const tasks = await from.call('tasks/list', { sessionId });
    return Promise.all(
      tasks.map(async ({ callId: _call, sessionId: _session, ...task }) => ({
        ...task,
        text: (await from.call('tasks/result', { sessionId, taskId: task.id })).text,
      })),
    );
  };
  const callsIn = async (from: EngineFixture, sessionId: string) =>
    (await from.call('calls/list', { sessionId })).map(({ state, taskId, error, responseRow }) => ({
      state,
      taskId,
      error,
      responseRow,
    }));
  const never = { ends: 'never', milliseconds: 60_000 };

  test('of 2025-11-25, of both sides, as they were when it ended', async () => {
    const live = await engine();
    const feature = await connectLegacy(live, 'streamable-http');
    onTestFinished(() => feature.close());
    const bench = new TaskBench(live, feature.session.id);
    const { sessionId } = bench;
    const asTask = { task: { ttl: 60_000 } };
    for (const ends of ['completed', 'failed', 'cancelled', 'tool-error']) {
      await bench.ended(await bench.start('long-job', { ends, steps: 2 }, asTask));
    }
    const cancelled = await bench.start('long-job', never, asTask);
    await bench.cancel((await bench.taskOf(cancelled)).id);
    await bench.ended(cancelled);
    const call = await bench.start('ask-sampling-as-task', { milliseconds: 10 });
    const [entry] = await bench.waiting();
    await bench.answer(entry, sampled);
    await bench.ended(call);
    await bench.taskOf(await bench.start('long-job', never, asTask));
    const { later, recordedId } = await recordedOf(live, sessionId);
    const before = await tasksIn(live, sessionId);
    expect(before.map(({ owner, status }) => `${owner} ${status}`)).toEqual([
      'server completed',
      'server failed',
      'server cancelled',
      'server failed',
      'server cancelled',
      'client completed',
      'server working',
    ]);
    expect(await tasksIn(later, recordedId)).toEqual(before);
    expect(await callsIn(later, recordedId)).toEqual(await callsIn(live, sessionId));
    const view = await later.call('traces/session', { sessionId: recordedId });
    expect(view).toMatchObject({ taskCount: 7, resumableTasks: 0 });
  });

  test('of 2025-11-25, with a poll that is answered after the task has ended', async () => {
    const live = await engine();
    const server = scriptedServer(`
      job: { taskId: 'job', status: 'working', ttl: null, pollInterval: 50, createdAt: '', lastUpdatedAt: '' },
      initialize(request) {
        const serverInfo = { name: 'scripted', version: '1.0.0' };
        answer(request, { protocolVersion: '2025-11-25', capabilities: { tools: {}, tasks: {} }, serverInfo });
      },
      'tools/call'(request) { answer(request, { task: server.job }) },
      'tasks/get'(request) {
        server.poll = request;
        write({ method: 'notifications/tasks/status', params: { ...server.job, status: 'completed' } });
      },
      'tasks/result'(request) { answer(request, { content: [] }) },
      'resources/list'(request) { answer(request, { resources: [] }) },
      'resources/templates/list'(request) { answer(request, { resourceTemplates: [] }) },
      'prompts/list'(request) { answer(request, { prompts: [] }) },
      ping(request) {
        answer(server.poll, { ...server.job, status: 'completed' });
        answer(request, {});
      },
    `);
    const bench = new TaskBench(live, (await live.connect(server)).id);
    const { sessionId } = bench;
    await bench.ended(await bench.start('any', {}, { task: { ttl: null } }));
    await live.call('sessions/ping', { sessionId });
    const { later, recordedId } = await recordedOf(live, sessionId);
    const before = await tasksIn(live, sessionId);
    expect(before).toMatchObject([{ status: 'completed', polls: 1 }]);
    expect(await tasksIn(later, recordedId)).toEqual(before);
  });

  test('of the extension', async () => {
    const live = await engine();
    const feature = await connectModern(live, 'streamable-http');
    onTestFinished(() => feature.close());
    const bench = new TaskBench(live, feature.session.id);
    const { sessionId } = bench;
    for (const ends of ['completed', 'failed', 'cancelled']) {
      await bench.ended(await bench.start('long-job', { ends, steps: 2 }));
    }
    await bench.taskOf(await bench.start('long-job', never));
    const { later, recordedId } = await recordedOf(live, sessionId);
    const before = await tasksIn(live, sessionId);
    expect(before.map(({ status }) => status)).toEqual(['completed', 'failed', 'cancelled', 'working']);
    expect(await tasksIn(later, recordedId)).toEqual(before);
    expect(await callsIn(later, recordedId)).toEqual(await callsIn(live, sessionId));
  });
});
