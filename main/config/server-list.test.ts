import { readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { memorySecrets } from './secrets.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  type HttpSettings,
  plainHttpSettings,
  type Server,
  type ServerSettings,
  type StdioSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';
import { ServerList } from './server-list.ts';
import type { Secrets } from './secrets.ts';

const transport: StdioSettings = {
  kind: 'stdio',
  command: 'node',
  args: ['server.js'],
  cwd: null,
  env: [],
  inherit: 'safe',
};
const settings: ServerSettings = {
  name: 'mine',
  transport,
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
};

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const listOf = (secrets: Secrets = memorySecrets()) =>
  new ServerList({
    folder: engine.folder,
    secrets,
    demo: { command: 'x', args: [], env: {} },
    onChange: () => {},
    movesSecrets: true,
  });

function headersIn(server: Server | undefined): HttpSettings['headers'] {
  if (server?.transport.kind !== 'http') throw new Error('no HTTP server');
  return server.transport.headers;
}

describe('the list of servers', () => {
  test('a saved server is there after a restart, in a file that is its owner’s alone', async () => {
    const saved = await engine.call('servers/save', { id: null, settings });
    expect(await listOf().list()).toEqual([saved]);
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
    ['npx', ['-y', '@scope/pkg', '--flag'], '@scope/pkg'],
    ['/usr/bin/node', ['build/index.js'], 'index.js'],
    ['node', [], 'node'],
  ])('%s with %j, named for this run, is shown by what tells it apart', (command, args, name) => {
    expect(listOf().addForThisRun({ kind: 'stdio', command, args, cwd: '/', env: {} })).toMatchObject({
      name,
    });
  });

  test.each([
    ['http://127.0.0.1:3000/mcp', '127.0.0.1:3000'],
    ['https://example.com', 'example.com'],
    ['https://example.com/github/mcp/', 'example.com/github'],
    ['https://example.com/sse?key=1', 'example.com'],
  ])('%s, named for this run, is shown by what tells it apart', (url, name) => {
    const server = listOf().addForThisRun({ kind: 'http', url, headers: [], transport: 'auto' });
    const shown = plainHttpSettings(url.replace('key=1', 'key=••••'));
    expect(server).toMatchObject({ name, era: 'auto', transport: shown });
  });

  test('a value that is no secret any more, or is not set any more, is not held as one', async () => {
    const secret = (name: string) => ({ name, value: `value of ${name}`, secret: true });
    const save = (id: string | null, env: StdioSettings['env']) =>
      engine.call('servers/save', {
        id,
        settings: { ...settings, transport: { ...transport, env } },
      });
    const { id } = await save(null, [secret('STAYS'), secret('SHOWN'), secret('GONE')]);
    const saved = await save(id, [
      { name: 'STAYS', value: null, secret: true },
      { name: 'SHOWN', value: null, secret: false },
    ]);
    expect(saved.transport).toMatchObject({
      env: [
        { name: 'STAYS', value: null, secret: true },
        { name: 'SHOWN', value: 'value of SHOWN', secret: false },
      ],
    });
    const held = ['STAYS', 'SHOWN', 'GONE'].map((name) => engine.call('servers/reveal', { id, name }));
    expect((await Promise.all(held)).map(({ value }) => value)).toEqual(['value of STAYS', null, null]);
  });

  test('a secret value is neither on disk nor on the screen unless asked for, and survives an edit', async () => {
    const env = [{ name: 'KEY', value: 'hunter2222', secret: true }];
    const { id } = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...transport, env } },
    });
    expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('hunter2222');
    const [shown] = await engine.call('servers/list', {});
    expect(shown?.transport).toMatchObject({ env: [{ name: 'KEY', value: null, secret: true }] });
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

describe('the headers of an HTTP server', () => {
  const url = 'https://example.com/mcp';
  const withHeaders = (headers: HttpSettings['headers']): ServerSettings => ({
    ...settings,
    transport: { ...plainHttpSettings(url), headers },
  });

  test('are kept in their order, an empty one too, and the secret ones apart from the settings', async () => {
    const secrets = memorySecrets();
    const list = listOf(secrets);
    const { id } = await list.save(
      null,
      withHeaders([
        { name: 'Authorization', value: 'Bearer hunter2222', secret: true },
        { name: 'X-Empty', value: '', secret: false },
        { name: 'X-Twice', value: 'first-value', secret: true },
        { name: 'x-twice', value: 'second-value', secret: true },
      ]),
    );
    expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toMatch(/hunter2222|-value/);
    expect(await secrets.get(`server/${id}/header/authorization`)).toBe('Bearer hunter2222');
    const server = await list.get(id);
    expect(headersIn(server)[0]).toEqual({ name: 'Authorization', value: null, secret: true });
    const { lines, secrets: found } = await list.filled.headersOf(server);
    expect(lines).toEqual([
      ['Authorization', 'Bearer hunter2222'],
      ['X-Empty', ''],
      ['X-Twice', 'first-value'],
      ['x-twice', 'second-value'],
    ]);
    expect([...found]).toEqual([
      ['header:Authorization', 'Bearer hunter2222'],
      ['header:X-Twice', 'first-value'],
      ['header:x-twice/2', 'second-value'],
    ]);
    expect(await list.filled.environmentOf(server)).toEqual({ values: {}, secrets: new Map() });
  });

  test('keep a secret value when its name is written in another case, and lose it with the header', async () => {
    const { id } = await engine.call('servers/save', {
      id: null,
      settings: withHeaders([{ name: 'X-Key', value: 'hunter2222', secret: true }]),
    });
    const renamed = withHeaders([{ name: 'x-key', value: null, secret: true }]);
    await engine.call('servers/save', { id, settings: renamed });
    expect(await engine.call('servers/reveal', { id, name: 'X-KEY' })).toEqual({ value: 'hunter2222' });
    await engine.call('servers/save', { id, settings: withHeaders([]) });
    await engine.call('servers/save', { id, settings: renamed });
    expect(await engine.call('servers/reveal', { id, name: 'x-key' })).toEqual({ value: null });
  });

  test('go when the server becomes a command line', async () => {
    const secrets = memorySecrets();
    const list = listOf(secrets);
    const header = { name: 'X-Key', value: 'hunter2222', secret: true };
    const { id } = await list.save(null, withHeaders([header]));
    await list.save(id, settings);
    expect(await secrets.get(`server/${id}/header/x-key`)).toBeNull();
  });

  test('named for this run are secret and in no store until the server is saved', async () => {
    const secrets = memorySecrets();
    const list = listOf(secrets);
    const headers = [['X-Key', 'hunter2222']] as const;
    const server = list.addForThisRun({ kind: 'http', url, headers, transport: 'auto' });
    const key = `server/${server.id}/header/x-key`;
    expect(headersIn(server)).toEqual([{ name: 'X-Key', value: null, secret: true }]);
    expect((await list.filled.headersOf(server)).lines).toEqual([['X-Key', 'hunter2222']]);
    expect(await secrets.get(key)).toBeNull();
    await list.save(server.id, withHeaders(headersIn(server)));
    expect(await secrets.get(key)).toBe('hunter2222');
    expect(await list.reveal(server.id, 'X-Key')).toBe('hunter2222');
    await list.remove(server.id);
    await list.forget(server);
    expect(await secrets.get(key)).toBeNull();
  });
});

describe('a certificate that is accepted', () => {
  test('is kept with a saved server', async () => {
    const { id } = await listOf().save(null, {
      ...settings,
      transport: plainHttpSettings('https://a.example'),
    });
    const accepted = await listOf().acceptCertificate(id, 'AB:CD');
    expect(accepted.transport).toMatchObject({ tls: { accepted: 'AB:CD' } });
    expect(await listOf().get(id)).toEqual(accepted);
  });

  test('is kept with a server of this run for this run', async () => {
    const list = listOf();
    const named = { kind: 'http', url: 'https://a.example', headers: [], transport: 'auto' } as const;
    const { id } = list.addForThisRun(named);
    const accepted = await list.acceptCertificate(id, 'AB:CD');
    expect(await list.get(id)).toEqual(accepted);
    expect(await listOf().list()).toEqual([]);
  });

  test('is not possible for a command line', async () => {
    const { id } = await listOf().save(null, settings);
    await expect(listOf().acceptCertificate(id, 'AB:CD')).rejects.toThrow('shows no certificate');
  });
});

test('a file that was written before servers had an era is read', async () => {
  const { id } = await listOf().save(null, { ...settings, era: 'legacy' });
  const path = join(engine.folder, 'servers.json');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/"era": "legacy",/, ''));
  expect(await listOf().get(id)).toMatchObject({ id, era: 'auto' });
});

describe('a command line', () => {
  const target = misbehavingServer();

  test('that was never approved is not run', async () => {
    const { id } = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...transport, ...target } },
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
    const changed = { ...before, transport: { ...transport, ...target, args: [...target.args, 'noise'] } };
    await engine.call('servers/save', { id, settings: changed });
    expect((await engine.call('sessions/open', { serverId: id })).outcome).toBe('approval-needed');
  });

  test('an approval is good for one command line, once', async () => {
    const one = await engine.call('servers/save', { id: null, settings });
    const asked = await engine.call('sessions/open', { serverId: one.id });
    const other = await engine.call('servers/save', {
      id: null,
      settings: { ...settings, transport: { ...transport, args: ['other.js'] } },
    });
    if (asked.outcome !== 'approval-needed') throw new Error('not asked');
    const misused = await engine.call('sessions/open', { serverId: other.id, approval: asked.approval });
    expect(misused.outcome).toBe('approval-needed');
    const again = await engine.call('sessions/open', { serverId: one.id, approval: asked.approval });
    expect(again.outcome).toBe('approval-needed');
  });

  test('named when the app was started needs no approval', async () => {
    const opened = await EngineFixture.open({ namedServer: { kind: 'stdio', ...target } });
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
