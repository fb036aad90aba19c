// Everything: the build, then two lanes side by side: Electron's end-to-end tests, and the checks followed by those of the web host.
// Ends with one line that counts every test that ran.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, check } from './check.ts';
import { e2e, type Host } from './e2e.ts';
import { projectRoot, runStep, type Step } from './step.ts';
import { closingLine, failuresOfLastRuns, tallyOfLastRuns } from './tally.ts';

/**
 * A test that fails is run once more, because all suites share the machine's few cores here. So many may need it before the
 * run fails; each is listed.
 */
const mostFlaky = 5;
const tryAgain = 1;

const map: Step = { name: 'coverage map, with e2e', command: ['node', 'scripts/coverage-map.ts'] };

await rm(join(projectRoot, 'test-results'), { recursive: true, force: true });

const isBuilt = await runStep(build);
// With all three side by side, each gets so little of two cores that tests time out.
const failed = (
  await Promise.all([
    isBuilt ? endToEnd('electron') : [build.name],
    check(tryAgain).then(async (names) => [...names, ...(isBuilt ? await endToEnd('web') : [])]),
  ])
).flat();
if (isBuilt && !(await runStep(map))) failed.push(map.name);

// CI shows the end of the output alone.
const failedTests = await failuresOfLastRuns('failed');
const flakyTests = await failuresOfLastRuns('flaky');
for (const test of failedTests) console.log(`✗ ${test}`);
for (const test of flakyTests) console.log(`! passed only when it was run again: ${test}`);
if (flakyTests.length > mostFlaky) failed.push(`${flakyTests.length} flaky tests, more than ${mostFlaky}`);
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
const tests = await tallyOfLastRuns();
// A step that failed without a failed test (types, lint, the build, a run that broke down) is a failure too.
const total = { ...tests, failed: Math.max(tests.failed, failed.length) };
console.log(closingLine(total));
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;

async function endToEnd(host: Host): Promise<string[]> {
  try {
    return await e2e([host], [`--retries=${tryAgain}`], 'labelled');
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    return [`end to end, ${host}`];
  }
}
