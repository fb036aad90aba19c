import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { memorySecrets } from '#config/secrets.ts';
import { ServerList } from '#config/server-list.ts';
import type { ClientFormat, ConfigurationSource, Server } from '#shared/contract/servers.ts';
import { ClientConfigurations } from './client-configurations.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const text = (content: object | string, format: ClientFormat | null = null): ConfigurationSource => ({
  kind: 'text',
  text: typeof content === 'string' ? content : JSON.stringify(content),
  path: null,
  format,
});

const importAll = async (
  source: ConfigurationSource,
  values: Record<string, string> = {},
): Promise<Server[]> => {
  const { servers } = await engine.call('servers/import-preview', { source });
  const picks = servers.map(({ key, existingId }) => ({ key, name: null, replaces: existingId }));
  return engine.call('servers/import', { source, picks, values });
};

const exported = (servers: readonly Server[], format: ClientFormat, original: string | null = null) =>
  engine.call('servers/export', {
    ids: servers.map(({ id }) => id),
    format,
    into: original === null ? { kind: 'new' } : { kind: 'text', text: original },
  });

const planted = {
  mcpServers: {
    local: {
      command: 'node',
      args: ['--token', 'planted-arg-1'],
      env: { API_KEY: 'planted-env-1', MODE: 'x' },
    },
    remote: {
      url: 'https://example.com/mcp?token=planted-url-1&lang=en',
      headers: { Authorization: 'Bearer planted-header-1' },
    },
  },
};

describe('an import', () => {
  test('is shown without its secrets, and stores nothing before it is confirmed', async () => {
    const preview = await engine.call('servers/import-preview', { source: text(planted) });
    expect(JSON.stringify(preview)).not.toMatch(/planted-(?:env|url|header)/);
    expect(preview.servers.map(({ settings, line }) => [settings.name, line])).toEqual([
      ['local', 1],
      ['remote', 1],
    ]);
    expect(await engine.call('servers/list', {})).toEqual([]);
  });

  test('keeps secret values in the store and out of the settings file', async () => {
    const [local, remote] = await importAll(text(planted));
    expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toMatch(
      /planted-(?:env|url|header)/,
    );
    const reveal = (id = '', name = '') => engine.call('servers/reveal', { id, name });
    expect(await reveal(local?.id, 'API_KEY')).toEqual({ value: 'planted-env-1' });
    expect(await reveal(remote?.id, 'Authorization')).toEqual({ value: 'Bearer planted-header-1' });
    expect(await engine.call('servers/reveal-url', { id: remote?.id ?? '' })).toEqual({
      url: planted.mcpServers.remote.url,
    });
  });

  test('of a command line asks at its first start, and again when the file changed it', async () => {
    const { command, args } = misbehavingServer();
    const file = (more: readonly string[]) =>
      text({ mcpServers: { mine: { command, args: [...args, ...more] } } });
    const [server] = await importAll(file([]));
    const open = async (id: string) => (await engine.call('sessions/open', { serverId: id })).outcome;
    const id = server?.id ?? '';
    expect(await open(id)).toBe('approval-needed');
    expect((await engine.reconnect(id)).phase).toBe('ready');
    expect(await open(id)).toBe('opened');
    const [changed] = await importAll(file(['no-such-scenario']));
    expect(changed?.id).toBe(id);
    expect(await open(id)).toBe('approval-needed');
  });

  test('declares no capability of the client, unless it is a command line that the user wrote', async () => {
    const [fromFile] = await importAll(text({ mcpServers: { a: { command: 'x' } } }));
    expect(fromFile?.client.capabilities).toEqual({});
    const [written] = await importAll(text('node server.js'));
    expect(written?.client.capabilities).toBeNull();
  });

  test('replaces only what the file knows of a saved server', async () => {
    const [server] = await importAll(text({ mcpServers: { a: { url: 'http://127.0.0.1/one' } } }));
    if (server?.transport.kind !== 'http') throw new Error('no HTTP server');
    const { id, source: _, ...settings } = server;
    const timeouts = { ...settings.timeouts, request: 1234 };
    const transport = { ...server.transport, proxy: 'none' as const };
    await engine.call('servers/save', { id, settings: { ...settings, timeouts, transport, notes: 'mine' } });
    const [changed] = await importAll(text({ mcpServers: { a: { url: 'http://127.0.0.1/two' } } }));
    expect(changed).toMatchObject({ id, timeouts: { request: 1234 }, notes: 'mine' });
    expect(changed?.transport).toMatchObject({ url: 'http://127.0.0.1/two', proxy: 'none' });
  });

  test('beside a server of the same name gets another name', async () => {
    const source = text({ mcpServers: { a: { command: 'x' } } });
    await importAll(source);
    const picks = [{ key: '/mcpServers/a', name: null, replaces: null }];
    const [second] = await engine.call('servers/import', { source, picks, values: {} });
    expect(second?.name).toBe('a (2)');
  });

  test('of a server that the text no longer has is a fault', async () => {
    const picks = [{ key: '/mcpServers/gone', name: null, replaces: null }];
    const outcome = engine.call('servers/import', { source: text(planted), picks, values: {} });
    await expect(outcome).rejects.toMatchObject({ fault: { code: 'configuration-changed' } });
  });

  test('keeps the values of inputs, secret ones in the store, through later changes', async () => {
    const source = text({
      servers: { a: { command: 'x', env: { K: '${input:key}', L: '${input:level}' } } },
      inputs: [
        { id: 'key', type: 'promptString', password: true },
        { id: 'level', type: 'promptString', default: 'info' },
      ],
    });
    const [server] = await importAll(source, { 'input:key': 'planted-input-1' });
    expect(server?.variables).toEqual([
      { name: 'input:key', value: null, secret: true, description: null },
      { name: 'input:level', value: 'info', secret: false, description: null },
    ]);
    if (server === undefined) throw new Error('not imported');
    const { id, source: _, variables, ...settings } = server;
    // As a page does that knows nothing of variables.
    const changed = await engine.call('servers/save', { id, settings: { ...settings, notes: 'changed' } });
    expect(changed.variables).toEqual(variables);
    expect(await engine.call('servers/reveal', { id, name: 'input:key' })).toEqual({
      value: 'planted-input-1',
    });
    expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('planted');
  });
});

describe('an export', () => {
  test.each([
    ['claude-desktop', '${env:API_KEY}', 'write the value in place of'],
    ['claude-code', '${API_KEY}', 'Set API_KEY in the environment of Claude Code'],
    ['vscode', '${input:api-key}', 'VS Code will ask for it'],
    ['cursor', '${env:API_KEY}', 'Set API_KEY in the environment of Cursor'],
    ['windsurf', '${env:API_KEY}', 'Set API_KEY in the environment of Windsurf'],
    ['lm-studio', '${env:API_KEY}', 'write the value in place of'],
    ['zed', '${env:API_KEY}', 'write the value in place of'],
  ] as const)('to %s has a placeholder for each secret, and says so', async (format, placeholder, note) => {
    const { text: written, leftOut } = await exported(await importAll(text(planted)), format);
    expect(written).not.toContain('planted');
    expect(written).toContain(`"API_KEY": "${placeholder}"`);
    expect(written).toContain('"MODE": "x"');
    expect(leftOut.find(({ key }) => key === 'env.API_KEY')).toMatchObject({
      server: 'local',
      why: expect.stringContaining(note),
    });
    // VS Code asks for inputs itself.
    const ofArguments = format === 'vscode' ? [] : ['input:token'];
    for (const key of ['headers.Authorization', 'url (token)', ...ofArguments])
      expect(leftOut.map((one) => one.key)).toContain(key);
  });

  test('into VS Code declares its inputs beside those that are there', async () => {
    const original =
      '{\n\t"inputs": [\n\t\t{ "id": "other", "type": "promptString" }, // mine\n\t],\n\t"servers": {},\n}\n';
    const { text: written } = await exported(await importAll(text(planted)), 'vscode', original);
    const { servers } = await engine.call('servers/import-preview', { source: text(written) });
    expect(servers[0]?.settings.variables).toContainEqual({
      name: 'input:api-key',
      value: null,
      secret: true,
      description: 'api-key of local',
    });
    expect(written).toContain('{ "id": "other", "type": "promptString" }, // mine');
    expect(written).toContain('"url": "https://example.com/mcp?token=${input:remote-token}&lang=en"');
  });

  test('keeps placeholders of a URL, although its parameter is held as a secret', async () => {
    const file = '{"mcpServers": {"a": {"url": "https://example.com/mcp?token=${env:TOKEN}"}}}';
    const servers = await importAll(text(file, 'cursor'));
    expect((await exported(servers, 'cursor', file)).text).toBe(file);
    expect((await exported(servers, 'claude-code')).text).toContain('?token=${TOKEN}"');
  });

  test('says what a client cannot hold', async () => {
    const [server] = await importAll(text(planted));
    if (server === undefined) throw new Error('not imported');
    const { id, source: _, ...settings } = server;
    const timeouts = { ...settings.timeouts, request: 1 };
    const saved = await engine.call('servers/save', {
      id,
      settings: { ...settings, timeouts, era: 'modern' },
    });
    const { leftOut } = await exported([saved], 'cursor');
    expect(leftOut.map(({ key }) => key)).toEqual(expect.arrayContaining(['timeouts', 'revision']));
  });

  test('into a text with an error changes nothing and says where it is', async () => {
    const outcome = exported(await importAll(text(planted)), 'cursor', '{\n  "mcpServers": {,\n}');
    await expect(outcome).rejects.toMatchObject({
      fault: { code: 'configuration-damaged', what: expect.stringContaining('line 2, column 18') },
    });
  });

  test('turns a process into an address, and keeps what the client says of it', async () => {
    const original = '{"mcpServers": {"remote": {"command": "x", "args": ["y"], "disabled": true}}}';
    const [, remote] = await importAll(text(planted));
    if (remote === undefined) throw new Error('not imported');
    const { text: written } = await exported([remote], 'claude-code', original);
    expect(JSON.parse(written)).toEqual({
      mcpServers: {
        remote: {
          disabled: true,
          type: 'http',
          url: 'https://example.com/mcp?token=${REMOTE_TOKEN}&lang=en',
          headers: { Authorization: '${REMOTE_AUTHORIZATION}' },
        },
      },
    });
  });
});

describe('an export to the registry', () => {
  const entryOf = async (command: string, args: string[], env: Record<string, string> = {}) => {
    const servers = await importAll(text({ mcpServers: { 'my server': { command, args, env } } }));
    const { text: written } = await exported(servers, 'registry');
    return { written, read: await engine.call('servers/import-preview', { source: text(written) }) };
  };

  test.each([
    ['npx', ['-y', '@scope/tool@1.2.3', '--port', '3000']],
    ['uvx', ['tool', 'serve']],
    ['docker', ['run', '-i', '--rm', '-e', 'MODE', 'ghcr.io/a/tool:1', 'serve']],
  ])('describes a package of %s, which is read back as the same command line', async (command, args) => {
    const { read } = await entryOf(command, args, { MODE: 'x' });
    expect(read.format).toBe('registry');
    expect(read.servers[0]?.settings).toMatchObject({
      name: 'my-server',
      transport: { kind: 'stdio', command, args, env: [{ name: 'MODE', value: 'x' }] },
    });
  });

  test('asks for secret values', async () => {
    const { written, read } = await entryOf('npx', ['-y', 'tool', '--token', 'planted-arg-1'], {
      API_KEY: 'planted-1',
    });
    expect(written).not.toContain('planted');
    expect(read.servers[0]?.settings.variables?.map(({ name, secret }) => [name, secret])).toEqual([
      ['input:API_KEY', true],
      ['input:token', true],
    ]);
  });

  test('describes a remote with its headers', async () => {
    const [, remote] = await importAll(text(planted));
    if (remote === undefined) throw new Error('not imported');
    const { text: written } = await exported([remote], 'registry');
    expect(written).not.toContain('planted');
    expect(JSON.parse(written)).toMatchObject({
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://example.com/mcp?token={token}&lang=en',
          variables: { token: { isRequired: true, isSecret: true } },
          headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
        },
      ],
    });
  });

  test('is a fault for another program, for several servers, and into another server.json', async () => {
    const fault = { fault: { code: 'configuration-not-expressible' } };
    const servers = await importAll(text(planted));
    await expect(exported(servers, 'registry')).rejects.toMatchObject(fault);
    await expect(exported(servers.slice(0, 1), 'registry')).rejects.toMatchObject(fault);
    const original = '{"name": "a/b", "remotes": [{"type": "sse", "url": "https://example.com/sse"}]}';
    await expect(exported(servers.slice(1), 'registry', original)).rejects.toMatchObject(fault);
    const same = await importAll(text(original));
    expect((await exported(same, 'registry', original)).text).toBe(original);
  });
});

test('an export to command lines has variables of the shell for secrets, and one line a server', async () => {
  const file = {
    mcpServers: {
      a: {
        command: 'npx',
        args: ['-y', 'a b', '--dir', '${env:HOME}/$x'],
        env: { API_KEY: 'planted-1', LEVEL: '${input:level}' },
      },
      ...planted.mcpServers,
    },
  };
  const { text: written, leftOut } = await exported(await importAll(text(file)), 'command-line');
  expect(written.split('\n')).toEqual([
    `API_KEY="\${API_KEY}" LEVEL="\${LEVEL}" npx -y 'a b' --dir "\${HOME}/\\$x"`,
    'API_KEY="${API_KEY}" MODE=x node --token "${TOKEN}"',
    'https://example.com/mcp?token=${env:TOKEN}&lang=en',
    '',
  ]);
  expect(leftOut.map(({ server, key }) => `${server} ${key}`)).toContain('remote headers.Authorization');
});

describe('the files of this machine', () => {
  let home: string;
  let configurations: ClientConfigurations;
  const path = () => join(home, '.cursor', 'mcp.json');
  beforeEach(async () => {
    home = join(engine.folder, 'home');
    await mkdir(join(home, '.cursor'), { recursive: true });
    const servers = new ServerList({
      folder: engine.folder,
      secrets: memorySecrets(),
      demo: { command: 'x', args: [], env: {} },
      onChange: () => {},
      movesSecrets: true,
    });
    configurations = new ClientConfigurations(servers, { platform: 'linux', env: {}, home });
    await writeFile(path(), JSON.stringify(planted));
  });

  test('are those of the table that exist, with their servers and problems', async () => {
    await mkdir(join(home, '.config', 'zed'), { recursive: true });
    await writeFile(join(home, '.config', 'zed', 'settings.json'), '{"context_servers": {');
    await mkdir(join(home, '.claude.json'));
    await writeFile(join(home, 'mcp.json'), JSON.stringify(planted));
    const found = await configurations.found();
    expect(found.map((one) => [one.label, one.servers, one.problems.length])).toEqual([
      ['Claude Code', [], 1],
      ['Cursor', ['local', 'remote'], 0],
      ['Zed', [], 1],
    ]);
    expect(JSON.stringify(found)).not.toContain('planted');
  });

  test('are where each platform has them', async () => {
    const paths = async (platform: NodeJS.Platform, env: Record<string, string>) => {
      const servers = new ServerList({
        folder: engine.folder,
        secrets: memorySecrets(),
        demo: { command: 'x', args: [], env: {} },
        onChange: () => {},
        movesSecrets: true,
      });
      const around = new ClientConfigurations(servers, { platform, env, home });
      return (await around.found()).map((one) => one.path);
    };
    await mkdir(join(home, 'Library', 'Application Support', 'Code', 'User'), { recursive: true });
    const code = join(home, 'Library', 'Application Support', 'Code', 'User', 'mcp.json');
    await writeFile(code, '{"servers": {}}');
    expect(await paths('darwin', {})).toEqual([code, path()]);
    await mkdir(join(home, 'xdg', 'Code', 'User'), { recursive: true });
    await writeFile(join(home, 'xdg', 'Code', 'User', 'mcp.json'), '{"servers": {}}');
    expect(await paths('linux', { XDG_CONFIG_HOME: join(home, 'xdg') })).toEqual([
      join(home, 'xdg', 'Code', 'User', 'mcp.json'),
      path(),
    ]);
  });

  test('no other path is read or written through it', async () => {
    const other = join(home, 'mcp.json');
    await writeFile(other, JSON.stringify(planted));
    const source = { kind: 'found', path: other } as const;
    const refused = { fault: { code: 'configuration-not-listed' } };
    await expect(configurations.preview(source)).rejects.toMatchObject(refused);
    const [saved] = await configurations.import({
      source: { kind: 'found', path: path() },
      picks: [{ key: '/mcpServers/local', name: null, replaces: null }],
      values: {},
    });
    const into = { kind: 'found', path: join(home, '.cursor', '..', 'mcp.json'), write: true } as const;
    const outcome = configurations.export({ ids: [saved?.id ?? ''], format: 'cursor', into });
    await expect(outcome).rejects.toMatchObject(refused);
  });

  test('is written only when asked to, through a link, with its mode and its own secrets', async () => {
    const real = join(home, 'dotfiles.json');
    const original = `{ // mine\n  "mcpServers": {\n    "old": { "command": "y", "env": { "API_KEY": "planted-own" } }\n  }\n}\n`;
    await writeFile(real, original);
    await chmod(real, 0o640);
    const linked = join(home, '.codeium', 'windsurf');
    await mkdir(linked, { recursive: true });
    await symlink(real, join(linked, 'mcp_config.json'));
    const [server] = await configurations.import({
      source: { kind: 'found', path: path() },
      picks: [{ key: '/mcpServers/local', name: 'new', replaces: null }],
      values: {},
    });
    const into = { kind: 'found', path: join(linked, 'mcp_config.json') } as const;
    const params = { ids: [server?.id ?? ''], format: 'windsurf' as const };
    const shown = await configurations.export({ ...params, into: { ...into, write: false } });
    expect(await readFile(real, 'utf8')).toBe(original);
    await configurations.export({ ...params, into: { ...into, write: true } });
    const written = await readFile(real, 'utf8');
    expect(written).toBe(shown.text);
    expect(written).toContain('{ "command": "y", "env": { "API_KEY": "planted-own" } },');
    expect(written).not.toMatch(/planted-(?:env|arg)/);
    expect((await stat(real)).mode & 0o777).toBe(0o640);
  });

  test.each(['utf-16le', 'utf-16be'] as const)(
    'in %s is read, and stays in it when it is written',
    async (encoding) => {
      const file = join(home, '.lmstudio', 'mcp.json');
      await mkdir(join(home, '.lmstudio'), { recursive: true });
      const encode = (content: string) => {
        const bytes = Buffer.from(`\ufeff${content}`, 'utf16le');
        return encoding === 'utf-16le' ? bytes : bytes.swap16();
      };
      await writeFile(file, encode('{ "mcpServers": { "old": { "command": "y" } } }'));
      const found = await configurations.found();
      expect(found.find((one) => one.path === file)).toMatchObject({ servers: ['old'], problems: [] });
      const [server] = await configurations.import({
        source: { kind: 'found', path: file },
        picks: [{ key: '/mcpServers/old', name: 'new', replaces: null }],
        values: {},
      });
      const into = { kind: 'found', path: file, write: true } as const;
      await configurations.export({ ids: [server?.id ?? ''], format: 'lm-studio', into });
      const written = await readFile(file);
      expect([...written.subarray(0, 2)]).toEqual(encoding === 'utf-16le' ? [0xff, 0xfe] : [0xfe, 0xff]);
      expect(written).toEqual(
        encode('{ "mcpServers": { "old": { "command": "y" }, "new": {"command":"y","args":[]} } }'),
      );
    },
  );

  test('that is no text is named with what it is', async () => {
    await mkdir(join(home, '.lmstudio'), { recursive: true });
    await writeFile(join(home, '.lmstudio', 'mcp.json'), Buffer.from([0x50, 0x4b, 3, 4]));
    const problems = (await configurations.found()).flatMap((one) => one.problems);
    expect(problems).toMatchObject([{ what: expect.stringContaining('This is a ZIP archive') }]);
  });
});
