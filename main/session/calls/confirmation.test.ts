import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { ConfirmationLevel } from '#shared/contract/settings.ts';

const demo = { command: process.execPath, args: ['fixtures/demo/index.ts'] };

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const setLevel = (serverId: string, level: ConfirmationLevel) =>
  engine.call('settings/write', { toolConfirmations: [{ serverId, level }] });

/** Calls a tool of the demo server; the code of the fault if the engine refuses to. */
async function attempt(sessionId: string, tool: string, isConfirmed?: boolean): Promise<string> {
  const args = tool === 'echo' ? { message: 'hi' } : {};
  const start = engine.startTool(sessionId, tool, args, isConfirmed === undefined ? {} : { isConfirmed });
  return start.then(
    async ({ id }) => (await engine.ended(sessionId, id)).state,
    (error: unknown) => (error as { fault: { code: string } }).fault.code,
  );
}

const sentCalls = async (sessionId: string) =>
  (await engine.rows(sessionId)).filter(
    ({ method, direction }) => method === 'tools/call' && direction === 'out',
  );

test('each run of a destructive tool is confirmed, and the engine sends none before that', async () => {
  const { id } = await engine.connect(demo);
  expect(await attempt(id, 'delete_notes')).toBe('confirm-destructive');
  expect(await attempt(id, 'delete_notes', false)).toBe('confirm-destructive');
  expect(await sentCalls(id)).toEqual([]);
  expect(await attempt(id, 'delete_notes', true)).toBe('ok');
  expect(await attempt(id, 'delete_notes')).toBe('confirm-destructive');
  expect(await attempt(id, 'echo')).toBe('ok');
});

test('if set so, each tool is confirmed at its first run too, for as long as the app runs', async () => {
  const { id, serverId } = await engine.connect(demo);
  await setLevel(serverId, 'first-run');
  expect(await attempt(id, 'echo')).toBe('confirm-first-run');
  expect(await attempt(id, 'echo', true)).toBe('ok');
  expect(await attempt(id, 'echo')).toBe('ok');
  expect(await attempt(id, 'delete_notes', true)).toBe('ok');
  expect(await attempt(id, 'delete_notes')).toBe('confirm-destructive');
  const next = await engine.reconnect(serverId);
  expect(await attempt(next.id, 'echo')).toBe('ok');
});

test('nothing is confirmed for a trusted server; another one is still asked about', async () => {
  const { id, serverId } = await engine.connect(demo);
  await setLevel(serverId, 'never');
  expect(await attempt(id, 'delete_notes')).toBe('ok');
  const other = await engine.connect(demo);
  expect(await attempt(other.id, 'delete_notes')).toBe('confirm-destructive');
});

test('"always" holds for one tool of one server', async () => {
  const { id, serverId } = await engine.connect(demo);
  await engine.call('settings/write', { allowedTools: [{ serverId, tool: 'delete_notes' }] });
  expect(await attempt(id, 'delete_notes')).toBe('ok');
  expect(await attempt(id, 'post_note')).toBe('confirm-destructive');
  const other = await engine.connect(demo);
  expect(await attempt(other.id, 'delete_notes')).toBe('confirm-destructive');
});

test('what was chosen is kept for the next start of the app', async () => {
  const { id, serverId } = await engine.connect(demo);
  await setLevel(serverId, 'never');
  await engine.call('sessions/close', { sessionId: id });
  const { folder } = engine;
  await engine.engine.close();
  engine = await EngineFixture.open({ dataFolder: folder });
  const { id: again } = await engine.reconnect(serverId);
  expect(await attempt(again, 'delete_notes')).toBe('ok');
});
