// The build, types, lint, format, unit and integration tests, the official conformance suite, and the map from
// requirements to tests.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, runStep, type Step } from './step.ts';
import { readRun, resultFiles, tallyOf } from './tally.ts';

/** Comes first: tests start the built program, which starts sooner than the sources do. */
export const build: Step = { name: 'build', command: ['vite', 'build', '--logLevel', 'warn'] };

/** By default four checkers each check shared files again; one takes 11 s of processor instead of 19. */
const oneChecker = ['--checkers', '1'];

const stepsWith = (retries: number): readonly Step[] => [
  { name: 'types of the engine', command: ['tsc', '-p', '.', ...oneChecker] },
  { name: 'types of shared', command: ['tsc', '-p', 'shared', ...oneChecker] },
  { name: 'types of the page', command: ['tsc', '-p', 'renderer', ...oneChecker] },
  // With Go's default GOGC, garbage collection takes a sixth of the processor time.
  {
    name: 'lint',
    command: ['oxlint', '--type-aware', '--deny-warnings', '--threads=1'],
    env: { GOGC: '400' },
  },
  { name: 'format', command: ['biome', 'format'] },
  {
    name: 'unit and integration',
    command: [
      'vitest',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${resultFiles.unit}`,
      `--retry=${retries}`,
    ],
  },
  { name: 'conformance', command: ['node', 'scripts/conformance.ts'], live: 'labelled' },
  { name: 'coverage map', command: ['node', 'scripts/coverage-map.ts', '--without-e2e'] },
];

/** The kinds of test run among them. */
const kinds = ['unit', 'conformance'] as const;

/**
 * Runs every step but the build, whatever fails; gives the names of those that failed.
 * @param retries how often a failed unit or integration test is run again
 */
export async function check(retries = 0): Promise<string[]> {
  for (const name of kinds) await rm(join(projectRoot, resultFiles[name]), { force: true });
  const failed: string[] = [];
  for (const step of stepsWith(retries)) {
    if (!(await runStep(step))) failed.push(step.name);
  }
  return failed;
}

if (import.meta.main) {
  const isBuilt = await runStep(build);
  const failed = await check();
  if (!isBuilt) failed.push(build.name);
  const runs = await Promise.all(kinds.map((name) => readRun(name)));
  const { passed } = tallyOf(runs.flatMap((run) => run ?? []));
  console.log(failed.length === 0 ? `All fine, ${passed} tests passed` : `Failed: ${failed.join(', ')}`);
  if (failed.length > 0 || passed === 0) process.exitCode = 1;
}
