import { readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { memorySecrets } from './memory-secrets.ts';
import { defaultTimeouts, type ServerSettings } from '#shared/contract/servers.ts';
import { ServerList } from './server-list.ts';

const settings: ServerSettings = {
  name: 'mine',
  transport: { kind: 'stdio', command: 'node', args: ['server.js'], cwd: null, env: [], inherit: 'safe' },
  revision: null,
  timeouts: defaultTimeouts,
  notes: '',
};

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

describe('the list of servers', () => {
  test('a saved server is there after a restart, in a file that is its owner’s alone', async () => {
    const saved = await engine.call('servers/save', { id: null, settings });
    const list = new ServerList(
      engine.folder,
      memorySecrets(),
      { command: 'x', args: [], env: {} },
      () => {},
    );
    expect(await list.list()).toEqual([saved]);
    expect((await stat(join(engine.folder, 'servers.json'))).mode & 0o777).toBe(0o600);
  });

  test('a change keeps the id, and removing removes', async () => {
    const { id } = await engine.call('servers/save', { id: null, settings });
    await engine.call('servers/save', { id, settings: { ...settings, name: 'renamed' } });
    expect((await engine.call('servers/list', {})).map((server) => [server.id, server.name])).toEqual([
      [id, 'renamed'],
    ]);
    await engine.call('servers/remove', { id });
    expect(await engine.call('servers/list', {})).toEqual([]);
  });

  test.each([
    ['/opt/bin/mcp-server-everything', ['stdio'], 'mcp-server-everything'],
    ['npx', ['-y', '@scope/pkg', '--flag'], 'pkg'],
    ['/usr/bin/node', ['build/index.js'], 'index.js'],
    ['node', [], 'node'],
  ])('%s with %j, named for this run, is shown by what tells it apart', (command, args, name) => {
    const list = new ServerList(
      engine.folder,
      memorySecrets(),
      { command: 'x', args: [], env: {} },
      () => {},
    );
    expect(list.addForThisRun({ command, args, cwd: '/', env: {} })).toMatchObject({ name });
  });

  test('a value that is no secret any more, or is not set any more, is not held as one', async () => {
    const secret = (name: string) => ({ name, value: `value of ${name}`, secret: true });
    const save = (id: string | null, env: ServerSettings['transport']['env']) =>
      engine.call('servers/save', {
        id,
        settings: { ...settings, transport: { ...settings.transport, env } },
      });
    const { id } = await save(null, [secret('STAYS'), secret('SHOWN'), secret('GONE')]);
    const { transport } = await save(id, [
      { name: 'STAYS', value: null, secret: true },
      { name: 'SHOWN', value: null, secret: false },
    ]);
    expect(transport.env).toEqual([
      { name: 'STAYS', value: null, secret: true },
      { name: 'SHOWN', value: 'value of SHOWN', secret: false },
    ]);
    const held = ['STAYS', 'SHOWN', 'GONE'].map((name) => engine.call('servers/reveal', { id, name }));
    expect((await Promise.all(held)).map(({ value }) => value)).toEqual(['value of STAYS', null, null]);
  });

  test('a secret value is neither on disk nor on the screen unless asked for, and survives an edit', async () => {
    const env = [{ name: 'KEY', value: 'hunter2222', secret: true }];
    const { id } = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...settings.transport, env } },
    });
    expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('hunter2222');
    const [shown] = await engine.call('servers/list', {});
    expect(shown?.transport.env).toEqual([{ name: 'KEY', value: null, secret: true }]);
    await engine.call('servers/save', {
      id,
      settings: { ...settings, transport: shown?.transport ?? settings.transport },
    });
    expect(await engine.call('servers/reveal', { id, name: 'KEY' })).toEqual({ value: 'hunter2222' });
    await engine.call('servers/remove', { id });
    expect(await engine.call('servers/reveal', { id, name: 'KEY' })).toEqual({ value: null });
  });

  test('a damaged file is said by name and left as it is', async () => {
    const path = join(engine.folder, 'servers.json');
    await writeFile(path, '{"version":1,');
    await expect(engine.call('servers/list', {})).rejects.toThrow(path);
    await expect(engine.call('servers/save', { id: null, settings })).rejects.toThrow('damaged');
    expect(await readFile(path, 'utf8')).toBe('{"version":1,');
  });

  test('two apps that share the folder do not undo each other’s changes', async () => {
    const other = await EngineFixture.open({ dataFolder: engine.folder });
    await engine.call('servers/save', { id: null, settings });
    await other.call('servers/save', { id: null, settings: { ...settings, name: 'theirs' } });
    expect((await engine.call('servers/list', {})).map((server) => server.name)).toEqual(['mine', 'theirs']);
    await other.engine.close();
  });

  test('wrong settings are refused with the place of the fault', async () => {
    const outcome = await engine.engine.handle('servers/save', {
      id: null,
      settings: { ...settings, name: ' ' },
    });
    expect(outcome).toMatchObject({
      ok: false,
      fault: { code: 'bad-params', why: expect.stringContaining('name') },
    });
  });
});

describe('a command line', () => {
  const target = misbehavingServer();

  test('that was never approved is not run', async () => {
    const { id } = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...settings.transport, ...target } },
    });
    const asked = await engine.call('sessions/open', { serverId: id });
    expect(asked).toMatchObject({
      outcome: 'approval-needed',
      launch: { command: target.command, args: target.args, cwd: homedir() },
    });
    expect(await engine.call('sessions/open', { serverId: id, approval: 'made-up' })).toMatchObject({
      outcome: 'approval-needed',
    });
    expect(await engine.call('sessions/list', {})).toEqual([]);
  });

  test('runs without a question once approved, until it changes', async () => {
    const session = await engine.connect(target);
    expect((await engine.call('sessions/open', { serverId: session.serverId })).outcome).toBe('opened');
    const [server] = await engine.call('servers/list', {});
    if (server === undefined) throw new Error('no server');
    const { id, source: _, ...before } = server;
    const changed = { ...before, transport: { ...before.transport, args: [...target.args, 'noise'] } };
    await engine.call('servers/save', { id, settings: changed });
    expect((await engine.call('sessions/open', { serverId: id })).outcome).toBe('approval-needed');
  });

  test('an approval is good for one command line, once', async () => {
    const one = await engine.call('servers/save', { id: null, settings });
    const asked = await engine.call('sessions/open', { serverId: one.id });
    const other = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...settings.transport, args: ['other.js'] } },
    });
    if (asked.outcome !== 'approval-needed') throw new Error('not asked');
    const misused = await engine.call('sessions/open', { serverId: other.id, approval: asked.approval });
    expect(misused.outcome).toBe('approval-needed');
    const again = await engine.call('sessions/open', { serverId: one.id, approval: asked.approval });
    expect(again.outcome).toBe('approval-needed');
  });

  test('named when the app was started needs no approval', async () => {
    const opened = await EngineFixture.open({ commandLine: target });
    const { initialServerId } = await opened.call('app/info', {});
    const [session] = await opened.call('sessions/list', {});
    expect(session?.serverId).toBe(initialServerId);
    expect((await opened.settled(session?.id ?? '', ['ready', 'failed'])).phase).toBe('ready');
    await opened.close();
  });

  test('is confirmed by the host when it asks to', async () => {
    const shown: string[] = [];
    const host = await EngineFixture.open({
      confirmLaunch: async (launch) => {
        shown.push(launch.command);
        return shown.length > 1;
      },
    });
    await expect(host.connect(target)).rejects.toThrow('did not allow');
    const [server] = await host.call('servers/list', {});
    expect((await host.reconnect(server?.id ?? '')).phase).toBe('ready');
    expect(shown).toEqual([target.command, target.command]);
    await host.close();
  });

  test('a settings file cannot pass a server off as approved', async () => {
    const saved = await engine.call('servers/save', { id: null, settings });
    const path = join(engine.folder, 'servers.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"source": "user"', '"source": "demo"'));
    expect((await engine.call('sessions/open', { serverId: saved.id })).outcome).toBe('approval-needed');
  });
});
