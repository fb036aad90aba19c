import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from './step.ts';
import { closingLine, type RanTest, readRun, resultFiles, sum, tallyOf } from './tally.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sightglass-tally-'));
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'), 'junction');
  await mkdir(join(root, 'e2e'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const script = join(projectRoot, 'node_modules', program);
  const options = { cwd: root, env: { ...process.env, ...env } };
  return new Promise((resolve) => execFile(process.execPath, [script, ...args], options, () => resolve()));
}

const stateOf = (tests: readonly RanTest[], title: string) =>
  tests.find(({ titles }) => titles.at(-1) === title)?.state;

describe('a run of vitest', () => {
  it('counts what passed, passed when run again, failed, was skipped, and a file that does not load', async () => {
    await writeFile(
      join(root, 'some.test.ts'),
      `import { describe, expect, it } from 'vitest';
      describe('outer', () => {
        it('holds', () => expect(1).toBe(1));
        it('breaks', () => expect(1).toBe(2));
        it.skip('waits', () => {});
        let tries = 0;
        it('holds at the second try', () => expect(++tries).toBe(2));
      });`,
    );
    await writeFile(join(root, 'broken.test.ts'), "throw new Error('does not load');");
    await writeFile(join(root, 'vitest.config.js'), "export default { test: { include: ['*.test.ts'] } };");
    await run('vitest/vitest.mjs', [
      'run',
      '--retry=1',
      '--reporter=json',
      `--outputFile.json=${resultFiles.unit}`,
    ]);

    const tests = await readRun('unit', root);
    expect(tests).toContainEqual({ file: 'some.test.ts', titles: ['outer', 'holds'], state: 'passed' });
    expect(tests?.find(({ titles }) => titles.at(-1) === 'breaks')?.failure).toContain('expected 1 to be 2');
    expect(tests).toContainEqual({ file: 'broken.test.ts', titles: ['the file loads'], state: 'failed' });
    expect(stateOf(tests!, 'holds at the second try')).toBe('flaky');
    expect(stateOf(tests!, 'breaks')).toBe('failed');
    expect(tallyOf(tests!)).toEqual({ passed: 2, failed: 2, skipped: 1 });
  });
});

describe('a run of Playwright', () => {
  it('counts what passed, passed when run again, failed and was skipped', async () => {
    await writeFile(
      join(root, 'playwright.config.ts'),
      `export default { testDir: 'e2e', reporter: [['json', { outputFile: '${resultFiles.web}' }]] };`,
    );
    await writeFile(
      join(root, 'e2e/some.spec.ts'),
      `import { expect, test } from 'playwright/test';
      test.describe('outer', () => {
        test('holds', () => { expect(1).toBe(1); });
        test('breaks', () => { expect(1).toBe(2); });
        test.skip('waits', () => {});
        test('holds at the second try', ({}, { retry }) => { expect(retry).toBe(1); });
      });`,
    );
    await run('playwright/cli.js', ['test', '--retries=1']);

    const tests = await readRun('web', root);
    expect(tests).toContainEqual({ file: 'e2e/some.spec.ts', titles: ['outer', 'holds'], state: 'passed' });
    expect(tests?.find(({ titles }) => titles.at(-1) === 'breaks')?.failure).toContain('Expected: 2');
    expect(stateOf(tests!, 'holds at the second try')).toBe('flaky');
    expect(tallyOf(tests!)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it('counts a run that broke down as failed', async () => {
    await writeFile(join(root, 'e2e/some.spec.ts'), "throw new Error('does not load');");
    await run('playwright/cli.js', ['test']);
    expect(tallyOf((await readRun('web', root))!).failed).toBe(1);
  });

  it('is no run when it left no results', async () => {
    expect(await readRun('electron', root)).toBeNull();
  });
});

describe('a run of the conformance suite', () => {
  it('is read as it was written', async () => {
    const tests = [{ file: 'scripts/conformance.ts', titles: ['2025-11-25', 'initialize'], state: 'failed' }];
    await mkdir(dirname(join(root, resultFiles.conformance)), { recursive: true });
    await writeFile(join(root, resultFiles.conformance), JSON.stringify(tests));
    expect(await readRun('conformance', root)).toEqual(tests);
  });
});

describe('the closing line', () => {
  it('adds up all runs, and names skipped tests only when there are some', () => {
    const some = { passed: 3, failed: 0, skipped: 0 };
    expect(closingLine(some)).toBe('3 passed, 0 failed');
    expect(closingLine(sum(some, { passed: 1, failed: 2, skipped: 4 }))).toBe(
      '4 passed, 2 failed, 4 skipped',
    );
  });
});
