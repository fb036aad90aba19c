import { expect, test } from 'vitest';
import { serverSettingsSchema } from './contract/servers.ts';
import { isRunner, nameOfCommand, nameOfUrl, programOf } from './server-names.ts';

test.each([
  [['mcp-server-git', '--repository', '.'], 'mcp-server-git'],
  [['C:\\tools\\git-server.exe'], 'git-server'],
  [['npx', '-y', '@scope/pkg@1.2.0', '--flag'], '@scope/pkg@1.2.0'],
  [['C:\\nodejs\\npx.cmd', '-y', 'pkg'], 'pkg'],
  [['uv', 'run', 'weather'], 'weather'],
  [['docker', 'run', '-i', 'ghcr.io/acme/tea'], 'tea'],
  [['/usr/bin/python3', '-u', 'src/server.py'], 'server.py'],
  [['node', './packages/notes/dist/index.js'], 'notes'],
  [['node', 'C:\\notes\\build\\index.js'], 'notes'],
  [['node', '--import', './tracing.js', 'notes/dist/index.js'], 'notes'],
  [['node', '--require=./tracing.js', 'notes/dist/index.js'], 'notes'],
  [['uv', '--directory', '/work', 'run', '--with', 'httpx', 'weather'], 'weather'],
  [['docker', 'run', '-i', '--name', 'one', '-v', '/a:/b', 'ghcr.io/acme/tea'], 'tea'],
  [['python', '-m', 'weather'], 'weather'],
  [['node', '/'], '/'],
  [['node', '--version'], 'node'],
])('of the command line %j, the part that tells servers apart is %s', ([command = '', ...args], name) => {
  expect(nameOfCommand(command, args)).toBe(name);
});

test.each([
  ['http://127.0.0.1:3000/mcp', '127.0.0.1:3000'],
  ['https://me:sesame@api.example.com/github/mcp/?key=1#part', 'api.example.com/github'],
  ['https://example.com/mcp/team', 'example.com/mcp/team'],
])('of %s, the part that tells servers apart is %s', (url, name) => {
  expect(nameOfUrl(new URL(url))).toBe(name);
});

test('a program is told from its folder and ending, and one that runs others is known', () => {
  expect(programOf('/opt/bin/tea-server')).toBe('tea-server');
  expect(isRunner('C:\\nodejs\\npx.cmd')).toBe(true);
  expect(isRunner('/opt/bin/tea-server')).toBe(false);
});

test('a name is never longer than the settings allow, and one that was cut says so', () => {
  const { name } = serverSettingsSchema.shape;
  expect(nameOfCommand('x'.repeat(200), [])).toBe('x'.repeat(200));
  const cut = [
    nameOfCommand('x'.repeat(201), []),
    nameOfUrl({ host: 'example.com', pathname: `/${'x'.repeat(500)}` }),
  ];
  for (const one of cut) {
    expect(one).toMatch(/…$/);
    expect(name.safeParse(one).success).toBe(true);
  }
});
