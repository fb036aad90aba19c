import { expect, test } from 'vitest';
import type { NamedServer } from '#engine/platform.ts';
import { handOverInEnvironment, takeNamedServer } from './named-server.ts';

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
  };
  const environment = { PATH: '/bin', ...handOverInEnvironment(named) };
  expect(JSON.stringify(environment)).toContain('hunter2222');
  expect(takeNamedServer(['electron', '.'], environment)).toEqual(named);
  expect(environment).toEqual({ PATH: '/bin' });
});

test('a command line is run where this process was started, handed over or after "--"', () => {
  const named = { kind: 'stdio', command: 'node', args: ['server.js'] } as const;
  const here = { ...named, cwd: process.cwd() };
  expect(takeNamedServer(['electron', '.'], handOverInEnvironment(named))).toEqual(here);
  expect(takeNamedServer(['Sightglass', '--', 'node', 'server.js'], {})).toEqual(here);
});

test('no server is no server', () => {
  expect(handOverInEnvironment(null)).toEqual({});
  expect(takeNamedServer(['Sightglass'], {})).toBeNull();
});
