import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let cli: Cli;
let folder: string;
beforeAll(async () => {
  cli = await Cli.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-watch-'));
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

const script = (): string => join(folder, 'server.cjs');

/** Writes the source of a server as an editor does, by renaming. */
async function writeSource(text: string): Promise<void> {
  await writeFile(`${script()}.tmp`, text);
  await rename(`${script()}.tmp`, script());
}

const source = (answer: string, required: string): string =>
  scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [{ name: 'show', annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', required: [${required}], properties: { of: { type: 'string' } } } }] }),
    'tools/call': (request) => answer(request, { content: [{ type: 'text', text: '${answer}' }] }),
  `).args[1] ?? '';

test('runs again after each change, with what the server lists and answers differently, until Ctrl-C', async () => {
  await writeSource(source('one', ''));
  const suite = join(folder, 'show.mcptest.yaml');
  await writeFile(
    suite,
    `version: 1\nsteps:\n  - name: Shows\n    call: show\n    expect: { values: [{ path: '$.content[0].text', equals: one }] }\n`,
  );
  const many = join(folder, 'many');
  await Promise.all(
    Array.from({ length: 1001 }, (_, index) => mkdir(join(many, String(index)), { recursive: true })),
  );
  const run = cli.start(
    ['test', suite, '--watch', script(), '--watch', many, '--era', 'legacy'],
    [process.execPath, script()],
  );
  await run.printedText('watching 1 file; Ctrl-C ends');
  expect(run.stdout).toContain('1 passed, 0 failed');
  expect(run.stderr).toContain('Only the first 1,000 folders are watched.');

  await writeSource(source('two', `'of'`));
  await run.printedText('compared with the run before');
  await run.printedText('1 call: 1');
  expect(run.stderr).toContain(`changed: ${script()}`);
  expect(run.stdout).toContain('expected "one", got "two"');
  expect(run.stderr).toMatch(/breaking +tool show: .*\(1 of 1 recorded call would break\)/);
  expect(run.stderr).toContain('$.content[0].text: "one" -> "two"');

  // A build that does not start ends nothing.
  await writeSource('process.exit(3)');
  await run.printedText('exit code 3');
  await writeSource(source('one', ''));
  await run.printedText('"two" -> "one"');
  run.child.kill('SIGINT');
  // That of the last run.
  expect((await run.ended).exitCode).toBe(0);
});

test('names a path that is not there', async () => {
  const { exitCode, stderr } = await cli.run(['test', folder, '--watch', join(folder, 'none')], ['node']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('there is no file or folder');
});
