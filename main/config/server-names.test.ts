import { expect, test } from 'vitest';
import { nameOfCommand, nameOfUrl } from './server-names.ts';

test.each([
  [['mcp-server-git', '--repository', '.'], 'mcp-server-git'],
  [['C:\\tools\\git-server.exe'], 'git-server.exe'],
  [['npx', '-y', '@scope/pkg@1.2.0', '--flag'], 'pkg@1.2.0'],
  [['C:\\nodejs\\npx.cmd', '-y', 'pkg'], 'pkg'],
  [['/usr/bin/python3', '-u', 'src/server.py'], 'server.py'],
  [['node', '--version'], 'node'],
])('of the command line %j, the part that tells servers apart is %s', ([command = '', ...args], name) => {
  expect(nameOfCommand(command, args)).toBe(name);
});

test.each([
  ['http://127.0.0.1:3000/mcp', '127.0.0.1:3000'],
  ['https://me:sesame@api.example.com/github/mcp/?key=1#part', 'api.example.com/github'],
  ['https://example.com/mcp/team', 'example.com/mcp/team'],
])('of %s, the part that tells servers apart is %s', (url, name) => {
  expect(nameOfUrl(url)).toBe(name);
});

test('a name is never longer than the settings allow, and one that was cut says so', () => {
  expect(nameOfCommand('x'.repeat(200), [])).toBe('x'.repeat(200));
  expect(nameOfCommand('x'.repeat(201), [])).toBe(`${'x'.repeat(199)}…`);
  expect(nameOfUrl(`https://example.com/${'x'.repeat(500)}`)).toHaveLength(200);
});
