import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

test.each([
  [['list', 'tools'], 'a server is needed'],
  [['list', 'tools', '--'], 'after "--"'],
  [['call', '--', 'server'], 'missing required argument'],
  [['call', 'echo', 'a=1', '--args', '{}', '--', 'server'], 'not both'],
  [['record', '--what', '--', 'server'], 'unknown option'],
  [['list', 'tools', '--url', 'http://127.0.0.1:1/mcp', '--', 'server'], 'not by both'],
  [['list', 'tools', '--url', '127.0.0.1:1/mcp'], 'begins with http:// or https://'],
  [['list', 'tools', '--header', 'X-A: 1', '--', 'server'], '--header goes with --url only'],
  [['record', '--era', 'ancient', '--', 'server'], '--era wants one of: auto, legacy, modern\n'],
  [['open', '--revision', '2025-06-18'], 'none is named'],
  [['open', '--answer-delay', '1s'], '--answer-delay is about a server, and none is named'],
  [['call', 'x', '--answer', 'ping={}', '--', 'server'], 'sampling, elicitation, roots'],
  [['request', '--', 'server'], 'missing required argument'],
])('%j cannot be followed: it says why, and ends with 2', async (args, why) => {
  const { exitCode, stdout, stderr } = await cli.runBare(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(why);
  expect(stdout).toBe('');
});

test('a data folder that cannot be made is told, not thrown', async () => {
  const { exitCode, stderr } = await cli.runBare(['list', 'tools', '--', 'server'], {
    SIGHTGLASS_HOME: '/dev/null/x',
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('The data folder /dev/null/x cannot be made');
  expect(stderr).not.toContain('    at ');
});
