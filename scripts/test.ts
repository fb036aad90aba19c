// Everything: check, build, end to end. Ends with one line that counts every test that ran.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from './check.ts';
import { e2e } from './e2e.ts';
import { projectRoot, runStep } from './step.ts';
import { closingLine, noTests, readRun, type RunName, resultFiles, sum, tallyOf } from './tally.ts';

await rm(join(projectRoot, 'test-results'), { recursive: true, force: true });

const failed = await check();
if (await runStep({ name: 'build', command: ['vite', 'build', '--logLevel', 'warn'] })) {
  try {
    failed.push(...(await e2e([], [])));
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    failed.push('end to end');
  }
  if (
    !(await runStep({ name: 'coverage map, all', command: ['node', 'scripts/coverage-map.ts'], live: true }))
  ) {
    failed.push('coverage map, all');
  }
} else failed.push('build', 'end to end');

if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
const tests = await tallyOfLastRuns();
// A step that failed without a failed test (types, lint, the build, a run that broke down) is a failure too.
const total = { ...tests, failed: Math.max(tests.failed, failed.length) };
console.log(closingLine(total));
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
