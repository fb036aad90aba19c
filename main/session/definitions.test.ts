import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { ServerSettings } from '#shared/contract/servers.ts';

// Terminal commands compare nothing.
const host = 'web';
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ host });
});
afterEach(() => engine.close());

/** Saves other settings, connects again, and says what the server defines differently. */
async function changesWith(serverId: string, settings: Partial<ServerSettings>) {
  const [server] = await engine.call('servers/list', {});
  if (server === undefined) throw new Error('No server');
  const { id: _, source: __, ...before } = server;
  await engine.call('servers/save', { id: serverId, settings: { ...before, ...settings } });
  const { id } = await engine.reconnect(serverId);
  return engine.call('sessions/changes', { sessionId: id });
}

const stdio = (...words: Parameters<typeof misbehavingServer>) => ({
  kind: 'stdio' as const,
  ...misbehavingServer(...words),
  cwd: null,
  env: [],
  inherit: 'safe' as const,
});

test('a first connection has nothing to compare with, and a second finds no change', async () => {
  const { id, serverId } = await engine.connect(misbehavingServer());
  expect(await engine.call('sessions/changes', { sessionId: id })).toBeNull();
  const before = Date.now();
  const again = await changesWith(serverId, {});
  expect(again?.changes).toEqual({});
  expect(again?.since).toBeLessThanOrEqual(before);
});

test('what a server defines differently is told, also after a restart', async () => {
  const { serverId } = await engine.connect(misbehavingServer());
  await engine.engine.close();
  engine = await EngineFixture.open({ host, dataFolder: engine.folder });
  const found = await changesWith(serverId, { transport: stdio('paged-tools') });
  expect(Object.keys(found?.changes ?? {})).toEqual(['tools']);
  expect(found?.changes.tools).toMatchObject({ removed: ['echo'], changed: [] });
  const { handshake } =
    (await changesWith(serverId, { transport: { ...stdio(), ...everythingOverStdio } }))?.changes ?? {};
  const changed = Object.fromEntries(handshake?.changed.map((one) => [one.name, one]) ?? []);
  expect(changed.server?.members).toEqual(expect.arrayContaining(['name', 'version']));
  expect(JSON.parse(changed.server?.before ?? '')).toEqual({ name: 'misbehaving', version: '1.0.0' });
  expect(changed.capabilities?.members).toContain('prompts');
});

test('the recording of a session has what changed then, and nothing if nothing changed', async () => {
  const { serverId, traceFile } = await engine.connect(misbehavingServer());
  const found = await changesWith(serverId, { transport: stdio('paged-tools') });
  const [changed] = (await engine.call('sessions/list', {})).filter((one) => one.phase === 'ready');
  const again = await engine.reconnect(serverId);
  await engine.call('sessions/close', { sessionId: again.id });
  await engine.settled(again.id, ['closed']);
  const recorded = async (path: string) => {
    const { sessionId } = await engine.call('traces/open', { path });
    await engine.until(async () => {
      const opened = await engine.call('traces/opened', {});
      return opened.find((one) => one.sessionId === sessionId)?.isRead ? true : null;
    });
    return engine.call('sessions/changes', { sessionId });
  };
  expect(found?.changes.tools?.removed).toEqual(['echo']);
  expect(await recorded(changed?.traceFile.path ?? '')).toEqual(found);
  expect(await recorded(traceFile.path)).toBeNull();
  expect(await recorded(again.traceFile.path)).toBeNull();
});

test('the file is its owner’s alone, has no secrets, and goes with its server', async () => {
  const env = [{ name: 'TOKEN', value: 'a-secret-that-nobody-may-see', secret: true }];
  const { serverId } = await engine.connect(misbehavingServer(), { env });
  const folder = join(engine.folder, 'definitions');
  await expect.poll(() => readdir(folder)).toEqual([`${serverId}.json`]);
  const path = join(folder, `${serverId}.json`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).not.toContain('a-secret-that-nobody-may-see');
  await engine.call('servers/remove', { id: serverId });
  await engine.engine.close();
  await expect.poll(() => readdir(folder)).toEqual([]);
});
