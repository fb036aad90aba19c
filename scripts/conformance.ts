// The official conformance suite against the engine. Runs every client scenario for every revision that the suite lists for it,
// except those that are not claimed, and fails when one does.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import spawn from 'cross-spawn';
import { whyNotClaimed } from './conformance-claims.ts';
import { type Line, type Pair, readList, readPairs, reportText } from './conformance-report.ts';
import { runScenarios, type ScenarioRun } from './conformance-run.ts';
import { projectRoot } from './step.ts';
import { resultFiles, type RanTest } from './tally.ts';

const folder = 'test-results/conformance';
const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
/** Relative to the project: the suite splits this at spaces. */
const client = 'node fixtures/conformance/client.ts';
/** Milliseconds for a scenario; the suite's own time for the client is shorter. */
const SCENARIO_TIMEOUT = 60_000;

await rm(join(projectRoot, folder), { recursive: true, force: true });
const required = new Set<string>();
for (const revision of ['2025-11-25', '2026-07-28']) {
  const listed = readList((await runSuite(['list', '--client', '--requirements', revision])).output);
  for (const { scenario, isRequired } of listed) if (isRequired) required.add(`${revision} ${scenario}`);
}
const pairs = readPairs((await runSuite(['list', '--client'])).output);
const claimed = pairs.filter(({ scenario }) => whyNotClaimed(scenario) === null);
const outcomes = await runScenarios(claimed, run);
const lines = pairs.map((pair): Line => {
  const { scenario, target } = pair;
  const result = outcomes.get(pair) ?? { notClaimed: whyNotClaimed(scenario) ?? '' };
  return { target, scenario, isRequired: required.delete(`${target} ${scenario}`), result };
});
// A pair that is required but not listed would not have been run.
if (required.size > 0) throw new Error(`the suite does not list ${[...required].join(', ')}`);
lines.sort((one, other) => one.target.localeCompare(other.target));

console.log(reportText(lines));
await writeFile(join(projectRoot, resultFiles.conformance), JSON.stringify(lines.flatMap(asTest), null, 2));
if (lines.some(({ result }) => 'state' in result && result.state === 'failed')) process.exitCode = 1;

async function run({ target, scenario }: Pair, isAgain: boolean): Promise<ScenarioRun> {
  const results = join(folder, ...(isAgain ? ['again'] : []), target, scenario);
  await mkdir(join(projectRoot, results), { recursive: true });
  const revision = target === 'extension' ? [] : ['--spec-version', target];
  const options = ['--scenario', scenario, ...revision, '-o', results];
  const { exitCode, output } = await runSuite(['client', '--command', client, ...options]);
  await writeFile(join(projectRoot, results, 'suite.txt'), output);
  return { exitCode, output, checks: await readChecks(join(projectRoot, results)), results };
}

/** The checks of the one run that left its results below this folder; null when it left none. */
async function readChecks(results: string): Promise<unknown> {
  const files = await readdir(results, { recursive: true });
  const found = files.find((file) => file.endsWith('checks.json'));
  return found === undefined ? null : JSON.parse(await readFile(join(results, found), 'utf8'));
}

function runSuite(args: readonly string[]): Promise<{ exitCode: number; output: string }> {
  const loopbackOnly = ['--import', './fixtures/conformance/loopback-only.ts'];
  const child = spawn(process.execPath, [...loopbackOnly, suite, ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SCENARIO_TIMEOUT,
  });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => pieces.push(piece));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output: Buffer.concat(pieces).toString() }));
  });
}

function asTest({ target, scenario, result }: Line): RanTest[] {
  if (!('state' in result)) return [];
  return [{ file: 'scripts/conformance.ts', titles: [target, scenario], state: result.state }];
}
