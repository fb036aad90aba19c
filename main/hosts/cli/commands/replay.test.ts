import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';
import { startEverything } from '#fixtures/http/start-server.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { SteppedComparison } from '#shared/contract/comparison.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';

let folder: string;
let cli: Cli;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-replay-'));
  await writeFile(
    join(folder, 'calls.mcptest.yaml'),
    `version: 1
steps:
  - { name: one, call: echo, arguments: { message: hi } }
  - { name: two, call: get-sum, arguments: { a: 1, b: 2 } }
  - { name: three, call: echo, arguments: { message: 'is [secret member password, 8 characters, 0011aabb]' } }
`,
  );
  cli = await Cli.open();
  await cli.run(['test', join(folder, 'calls.mcptest.yaml'), '--allow-writes'], everything);
  const traces = join(cli.folder, 'traces');
  const [file = ''] = (await readdir(traces)).filter((name) => name.endsWith('.mcptrace'));
  await copyFile(join(traces, file), join(folder, 'calls.mcptrace'));
}, 60_000);
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

const replay = (...options: string[]) =>
  cli.run(['replay', join(folder, 'calls.mcptrace'), ...options], everything);

describe('sightglass replay', () => {
  test('asks the server for the log level that it is given', async () => {
    const asking = await Cli.open();
    const words = ['replay', join(folder, 'calls.mcptrace'), '--allow-writes', '--log-level', 'alert'];
    expect(await asking.run(words, everything)).toMatchObject({ exitCode: 0 });
    expect(await asking.trace()).toContain(String.raw`\"level\":\"alert\"`);
    await asking.close();
  });

  test('sends the calls of a trace and finds nothing but noise, without secrets by default', async () => {
    const { exitCode, stdout, stderr } = await replay('--allow-writes', '--concurrency', '2');
    expect(stdout).toMatch(/3 calls: 1 skipped, 2 same; 0 catalog changes/);
    expect(stderr).toContain('1 call not sent: --var gives the values of secrets');
    expect(exitCode).toBe(0);
  });

  test('sends the value that --var gives for a secret, which no trace has', async () => {
    const { exitCode, stdout } = await cli.startBare(
      [
        'replay',
        join(folder, 'calls.mcptrace'),
        '--allow-writes',
        '--var',
        'password=$PASSWORD',
        '--',
        ...everything,
      ],
      { PASSWORD: 'wombat-4711' },
    ).ended;
    expect(stdout).toContain('(secret)');
    expect(stdout).toMatch(/3 calls: 1 noise, 2 same; 0 catalog changes/);
    expect(exitCode).toBe(0);
    for (const name of await readdir(join(cli.folder, 'traces'))) {
      expect(await readFile(join(cli.folder, 'traces', name), 'utf8')).not.toContain('wombat-4711');
    }
    const unknown = await replay('--var', 'token=wombat-4711');
    expect(unknown.stderr).toContain('No call of the recording held a secret named token.');
    expect(unknown.stderr).not.toContain('wombat');
    expect(unknown.exitCode).toBe(2);
  });

  test('judges differences by its rules and its gate, and reports them as JUnit and SARIF do', async () => {
    const changed = join(folder, 'changed.mcptrace');
    const recorded = await readFile(join(folder, 'calls.mcptrace'), 'utf8');
    await writeFile(changed, recorded.replace('Echo: hi', 'Echo: ho'));
    const again = (...options: string[]) =>
      cli.run(['replay', changed, '--only', 'tool:echo', '--allow-writes', ...options], everything);
    const [junit, sarif, ignored, typed, gated] = await Promise.all([
      again('--reporter', 'junit'),
      again('--reporter', 'sarif'),
      again('--ignore', '$.content[0].text'),
      again('--compare', 'type:$.content[*].text'),
      again('--fail-on', 'breaking'),
    ]);
    expect(junit).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('failures="1"') });
    expect(sarif.exitCode).toBe(1);
    expect(JSON.parse(sarif.stdout)).toMatchObject({ runs: [{ results: [{ ruleId: 'call/behavior' }] }] });
    for (const { exitCode, stdout } of [ignored, typed]) {
      expect(stdout).toContain('1 noise');
      expect(exitCode).toBe(0);
    }
    expect(gated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 behavior') });
  });

  test('that cannot connect writes its report, with what the server said', async () => {
    const dying = [process.execPath, '-e', 'console.error("no license found"); process.exit(3)'];
    const report = (format: string) =>
      cli.run(['replay', join(folder, 'calls.mcptrace'), '--reporter', format], dying);
    const [junit, sarif, json] = await Promise.all(['junit', 'sarif', 'json'].map(report));
    for (const one of [junit, sarif, json]) {
      expect(one?.exitCode).toBe(3);
      expect(one?.stdout).toContain('no license found');
    }
    expect(junit?.stdout).toMatch(/<testsuites tests="1" failures="0" errors="1"/);
    expect(JSON.parse(sarif?.stdout ?? '')).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: false }], results: [] }],
    });
  });

  test('in CI calls only what is read-only, unless --allow-writes is given', async () => {
    const { command, args } = scriptedServer(`
      'tools/list': (request) => answer(request, { tools: [
        { name: 'echo', inputSchema: { type: 'object' } },
        { name: 'get-sum', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      ] }),
      'tools/call': (request) => answer(request, { content: [] }),
    `);
    const skipped = async (...options: string[]) => {
      const words = ['replay', join(folder, 'calls.mcptrace'), '--json', ...options, '--', command, ...args];
      const { stdout } = await cli.runBare(words, { CI: 'true' });
      const { replay: run } = JSON.parse(stdout) as { replay: ReplayRun };
      return run.calls.map((call) => call.skipped);
    };
    expect(await skipped()).toEqual(['writes', null, 'secret']);
    expect(await skipped('--allow-writes')).toEqual([null, null, 'secret']);
  });

  test('asks before each call in a terminal, and says so without one', async () => {
    const none = await replay('--step');
    expect(none.stderr).toContain('there is no terminal to ask on. Run it in a terminal');
    expect(none.exitCode).toBe(2);
    const run = cli.startOnTerminal(
      ['replay', join(folder, 'calls.mcptrace'), '--allow-writes', '--step'],
      everything,
    );
    await run.printedText('tools/call echo {"name":"echo","arguments":{"message":"hi"}}');
    run.child.stdin?.write('n\n');
    await run.printedText('tools/call get-sum');
    run.child.stdin?.write('\n');
    const { stdout, exitCode } = await run.ended;
    expect(stdout).toMatch(/3 calls: 2 skipped, 1 same; 0 catalog changes/);
    expect(exitCode).toBe(0);
  });

  test('as JSON has what was sent and the comparison; a filter chooses', async () => {
    const { exitCode, stdout } = await replay('--allow-writes', '--json', '--only', 'name:get-sum');
    const { replay: run, comparison } = JSON.parse(stdout) as {
      replay: ReplayRun;
      comparison: SteppedComparison;
    };
    expect(run.calls.map(({ target, skipped }) => [target, skipped])).toEqual([['get-sum', null]]);
    expect(comparison.counts.same).toBe(1);
    // The call that was not chosen is not part of the run.
    expect(comparison.calls.map(({ target }) => target)).toEqual(['get-sum']);
    expect(comparison.steps).toMatchObject([
      { step: 'end', recorded: expect.any(Number), other: expect.any(Number) },
    ]);
    expect(exitCode).toBe(0);
  });

  test('prints the latency of each step that a side has', async () => {
    const server = await startEverything('streamableHttp');
    try {
      const words = ['replay', join(folder, 'calls.mcptrace'), '--allow-writes', '--url', server.url];
      const { stdout } = await cli.runBare(words);
      expect(stdout).toMatch(/latency of 2 calls: median .* -> .*, p95 .* -> /);
      expect(stdout).toMatch(/^ {2}queued: p95 - -> \d.*$/m);
      expect(stdout).toMatch(/^ {2}first byte: p95 - -> \d.*$/m);
    } finally {
      await server.close();
    }
  });

  test('says what is wrong with its arguments, and that no call was sent', async () => {
    const pace = await replay('--pace', 'fast');
    expect(pace.exitCode).toBe(2);
    expect(pace.stderr).toContain('--pace');
    const none = await replay('--only', 'name:nothing');
    expect(none.exitCode).toBe(1);
    expect(none.stderr).toContain('no call was sent');
    const noTrace = await cli.run(['replay', join(folder, 'none.mcptrace')], everything);
    expect(noTrace.exitCode).toBe(2);
  });
});
