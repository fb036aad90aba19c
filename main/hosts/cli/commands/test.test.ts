import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { readVariables } from './test.ts';

let cli: Cli;
let folder: string;
beforeAll(async () => {
  cli = await Cli.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-tests-'));
  await writeFile(
    join(folder, 'echo.mcptest.yaml'),
    `version: 1
variables: { who: World }
steps:
  - name: Echoes
    call: echo
    arguments: { message: "\${who}" }
    expect: { values: [{ path: "$.content[0].text", equals: "Echo: World" }] }
  - name: Refuses an unknown <prompt>
    request: prompts/get
    params: { name: none }
`,
  );
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'echo.mcptest.yaml');
const runTests = (...options: string[]) =>
  cli.run(['test', folder, '--allow-writes', ...options], everything);

describe('sightglass test', () => {
  test('runs the files of a folder and names what is not as expected, with its place', async () => {
    const { exitCode, stdout } = await runTests();
    expect(stdout).toMatch(/ok {6}Echoes {2}\d/);
    expect(stdout).toMatch(/FAILED {2}Refuses an unknown <prompt>/);
    expect(stdout).toContain(`${file()}:8:5: expected ok, got protocol-error: error -32602`);
    expect(stdout).toContain('1 passed, 1 failed, 0 skipped');
    expect(exitCode).toBe(1);
  });

  test('fills in variables and chooses calls by name', async () => {
    const passed = await runTests('--grep', '^Echo', '--reporter', 'json');
    expect(passed.exitCode).toBe(0);
    expect(JSON.parse(passed.stdout)).toMatchObject({
      files: [{ calls: [{ name: 'Echoes', state: 'passed', failures: [] }] }],
    });
    const failed = await runTests('--grep', '^Echo', '--var', 'who=you');
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toContain('expected "Echo: World", got "Echo: you"');
  });

  test('takes a variable given by its name alone from the environment, as a secret', () => {
    vi.stubEnv('SHOP_KEY', 'open sesame');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(readVariables(['SHOP_KEY', 'who=me', 'n:=1'])).toEqual({
      variables: { SHOP_KEY: '"open sesame"', who: '"me"', n: '1' },
      secrets: ['SHOP_KEY'],
    });
    expect(readVariables(['SHOP_KEY', 'SHOP_KEY=known']).secrets).toEqual([]);
  });

  test('reports as JUnit does', async () => {
    const { exitCode, stdout } = await runTests('--reporter', 'junit');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/<testsuites tests="2" failures="1" errors="0" skipped="0" time="\d+\.\d{6}">/);
    expect(stdout).toContain('<testcase name="Refuses an unknown &lt;prompt&gt;"');
    expect(stdout).toMatch(
      /<failure type="expectation" message="expected ok, got protocol-error: error -32602: [^"]*">/,
    );
  });

  test('ends after the first failure on request, and fails if nothing was called', async () => {
    const { stdout } = await runTests('--bail', '--var', 'who=you');
    expect(stdout).toContain('0 passed, 1 failed, 0 skipped');
    const none = await runTests('--grep', 'nothing is called so');
    expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no call was made') });
  });

  test('refuses a file with an error by its line and column, and a missing one', async () => {
    const bad = join(folder, 'bad.yaml');
    await writeFile(bad, 'version: 1\nsteps:\n  - call: x\n');
    const { exitCode, stderr } = await cli.run(['test', bad], everything);
    expect(stderr).toContain(`${bad}:3:5: steps.0.name: `);
    expect(exitCode).toBe(2);
    const missing = await cli.run(['test', join(folder, 'none.mcptest.yaml')], everything);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no file') });
  });

  test('skips in CI what may write, unless that is allowed', async () => {
    const writes = join(folder, 'writes.yaml');
    await writeFile(writes, 'version: 1\nsteps:\n  - name: Toggles\n    call: toggle-simulated-logging\n');
    const inCI = (...options: string[]) =>
      cli.runBare(['test', writes, ...options, '--', ...everything], { CI: '1' });
    expect(await inCI()).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('skipped Toggles') });
    // With steps that are no calls beside it.
    const wire = join(folder, 'wire.yaml');
    await writeFile(
      wire,
      `version: 1
steps:
  - name: Pings
    raw: '{"jsonrpc":"2.0","id":"own","method":"ping"}'
    expect: { status: ok }
  - name: Works
    call: trigger-long-running-operation
    arguments: { duration: 0.1, steps: 2 }
  - name: Has reported
    wait: notifications/progress
    expect: { values: [{ path: $.total, equals: 2 }] }
  - name: Reports no more
    wait: notifications/none
    expect: { duration: 50ms }
`,
    );
    expect(await inCI(wire, '--allow-writes')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /ok +Toggles.*ok +Pings.*ok +Has reported.*FAILED +Reports no more.*wire\.yaml:14:5: expected ok, got timed-out/s,
      ),
    });
  });
});

/** Counts the calls of each session: it fails the first one, and every other one after it. */
const counting = scriptedServer(`
  'server/discover': ({ id }) => write({ id, error: { code: -32601, message: 'unknown' } }),
  'tools/list': (request) => answer(request, { tools: ['count', 'stay'].map((name) => (
    { name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } })) }),
  'tools/call': (request) => {
    server.calls = (server.calls ?? 0) + 1;
    const structuredContent = request.params.name === 'count' ? { even: server.calls % 2 === 0, calls: server.calls } : { stays: 9007199254740993n.toString() };
    answer(request, { content: [], structuredContent });
  },
`);
const counter = [counting.command, ...counting.args];

const count = (name: string) => `  - name: ${name}
    call: count
    expect: { values: [ { path: $.structuredContent.even, equals: true } ] } # even
`;

/** A folder of its own with test files, by their names. */
async function folderOf(named: Readonly<Record<string, string>>): Promise<string> {
  const own = await mkdtemp(join(folder, 'suite-'));
  for (const [name, steps] of Object.entries(named)) {
    await writeFile(join(own, `${name}.mcptest.yaml`), `version: 1\nsteps:\n${steps}`);
  }
  return own;
}

const jsonOf = (stdout: string): { files: { path: string; calls: { name: string; state: string }[] }[] } =>
  JSON.parse(stdout);
const statesOf = (stdout: string) =>
  jsonOf(stdout).files.map(({ calls }) => calls.map(({ name, state }) => `${name} ${state}`));

describe('sightglass test, again and at the same time', () => {
  test('--repeat finds what is flaky, which fails the run; --retries does not, and CI is told', async () => {
    const suite = await folderOf({ flaky: count('Even') });
    const repeated = await cli.run(['test', suite, '--repeat', '2', '--reporter', 'tap'], counter);
    expect(repeated.exitCode).toBe(1);
    expect(repeated.stdout).toMatch(
      /^TAP version 14\n1\.\.1\nnot ok 1 - .* > Even\n {2}---\n {2}flaky: "1 of 2 attempts failed"/,
    );
    const updated = await cli.run(['test', suite, '--repeat', '3', '--update'], counter);
    expect(updated.stdout).toContain('not updated: the 3 answers differ ($.structuredContent.even)');
    expect(updated.stdout).toContain('1 flaky, 0 skipped; 1 call not updated');
    expect(await readFile(join(suite, 'flaky.mcptest.yaml'), 'utf8')).toContain('equals: true');
    const retried = await cli.run(['test', suite, '--retries', '1', '--reporter', 'github'], counter);
    expect(retried.exitCode).toBe(0);
    expect(retried.stdout).toMatch(
      /^::warning file=.*,title=Even \(flaky%3A 1 of 2 attempts failed\)::.*\n0 passed, 0 failed, 1 flaky, 0 skipped\n$/,
    );
  });

  test('--workers runs files at the same time, each in a session of its own, and --bail ends all', async () => {
    const traces = async () => (await readdir(join(cli.folder, 'traces'))).length;
    const suite = await folderOf({
      a: count('A1') + count('A2'),
      b: count('B1') + count('B2'),
      c: count('C1'),
    });
    const before = await traces();
    const { stdout, exitCode } = await cli.run(
      ['test', suite, '--workers', '3', '--reporter', 'json'],
      counter,
    );
    expect(exitCode).toBe(1);
    // Each session counts from one, and the calls of a file keep their order.
    expect(statesOf(stdout)).toEqual([['A1 failed', 'A2 passed'], ['B1 failed', 'B2 passed'], ['C1 failed']]);
    expect((await traces()) - before).toBe(3);
    const bailed = await cli.run(['test', suite, '--bail', '--reporter', 'sarif'], counter);
    expect(bailed.exitCode).toBe(1);
    expect(JSON.parse(bailed.stdout)).toMatchObject({ runs: [{ results: { length: 1 } }] });
  });

  test('each file has a session of its own, whatever the number of workers', async () => {
    const first = (name: string) =>
      `  - { name: ${name}, call: count, expect: { values: [{ path: $.structuredContent.calls, equals: 1 }] } }\n`;
    const suite = await folderOf({ a: first('A'), b: first('B'), c: first('C') });
    for (const workers of ['1', '2', '3']) {
      const { stdout } = await cli.run(['test', suite, '--workers', workers, '--reporter', 'json'], counter);
      expect(statesOf(stdout)).toEqual([['A passed'], ['B passed'], ['C passed']]);
    }
  });

  test('a failure has the text of the tool error, and the exit code and last words of a server that ended', async () => {
    const { command, args } = scriptedServer(`
      'server/discover': ({ id }) => write({ id, error: { code: -32601, message: 'unknown' } }),
      'tools/list': (request) => answer(request, { tools: ['read', 'die'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
      'tools/call': (request) => {
        if (request.params.name === 'read') return answer(request, { isError: true, content: [{ type: 'text', text: 'ENOENT: /data/x' }] });
        console.error('Fatal: database lost');
        process.exit(7);
      },
    `);
    const suite = await folderOf({
      own: '  - { name: Reads, call: read }\n  - { name: Dies, call: die }\n',
    });
    const reports = ['junit', 'tap', 'sarif', 'github', 'json', 'text'];
    const files = reports.map((format) => join(suite, 'reports', `${format}.out`));
    const { exitCode } = await cli.run(
      ['test', suite, ...reports.flatMap((format, at) => ['--reporter', `${format}=${files[at]}`])],
      [command, ...args],
    );
    expect(exitCode).toBe(1);
    for (const path of files) {
      const text = await readFile(path, 'utf8');
      expect(text).toContain('ENOENT: /data/x');
      expect(text).toContain('Fatal: database lost');
      expect(text).toContain('exited with code 7');
      expect(text).toContain('.mcptrace');
    }
  });

  test('reports go to files as well, with paths relative to the workspace of GitHub; one goes to stdout', async () => {
    const suite = await folderOf({ own: count('Odd') });
    const [workspace, name] = [dirname(suite), basename(suite)];
    const [junit, sarif] = [join(suite, 'new', 'junit.xml'), join(suite, 'run.sarif')];
    const report = (...options: string[]) =>
      cli.runBare(['test', suite, ...options, '--', ...counter], { GITHUB_WORKSPACE: workspace });
    const { stdout, exitCode } = await report(
      '--reporter',
      'github',
      '--reporter',
      `junit=${junit}`,
      '--reporter',
      `sarif=${sarif}`,
    );
    expect(exitCode).toBe(1);
    const path = `${name}/own.mcptest.yaml`;
    expect(stdout).toMatch(new RegExp(`^::error file=${path},line=5,`));
    expect(await readFile(junit, 'utf8')).toContain(`<testcase name="Odd" classname="${path}"`);
    const physicalLocation = {
      artifactLocation: { uri: path, uriBaseId: '%SRCROOT%' },
      region: { startLine: 5 },
    };
    expect(JSON.parse(await readFile(sarif, 'utf8'))).toMatchObject({
      runs: [{ results: [{ ruleId: 'expectation', locations: [{ physicalLocation }] }] }],
    });
    const both = await report('--reporter', 'tap', '--reporter', 'junit');
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
    expect(both.stderr).toContain('tap and junit cannot both go to stdout');
    const unwritable = await report('--reporter', `junit=${join(sarif, 'junit.xml')}`);
    expect(unwritable.exitCode).not.toBe(0);
    expect(unwritable.stderr).toContain('junit.xml cannot be written');
  });

  test('an expected result holds in the other era, and is compared to the letter in its own', async () => {
    const { command, args } = scriptedServer(`
      'server/discover': (request) => answer(request, { resultType: 'complete', supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }),
      'tools/list': (request) => server.answer(request, { tools: [
        { name: 'add', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
      'tools/call': (request) => server.answer(request, { content: [], structuredContent: { sum: 3 } }),
      answer: (request, result) => answer(request, request.params?._meta?.['io.modelcontextprotocol/protocolVersion']
        ? { resultType: 'complete', ...(request.method === 'tools/list' && { ttlMs: 0, cacheScope: 'private' }), ...result }
        : result),
    `);
    const expecting = (name: string, members: string) =>
      `  - { name: ${name}, call: add, expect: { result: { ${members}content: [], structuredContent: { sum: 3 } } } }\n`;
    const suite = await folderOf({
      own: [
        expecting('Legacy', ''),
        expecting('Modern', 'resultType: complete, '),
        expecting('Kept', 'resultType: complete, ttlMs: 5, '),
      ].join(''),
    });
    const inEra = async (era: string) => {
      const { stdout } = await cli.run(
        ['test', suite, '--era', era, '--reporter', 'json'],
        [command, ...args],
      );
      return statesOf(stdout);
    };
    expect(await inEra('legacy')).toEqual([['Legacy passed', 'Modern passed', 'Kept passed']]);
    expect(await inEra('modern')).toEqual([['Legacy passed', 'Modern passed', 'Kept failed']]);
  });

  test('a run that cannot start writes every report, with its cause', async () => {
    const suite = await folderOf({ own: '  - { name: Stays, call: stay }\n' });
    const server = [process.execPath, '-e', 'console.error("no license found"); process.exit(3)'];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['test', suite, '--', ...server], /no license found/],
      [['test', join(suite, 'none.mcptest.yaml'), '--', ...server], /There is no file/],
    ];
    for (const [words, cause] of cases) {
      for (const format of ['junit', 'tap', 'sarif', 'github', 'json']) {
        const end = words.indexOf('--');
        const { stdout, exitCode } = await cli.runBare([
          ...words.slice(0, end),
          '--reporter',
          format,
          ...words.slice(end),
        ]);
        expect(exitCode).not.toBe(0);
        expect(stdout).toMatch(cause);
      }
    }
  });

  test('--last-failed runs what failed last; it is remembered in the data folder, not beside the files', async () => {
    const suite = await folderOf({
      one: `${count('Odd')}${count('Even')}`,
      two: '  - { name: Stays, call: stay }\n',
    });
    const last = async (...options: string[]) =>
      statesOf((await cli.run(['test', suite, '--reporter', 'json', ...options], counter)).stdout);
    const all = [['Odd failed', 'Even passed'], ['Stays passed']];
    expect(await last()).toEqual(all);
    expect(await last('--last-failed')).toEqual([['Odd failed']]);
    expect(await readdir(suite)).toEqual(['one.mcptest.yaml', 'two.mcptest.yaml']);
    // A call that is left out stays as it was; one that passes is forgotten.
    expect(await last('--grep', 'Stays')).toEqual([['Stays passed']]);
    expect(await last('--last-failed', '--retries', '1')).toEqual([['Odd flaky']]);
    expect(await last('--last-failed')).toEqual(all);
    // A run needs none of it.
    const remembered = join(cli.folder, 'failed-tests.json');
    await writeFile(remembered, '{ damaged');
    const damaged = await cli.run(['test', suite, '--reporter', 'json'], counter);
    expect(statesOf(damaged.stdout)).toEqual(all);
    expect(damaged).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('failed-tests.json') });
    await rm(remembered);
  });

  test('--update writes what came and keeps comments; --learn what varies; neither in CI', async () => {
    const suite = await folderOf({ own: `${count('Even')}  - { name: Stays, call: stay }\n` });
    const path = join(suite, 'own.mcptest.yaml');
    const original = await readFile(path, 'utf8');
    const inCI = await cli.runBare(['test', suite, '--update', '--', ...counter], { CI: '1' });
    expect(inCI).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--update and --learn write nothing'),
    });
    expect(await readFile(path, 'utf8')).toBe(original);
    // The path behind it is not its value.
    const changed = await cli.run(['test', '--update', suite], counter);
    expect(changed).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('updated: $.structuredContent.even is replaced'),
    });
    expect(await readFile(path, 'utf8')).toBe(original.replace('equals: true', 'equals: false'));
    const missing = await cli.run(['test', suite, '--update=missing'], counter);
    expect(missing.stdout).toContain('2 passed, 0 failed, 0 skipped; 1 call updated in the file');
    const text = await readFile(path, 'utf8');
    expect(text).toContain('} # even\n');
    expect(text).toContain('stays: "9007199254740993"');
    await writeFile(
      path,
      text.replace(
        /expect: \{ values.*\}/,
        'expect: { result: { content: [], structuredContent: { even: false, calls: 1 } } }',
      ),
    );
    const learned = await cli.run(['test', suite, '--learn', '3'], counter);
    expect(learned).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 path learned: ') });
    expect(await readFile(path, 'utf8')).toMatch(/# 3 values in 3 runs: 1, 3, …/);
  });

  test('a file names its own server, which is used only when it may be', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    const steps = '  - { name: Stays, call: stay }\n';
    await writeFile(
      join(own, 'a.mcptest.yaml'),
      `version: 1\ntarget: { command: ${JSON.stringify(counter)} }\nsteps:\n${steps}`,
    );
    const refused = await cli.runBare(['test', own]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--allow-target does') });
    expect(await cli.runBare(['test', own, '--allow-target'])).toMatchObject({ exitCode: 0 });
    const unreachable = 'target: { url: "http://127.0.0.1:1/mcp" }';
    await writeFile(join(own, 'b.mcptest.yaml'), `version: 1\n${unreachable}\nsteps:\n${steps}`);
    const options = ['--allow-target', '--workers', '2', '--reporter', 'json'];
    const half = await cli.runBare(['test', own, ...options]);
    expect(JSON.parse(half.stdout)).toMatchObject({
      files: [
        { calls: [{ name: 'Stays', state: 'passed' }] },
        { calls: [{ name: 'Stays', state: 'skipped' }], problems: [{ line: 1 }] },
      ],
      counts: { passed: 1, failed: 0, skipped: 1 },
      fault: { what: expect.any(String) },
    });
    expect(half.exitCode).toBe(3);
    await writeFile(join(own, 'b.mcptest.yaml'), `version: 1\nsteps:\n${steps}`);
    const none = await cli.runBare(['test', own, '--allow-target']);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('names no server') });
  });

  test('a saved server that a file names is asked about like a command, for it has credentials', async () => {
    const window = await EngineFixture.open({ dataFolder: cli.folder });
    const [program = '', ...args] = counter;
    const { serverId } = await window.connect({ command: program, args });
    await window.engine.close();
    const own = join(folder, 'own-saved');
    await mkdir(own);
    const steps = 'steps:\n  - { name: Stays, call: stay }\n';
    await writeFile(join(own, 'a.mcptest.yaml'), `version: 1\ntarget: { server: under test }\n${steps}`);
    const refused = await cli.runBare(['test', own]);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the saved server "under test"'),
    });
    expect(refused.stderr).toContain('--allow-target does');
    const inCi = await cli.startOnTerminal(['test', own], [], { CI: '1' }).ended;
    expect(inCi.exitCode).toBe(2);
    const asked = cli.startOnTerminal(['test', own], []);
    await asked.printedText('Use it? [y/N]');
    expect(asked.stdout).toContain('your saved server "under test" with its credentials');
    asked.child.stdin?.write('n\n');
    expect((await asked.ended).exitCode).toBe(3);
    expect(await cli.runBare(['test', own, '--allow-target'])).toMatchObject({ exitCode: 0 });
    const remover = await EngineFixture.open({ dataFolder: cli.folder });
    await remover.call('servers/remove', { id: serverId });
    await remover.engine.close();
  });

  test('--from writes a file from a trace, which passes; it overwrites none and starts no server', async () => {
    const own = await folderOf({});
    const traces = join(cli.folder, 'traces');
    const before = await readdir(traces);
    await cli.run(['call', 'echo', 'message=hi'], everything);
    const trace = (await readdir(traces)).find(
      (name) => name.endsWith('.mcptrace') && !before.includes(name),
    );
    const suite = join(own, 'recorded.mcptest.yaml');
    const from = ['test', '--from', join(traces, trace ?? 'none'), suite];
    const written = await cli.runBare(from);
    expect(written).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/recorded\.mcptest\.yaml: 1 call\n$/),
    });
    const passed = await cli.run(['test', suite, '--allow-writes', '--bail'], everything);
    expect(passed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 passed, 0 failed') });
    expect(await cli.runBare(from)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('exists already'),
    });
    const target = await cli.runBare([...from, '--', ...everything]);
    expect(target).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leave out the server') });
  });
});
