import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { memorySecrets } from '#config/secrets.ts';
import { ServerList } from '#config/server-list.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { MAX_LOG_BYTES } from '#shared/contract/servers.ts';
import { redactText } from '#trace/export/redact/redact-text.ts';
import { ClientConfigurations } from './client-configurations.ts';
import { ClientLogs } from './client-logs.ts';
import { logFolders } from './client-paths.ts';

let home: string;
let folder: string;
let logs: ClientLogs;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sightglass-logs-'));
  folder = join(home, '.config', 'Claude', 'logs');
  await mkdir(folder, { recursive: true });
  const around = { platform: 'linux', env: {}, home } as const;
  const servers = new ServerList({
    folder: join(home, 'own'),
    secrets: memorySecrets(),
    demo: { command: 'x', args: [], env: {} },
    onChange: () => {},
    movesSecrets: true,
  });
  logs = new ClientLogs(new ClientConfigurations(servers, around), redactText, around);
});
afterEach(() => rm(home, { recursive: true }));

async function write(name: string, text: string, modified: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await utimes(path, modified, modified);
  return path;
}

test('the logs of Claude Desktop are found, the newest first, and nothing else in their folder', async () => {
  await write('mcp.log', 'a', 100);
  await write('mcp-server-my notes.log', 'bcd', 200);
  await write('main.log', 'x', 300);
  await write('mcp-server-x.txt', 'x', 300);
  await mkdir(join(folder, 'mcp-folder.log'));
  await symlink('/etc/hostname', join(folder, 'mcp-server-link.log'));
  const label = 'Claude Desktop';
  expect(await logs.found()).toEqual([
    {
      path: join(folder, 'mcp-server-my notes.log'),
      label,
      server: 'my notes',
      size: 3,
      modifiedAt: 200_000,
    },
    { path: join(folder, 'mcp.log'), label, server: null, size: 1, modifiedAt: 100_000 },
  ]);
});

test.each([
  ['darwin', {}, ['/home/me/Library/Logs/Claude']],
  ['linux', { XDG_CONFIG_HOME: '/cfg' }, ['/cfg/Claude/logs']],
  [
    'win32',
    { APPDATA: String.raw`C:\Me\Roaming`, LOCALAPPDATA: String.raw`C:\Me\Local` },
    [String.raw`C:\Me\Roaming\Claude\logs`, String.raw`C:\Me\Local\Claude\Logs`],
  ],
] as const)('on %s they are looked for where the client writes them', (platform, env, expected) => {
  expect(logFolders(fileFormat('claude-desktop'), { platform, env, home: '/home/me' })).toEqual(expected);
});

test('a machine without them has none', async () => {
  await rm(folder, { recursive: true });
  expect(await logs.found()).toEqual([]);
});

test('of a large log the end is read, from the beginning of a line on', async () => {
  const lines = Array.from({ length: 30_000 }, (_, line) => `line ${line} é`);
  const path = await write('mcp.log', lines.join('\n'), 100);
  const { text, isWhole, size } = await logs.read(path);
  expect(isWhole).toBe(false);
  expect(size).toBeGreaterThan(MAX_LOG_BYTES);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_LOG_BYTES);
  expect(text).toMatch(/^line \d+ é\n/);
  expect(lines.join('\n').endsWith(text)).toBe(true);
});

test('secrets are replaced: those of the configuration of the client, and those that tell by themselves', async () => {
  const env = { API_KEY: 'planted-env-value' };
  const configuration = { mcpServers: { notes: { command: 'node', args: [], env } } };
  await writeFile(
    join(home, '.config', 'Claude', 'claude_desktop_config.json'),
    JSON.stringify(configuration),
  );
  const path = await write(
    'mcp-server-notes.log',
    'using planted-env-value\npassword: planted-password-1\n',
    100,
  );
  const { text, isWhole } = await logs.read(path);
  expect(isWhole).toBe(true);
  expect(text).not.toContain('planted');
  expect(text).toMatch(/^using \[secret env:API_KEY, 17 characters, [0-9a-f]{8}\]\npassword: \[secret /);
});

test('the page can read no other file through the engine', async () => {
  const engine = await EngineFixture.open();
  try {
    const other = await write('main.log', 'x', 100);
    for (const path of [other, '/etc/passwd', join(folder, '..', 'logs', 'mcp.log')]) {
      await expect(engine.call('servers/log', { path })).rejects.toMatchObject({
        fault: { code: 'log-not-listed' },
      });
    }
  } finally {
    await engine.close();
  }
});
