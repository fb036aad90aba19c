// The official conformance suite against the engine. Prints every client scenario of both requirement sets and those that
// are in neither, and fails when one of those that are claimed does.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import spawn from 'cross-spawn';
import { claims, whyNotClaimed } from './conformance-claims.ts';
import {
  type Line,
  type Outcome,
  outcomeOf,
  readList,
  readNames,
  reportText,
  type Revision,
} from './conformance-report.ts';
import { projectRoot } from './step.ts';
import { resultFiles, type RanTest } from './tally.ts';

const folder = 'test-results/conformance';
const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
/** Relative to the project: the suite splits this at spaces. */
const client = 'node fixtures/conformance/client.ts';
/** Milliseconds for a scenario; the suite's own time for the client is shorter. */
const SCENARIO_TIMEOUT = 60_000;

await rm(join(projectRoot, folder), { recursive: true, force: true });
const lines: Line[] = [];
for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  const listed = readList((await runSuite(['list', '--client', '--requirements', revision])).output);
  const missing = claims[revision].filter((claim) => !listed.some(({ scenario }) => scenario === claim));
  if (missing.length > 0) throw new Error(`the suite has no scenario ${missing.join(', ')} for ${revision}`);
  for (const { scenario, isRequired } of listed) {
    // One after the other: some measure time.
    const result = claims[revision].includes(scenario)
      ? await run(revision, scenario)
      : { notClaimed: whyNotClaimed(scenario) };
    lines.push({ revision, scenario, isRequired, result });
  }
}

const inSets = new Set(lines.map(({ scenario }) => scenario));
const inNone = readNames((await runSuite(['list', '--client'])).output).filter((name) => !inSets.has(name));
for (const scenario of inNone) {
  lines.push({
    revision: null,
    scenario,
    isRequired: false,
    result: { notClaimed: whyNotClaimed(scenario) },
  });
}

console.log(reportText(lines));
await writeFile(join(projectRoot, resultFiles.conformance), JSON.stringify(lines.flatMap(asTest), null, 2));
if (lines.some(({ result }) => 'state' in result && result.state === 'failed')) process.exitCode = 1;

async function run(revision: Revision, scenario: string): Promise<Outcome> {
  const results = join(folder, revision, scenario);
  await mkdir(join(projectRoot, results), { recursive: true });
  const options = ['--scenario', scenario, '--spec-version', revision, '-o', results];
  const { exitCode, output } = await runSuite(['client', '--command', client, ...options]);
  await writeFile(join(projectRoot, results, 'suite.txt'), output);
  const outcome = outcomeOf(await readChecks(join(projectRoot, results)), exitCode);
  if (outcome.state === 'passed') return outcome;
  return { ...outcome, problems: [...outcome.problems, `more is in ${results}`] };
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

function asTest({ revision, scenario, result }: Line): RanTest[] {
  if (!('state' in result)) return [];
  return [
    { file: 'scripts/conformance.ts', titles: [revision ?? 'in no set', scenario], state: result.state },
  ];
}
