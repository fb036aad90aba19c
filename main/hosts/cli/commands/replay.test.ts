import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';
import type { Comparison } from '#shared/contract/comparison.ts';
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
  test('sends the calls of a trace and finds nothing but noise', async () => {
    const { exitCode, stdout } = await replay('--allow-writes');
    expect(stdout).toMatch(/2 calls: .*same; 0 catalog changes/);
    expect(exitCode).toBe(0);
  });

  test('as JSON has what was sent and the comparison; a filter chooses', async () => {
    const { exitCode, stdout } = await replay('--allow-writes', '--json', '--only', 'name:get-sum');
    const { replay: run, comparison } = JSON.parse(stdout) as { replay: ReplayRun; comparison: Comparison };
    expect(run.calls.map(({ target, skipped }) => [target, skipped])).toEqual([['get-sum', null]]);
    expect(comparison.counts.same).toBe(1);
    // The call that was not chosen is not part of the run.
    expect(comparison.calls.map(({ target }) => target)).toEqual(['get-sum']);
    expect(exitCode).toBe(0);
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
