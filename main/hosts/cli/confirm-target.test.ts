import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';

let cli: Cli;
let ran: string;
let server: string[];
beforeEach(async () => {
  cli = await Cli.open();
  ran = join(cli.folder, 'ran');
  const { command, args } = misbehavingServer();
  const mark = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`;
  server = [command, '-e', `${mark}; import(${JSON.stringify(args.at(-1))})`, 'two words', '\u001b[2J'];
});
afterEach(() => cli.close());

test('a command of a trace that runs where nobody can be asked is refused, and says what it would run', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['request', 'ping', '--confirm'], server);
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('there is no terminal to ask on');
  expect(stderr).toContain(`"${server[0]}" "-e"`);
  expect(stderr).toContain('"two words"');
  expect(stderr).not.toContain('\u001b');
  expect(existsSync(ran)).toBe(false);
});

test('on a terminal it shows the words and the file, and without a yes nothing runs', async () => {
  const run = cli.startOnTerminal(['request', 'ping', '--confirm'], server);
  await run.printedText('Run it? [y/N]');
  expect(run.stdout).toContain('made from a recorded trace');
  expect(run.stdout).toContain(`found at: ${server[0]}`);
  expect(run.stdout).toContain('argument 3: two words');
  expect(run.stdout).toContain('argument 4: \\x1b[2J');
  expect(existsSync(ran)).toBe(false);
  run.child.stdin?.write('n\n');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(3);
  expect(stdout).toContain('did not allow');
  expect(existsSync(ran)).toBe(false);
});

test('on a terminal it runs after a yes', async () => {
  // What stands behind the script, the server would take for scenarios.
  const run = cli.startOnTerminal(['request', 'ping', '--confirm'], server.slice(0, 3));
  await run.printedText('Run it? [y/N]');
  run.child.stdin?.write('y\n');
  const { exitCode, stdout } = await run.ended;
  expect(stdout).toContain('{}');
  expect(exitCode).toBe(0);
  expect(existsSync(ran)).toBe(true);
});

test.each([
  ['a command', 'Run it? [y/N]'],
  ['an address', 'Connect? [y/N]'],
])('Ctrl-C instead of an answer about %s interrupts', async (what, question) => {
  const url = ['--url', 'http://127.0.0.1:1/mcp'];
  const run =
    what === 'a command'
      ? cli.startOnTerminal(['request', 'ping', '--confirm'], server)
      : cli.startOnTerminal(['request', 'ping', '--confirm', ...url], []);
  await run.printedText(question);
  run.child.stdin?.write('\u0003');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(130);
  expect(stdout).toContain('sightglass: interrupted');
  expect(existsSync(ran)).toBe(false);
});

test('an address is not connected to either before a yes', async () => {
  const http = await ScriptedHttpServer.open();
  const run = cli.startOnTerminal(['request', 'ping', '--confirm', '--url', http.url], []);
  await run.printedText('Connect? [y/N]');
  expect(run.stdout).toContain(http.url);
  run.child.stdin?.write('\n');
  expect((await run.ended).exitCode).toBe(3);
  expect(http.requests).toEqual([]);
  await http.close();
});
