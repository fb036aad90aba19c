import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Pair, reportText } from './conformance-report.ts';
import { runScenarios, type ScenarioRun } from './conformance-run.ts';
import { projectRoot } from './step.ts';

const target = '2026-07-28';
const [first, slow, last] = ['initialize', 'auth/slow', 'tools_call'].map(
  (scenario): Pair => ({ scenario, target }),
) as [Pair, Pair, Pair];

const passes: ScenarioRun = {
  exitCode: 0,
  output: 'Results saved',
  checks: [check('SUCCESS')],
  results: 'r/1',
};
const fails: ScenarioRun = {
  ...passes,
  exitCode: 1,
  output: 'FAILURE some-check',
  checks: [check('SUCCESS'), check('FAILURE')],
};
const timesOut: ScenarioRun = {
  exitCode: 1,
  output: 'Stderr:\nsome lines\n\nClient timed out after 30000ms\nResults saved',
  checks: [check('SKIPPED')],
  results: 'r/1',
};
const passesLate: ScenarioRun = { ...timesOut, exitCode: 0, checks: [check('SUCCESS')] };

function check(status: string) {
  return { id: 'some-check', name: 'SomeCheck', status };
}

/** Runs the three scenarios, the slow one as given; returns what ran, and the report. */
async function ranWith(...runs: readonly ScenarioRun[]) {
  const ran: string[] = [];
  const left = [...runs];
  const outcomes = await runScenarios([first, slow, last], async (pair, isAgain) => {
    ran.push(`${pair.scenario}${isAgain ? ' again' : ''}`);
    return pair === slow ? (left.shift() ?? fails) : passes;
  });
  const lines = [...outcomes].map(([pair, result]) => ({ ...pair, isRequired: true, result }));
  return { ran, state: outcomes.get(slow)?.state, report: reportText(lines).split('\n') };
}

const once = ['initialize', 'auth/slow', 'tools_call'];

test('a scenario that the suite ended by its own time-out is run again when all others are done, and counts', async () => {
  const { ran, state, report } = await ranWith(timesOut, passes);
  expect(ran).toEqual([...once, 'auth/slow again']);
  expect(state).toBe('passed');
  expect(report).toEqual([
    '2026-07-28  initialize  passed (1)',
    '2026-07-28  auth/slow   passed (1)',
    '    ran again alone after a time-out of the suite: passed',
    '2026-07-28  tools_call  passed (1)',
    '3 passed, 0 failed, 0 not yet claimed',
  ]);
});

test.each([
  ['fails', { ...fails, results: 'r/2' }, 'FAILURE some-check (SomeCheck): '],
  ['times out once more', { ...timesOut, results: 'r/2' }, 'no check succeeded'],
])('one that %s then has failed, and is not run a third time', async (_, second, problem) => {
  const { ran, state, report } = await ranWith(timesOut, second, passes);
  expect(ran).toHaveLength(4);
  expect(state).toBe('failed');
  expect(report.slice(1, 5)).toEqual([
    '2026-07-28  auth/slow   FAILED',
    '    ran again alone after a time-out of the suite: failed',
    `    ${problem}`,
    '    more is in r/2',
  ]);
});

test.each([
  ['fails in time', fails, 'failed'],
  ['passes', passes, 'passed'],
  ['passes although its client was ended', passesLate, 'passed'],
  [
    'fails, and only speaks of a time-out',
    { ...fails, output: 'it says: Client timed out after 1ms' },
    'failed',
  ],
])('one that %s is run once', async (_, run, state) => {
  const outcome = await ranWith(run, passes);
  expect([outcome.ran, outcome.state]).toEqual([once, state]);
  expect(outcome.report.join('\n')).not.toContain('again');
});

test('the installed suite says so in these words', async () => {
  const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
  expect(await readFile(join(projectRoot, suite), 'utf8')).toMatch(/Client timed out after \$\{\w+\}ms/);
});
