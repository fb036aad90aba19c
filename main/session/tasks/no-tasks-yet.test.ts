import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const server = scriptedServer(`
  'tools/call': (request) => answer(request, { content: [], task: { taskId: 'ISSUE-1', status: 'open' } }),
  'tasks/get': (request) => answer(request, { taskId: 'ISSUE-1', status: 'cancelled', createdAt: '', ttl: null }),`);

test('a result with a task of its own is the end of a call before there were tasks', async () => {
  const { id } = await engine.connect(server, { revision: '2025-06-18' });
  expect(await engine.callTool(id, 'issue')).toMatchObject({ state: 'ok', taskId: null });
});

test('in 2025-11-25 it is a task that is followed', async () => {
  const { id } = await engine.connect(server, { revision: '2025-11-25' });
  expect(await engine.callTool(id, 'issue')).toMatchObject({ state: 'cancelled', taskId: 'ISSUE-1' });
});
