// The build, types, lint, format, unit and integration tests, the official conformance suite, and the map from
// requirements to tests.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, runStep, type Step } from './step.ts';
import { readRun, resultFiles, tallyOf } from './tally.ts';

/** Comes first: tests start the built program, which starts sooner than the sources do. */
export const build: Step = { name: 'build', command: ['vite', 'build', '--logLevel', 'warn'] };

const stepsWith = (retries: number): readonly Step[] => [
  { name: 'types of the engine', command: ['tsc', '-p', '.'] },
  { name: 'types of shared', command: ['tsc', '-p', 'shared'] },
  { name: 'types of the page', command: ['tsc', '-p', 'renderer'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
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
