// What takes too long for every run, for a night: many sessions, long random streams, properties with a new seed, and on
// Electron the specs that otherwise run on the web host only.
// `TEST_SEED=N npm run soak` repeats a run.
import { build } from './check.ts';
import { e2e } from './e2e.ts';
import { projectRoot, runStep, type Step } from './step.ts';
import { newSeed } from '#fixtures/fuzz/random.ts';

const seed = process.env.TEST_SEED ?? String(newSeed());
const env = { SOAK: '1', TEST_SEED: seed };
console.log(`TEST_SEED=${seed} npm run soak, in ${projectRoot}`);

const steps: readonly Step[] = [
  { name: 'sessions and streams', command: ['vitest', 'run', 'leaks', 'fixtures/fuzz'], env, live: 'as-is' },
  { name: 'all tests, by this seed', command: ['vitest', 'run', '--project=node'], env, live: 'as-is' },
  { name: 'fuzz', command: ['node', 'scripts/fuzz.ts', '--seed', seed], live: 'as-is' },
];
for (const step of steps) {
  if (!(await runStep(step))) process.exitCode = 1;
}
process.env.E2E_ALL = '1';
if (!(await runStep(build)) || (await e2e([], [], 'labelled')).length > 0) process.exitCode = 1;
