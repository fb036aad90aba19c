import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NamedServer } from '#main/platform.ts';
import { handOverInEnvironment, namedFile, takeStartupTarget, splitAtDashes } from './startup-target.ts';

test('a server handed over arrives as it was, and is taken out of the environment', () => {
  const named: NamedServer = {
    kind: 'http',
    url: 'http://127.0.0.1:3000/mcp',
    headers: [['X-Key', 'hunter2222']],
    httpTransport: 'http-sse',
    era: 'legacy',
    revision: '2024-11-05',
    timeout: 1000,
    client: {
      capabilities: { roots: {} },
      roots: [{ uri: 'file:///work', name: null }],
      rules: [{ method: 'elicitation/create', answer: { kind: 'defaults' }, delay: 5 }],
    },
    confirm: true,
    tracePath: '/tmp/trace.mcptrace',
  };
  const environment = { PATH: '/bin', ...handOverInEnvironment(named) };
  expect(JSON.stringify(environment)).toContain('hunter2222');
  expect(takeStartupTarget(['electron', '.'], environment)).toEqual(named);
  expect(environment).toEqual({ PATH: '/bin' });
});

test('a command line is run where this process was started, handed over or after "--"', () => {
  const named = { kind: 'stdio', command: 'node', args: ['server.js'] } as const;
  const here = { ...named, cwd: process.cwd() };
  expect(takeStartupTarget(['electron', '.'], handOverInEnvironment(named))).toEqual(here);
  expect(takeStartupTarget(['Sightglass', '--', 'node', 'server.js'], {})).toEqual(here);
});

test.each([
  [['Sightglass', '/tmp/a b.mcptrace'], '/tmp/a b.mcptrace'],
  [['electron', '.', '--inspect', 'A.MCPTRACE'], join(process.cwd(), 'A.MCPTRACE')],
])('a file that a desktop names by %j is to be opened', (args, path) => {
  expect(takeStartupTarget(args, {})).toEqual({ kind: 'file', path });
});

test('a file that is handed over arrives', () => {
  const environment = handOverInEnvironment(namedFile('/tmp/trace'));
  expect(takeStartupTarget(['electron', '.'], environment)).toEqual({ kind: 'file', path: '/tmp/trace' });
});

test('what ends like a trace after "--" is an argument of the server', () => {
  expect(takeStartupTarget(['Sightglass', '--', 'node', 'a.mcptrace'], {})).toMatchObject({
    args: ['a.mcptrace'],
  });
});

test('nothing named is nothing', () => {
  expect(handOverInEnvironment(null)).toEqual({});
  expect(takeStartupTarget(['Sightglass'], {})).toBeNull();
});

test('what follows the first "--" is the server’s, its own "--" too', () => {
  expect(splitAtDashes(['open', '--web', '--', 'node', 'server.js', '--port', '--', '1'])).toEqual({
    own: ['open', '--web'],
    commandLine: { command: 'node', args: ['server.js', '--port', '--', '1'] },
    hasDashes: true,
  });
});

test('without "--" everything is ours; after a bare "--" there is no command', () => {
  expect(splitAtDashes(['open'])).toEqual({ own: ['open'], commandLine: null, hasDashes: false });
  expect(splitAtDashes(['open', '--'])).toEqual({ own: ['open'], commandLine: null, hasDashes: true });
});
