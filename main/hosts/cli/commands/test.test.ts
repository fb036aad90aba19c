import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';

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

  test('reports as JUnit does', async () => {
    const { exitCode, stdout } = await runTests('--reporter', 'junit');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/<testsuites tests="2" failures="1" skipped="0" time="\d+\.\d{6}">/);
    expect(stdout).toContain('<testcase name="Refuses an unknown &lt;prompt&gt;"');
    expect(stdout).toMatch(/<failure message="expected ok, got protocol-error: error -32602: [^"]*">/);
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
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('there is no file') });
  });

  test('skips in CI what may write, unless that is allowed', async () => {
    const writes = join(folder, 'writes.yaml');
    await writeFile(writes, 'version: 1\nsteps:\n  - name: Toggles\n    call: toggle-simulated-logging\n');
    const inCI = (...options: string[]) =>
      cli.runBare(['test', writes, ...options, '--', ...everything], { CI: '1' });
    expect(await inCI()).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('skipped Toggles') });
    expect(await inCI('--allow-writes')).toMatchObject({ exitCode: 0 });
  });
});
