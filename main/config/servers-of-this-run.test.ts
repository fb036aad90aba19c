import { expect, test } from 'vitest';
import { defaultTimeouts, plainHttpSettings, serverSchema } from '#shared/contract/servers.ts';
import { demoServer, serverOfThisRun } from './servers-of-this-run.ts';

const stdio = {
  kind: 'stdio',
  command: 'npx',
  args: ['-y', 'pkg'],
  cwd: '/here',
  env: { MODE: 'test' },
} as const;
const http = {
  kind: 'http',
  url: 'https://example.com/mcp',
  headers: [['X-Key', 'hunter2222']],
  transport: 'streamable-http',
} as const;

test('a command is run where it was named, with the variables that were given beside the safe ones', () => {
  expect(serverOfThisRun('run-1', stdio)).toMatchObject({
    id: 'run-1',
    source: 'command-line',
    name: 'pkg',
    era: 'auto',
    revision: null,
    timeouts: defaultTimeouts,
    transport: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', 'pkg'],
      cwd: '/here',
      env: [{ name: 'MODE', value: 'test', secret: false }],
      inherit: 'safe',
    },
  });
});

test('an address is asked as it was named, and its headers are secret', () => {
  expect(serverOfThisRun('run-1', http)).toMatchObject({
    source: 'command-line',
    name: 'example.com',
    transport: {
      ...plainHttpSettings(http.url),
      transport: 'streamable-http',
      headers: [{ name: 'X-Key', value: 'hunter2222', secret: true }],
    },
  });
});

test('era, revision and time are as named; the longest time is never below the usual one', () => {
  expect(
    serverOfThisRun('run-1', { ...http, era: 'legacy', revision: '2031-01-01', timeout: 5 }),
  ).toMatchObject({
    era: 'legacy',
    revision: '2031-01-01',
    timeouts: { initialize: 5, request: 5, requestMax: defaultTimeouts.requestMax },
  });
  const patient = defaultTimeouts.requestMax + 1;
  const { timeouts } = serverOfThisRun('run-1', { ...http, timeout: patient });
  expect(timeouts).toEqual({ initialize: patient, request: patient, requestMax: patient });
});

test('every one of them, and the demo server, is a server as the contract has it', () => {
  const demo = demoServer({ command: 'node', args: ['demo.js'], env: { DEMO: '1' } });
  expect(demo).toMatchObject({ id: 'demo', source: 'demo', transport: { command: 'node', cwd: null } });
  for (const server of [demo, serverOfThisRun('a', stdio), serverOfThisRun('b', http)])
    expect(serverSchema.parse(server)).toEqual(server);
});
