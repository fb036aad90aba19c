import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli, type CliOutcome } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';

let cli: Cli;
let folder: string;
beforeAll(async () => {
  cli = await Cli.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-runner-'));
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true });
});

/** The lines that GitHub's runner takes as commands (actions/runner, ActionCommand: `TryParseV2`, then `TryParse`). */
const commandsIn = ({ stdout, stderr }: CliOutcome): string[] =>
  `${stdout}\n${stderr}`
    .split(/[\r\n]/)
    .filter((line) => line.trimStart().startsWith('::') || line.includes('##['));

/** Each begins a command if it reaches the log as it is. */
const hostile = [
  '::error::a',
  ' \t::set-env name=PATH::/evil',
  '\u00a0\u3000::add-mask::b',
  'text ##[error]c',
  '##[set-env name=A;]d',
  '###[group]e',
].join('\n');
const echoed = ['error', 'set-env', 'add-mask', 'group'];

const inActions = { GITHUB_ACTIONS: 'true' };
const call = (env: NodeJS.ProcessEnv, ...options: string[]): Promise<CliOutcome> =>
  cli.runBare(['call', 'echo', `message=${hostile}`, ...options, '--', ...everything], env);

describe('while GITHUB_ACTIONS is set', () => {
  test('no text of a server becomes a command of the runner', async () => {
    const outcome = await call(inActions);
    expect(commandsIn(outcome)).toEqual([]);
    for (const word of echoed) expect(outcome.stdout).toContain(word);
    expect(outcome.stdout).toContain(':\\u003aset-env');
  });

  test('JSON that would be a command means the same without being one', async () => {
    const [outcome, plain] = await Promise.all([call(inActions, '--json'), call({}, '--json')]);
    expect(commandsIn(outcome)).toEqual([]);
    expect(commandsIn(plain)).not.toEqual([]);
    const content = (text: string): unknown => (JSON.parse(text) as { result: unknown }).result;
    expect(content(outcome.stdout)).toEqual(content(plain.stdout));
  });

  test('no text of a server, a file or the command line does so on standard error', async () => {
    const file = join(folder, 'server.cjs');
    await writeFile(file, `process.stderr.write(${JSON.stringify(`${hostile}\n`)}); process.exit(3);`);
    const failing = await cli.runBare(['list', 'tools', '--', process.execPath, file], inActions);
    expect(failing.exitCode).toBe(3);
    expect(failing.stderr).toContain('add-mask');
    expect(commandsIn(failing)).toEqual([]);
    const unknown = await cli.runBare(['call', '--no-such\n::error::x', 'echo'], inActions);
    expect(unknown.stderr).toContain('error');
    expect(commandsIn(unknown)).toEqual([]);
  });

  test.each(['text', 'tap', 'junit', 'json', 'sarif', 'github'])(
    'a report in %s has no other commands than its own',
    async (reporter) => {
      const path = join(folder, 'a.mcptest.yaml');
      const expected = JSON.stringify(`##[error]x\n::error::y`);
      await writeFile(
        path,
        `version: 1\nsteps:\n  - { name: ${JSON.stringify(`n ##[warning]w\n::debug::z`)}, call: echo, arguments: { message: ${JSON.stringify(hostile)} }, expect: { values: [{ path: "$.content[0].text", equals: ${expected} }] } }\n`,
      );
      // The reporter of GitHub is for its runner, wherever it runs.
      const env = reporter === 'github' ? {} : inActions;
      const outcome = await cli.runBare(['test', path, '--reporter', reporter, '--', ...everything], env);
      expect(outcome.exitCode).toBe(1);
      const commands = commandsIn(outcome);
      expect(commands).toHaveLength(reporter === 'github' ? 1 : 0);
      for (const command of commands)
        expect(command).toMatch(/^::error file=[^:]+,line=\d+,col=\d+,title=n /);
    },
  );

  test('a report for GitHub keeps the words of a server that fails from the runner, wherever it runs', async () => {
    const file = join(folder, 'failing.cjs');
    await writeFile(file, `process.stderr.write(${JSON.stringify(`${hostile}\n`)}); process.exit(3);`);
    const path = join(folder, 'b.mcptest.yaml');
    await writeFile(path, 'version: 1\nsteps:\n  - { name: n, call: echo }\n');
    const words = ['test', path, '--reporter', 'github', '--', process.execPath, file];
    const outcome = await cli.runBare(words);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('add-mask');
    // Its own annotation has all words of the server, in one line.
    const [own, ...others] = commandsIn(outcome);
    expect(own).toMatch(/^::error file=[^:]+,line=1,col=1,title=not run::The server ended before/);
    expect(own).toContain('add-mask');
    expect(own).not.toContain('##[');
    expect(others).toEqual([]);
  });

  test('an export into a file is what it is elsewhere', async () => {
    const file = join(folder, 'out.json');
    const words = ['call', 'echo', `message=${hostile}`, '--json', '--env', 'GITHUB_ACTIONS=true'];
    await cli.runInto(file, words, everything);
    expect(await readFile(file, 'utf8')).toContain('##[error]c');
  });
});

test('no text becomes one because the other stream has ended the line', () => {
  const guard = new URL('../runner-commands.ts', import.meta.url).href;
  const program = `
    import { guardStreams } from ${JSON.stringify(guard)};
    guardStreams();
    process.stdout.write('abc');
    process.stderr.write('x\\n');
    process.stdout.write('::error::a\\n');`;
  const words = ['--input-type=module', '-e', program];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stdout).toBe('abc:\\u003aerror::a\n');
});

test('without a runner, text stays as it is', async () => {
  expect((await call({})).stdout).toContain('::error::a');
});
