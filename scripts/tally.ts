import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { projectRoot } from './step.ts';

/** How many tests came out how. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** So much of a failure's message is repeated at the end of a run. */
const linesOfFailure = 12;

const noTests: Tally = { passed: 0, failed: 0, skipped: 0 };

/** A flaky test failed first, and passed when it was run again. */
export type TestState = 'passed' | 'flaky' | 'failed' | 'skipped';

/** One test of a run: the file relative to the project, and the titles from the outermost group inwards. */
export interface RanTest {
  readonly file: string;
  readonly titles: readonly string[];
  readonly state: TestState;
  /** What its first failed attempt said. */
  readonly failure?: string | undefined;
}

/** The kinds of test run, and where each leaves its results. */
export const runNames = ['unit', 'conformance', 'web', 'electron'] as const;
export type RunName = (typeof runNames)[number];

export const resultFiles: Readonly<Record<RunName, string>> = {
  unit: 'test-results/unit.json',
  conformance: 'test-results/conformance/results.json',
  web: 'test-results/web/results.json',
  electron: 'test-results/electron/results.json',
};

/** The tests of the last run of this kind, or null when it left no results. */
export async function readRun(name: RunName, root: string = projectRoot): Promise<RanTest[] | null> {
  let text: string;
  try {
    text = await readFile(join(root, resultFiles[name]), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const report: unknown = JSON.parse(text);
  if (name === 'conformance') return ranTestsSchema.parse(report);
  return name === 'unit' ? fromVitest(report, root) : fromPlaywright(report);
}

export function tallyOf(tests: readonly RanTest[]): Tally {
  const count = (...states: TestState[]) => tests.filter((test) => states.includes(test.state)).length;
  return { passed: count('passed', 'flaky'), failed: count('failed'), skipped: count('skipped') };
}

export function sum(...tallies: readonly Tally[]): Tally {
  return tallies.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }));
}

/** All tests of the last run of every kind. */
export async function tallyOfLastRuns(): Promise<Tally> {
  const runs = await Promise.all(runNames.map((name) => readRun(name)));
  return sum(noTests, ...runs.map((run) => tallyOf(run ?? [])));
}

/** The tests of the last runs that failed at least once, each with its kind of run and what its first failure said. */
export async function failuresOfLastRuns(state: 'failed' | 'flaky'): Promise<string[]> {
  const runs = await Promise.all(
    runNames.map(async (name) => ((await readRun(name)) ?? []).map((test) => ({ name, ...test }))),
  );
  return runs
    .flat()
    .filter((test) => test.state === state)
    .map(({ name, file, titles, failure = '' }) => {
      const lines = failure.split('\n').slice(0, linesOfFailure);
      return [`${name}: ${[file, ...titles].join(' › ')}`, ...lines].join('\n    ');
    });
}

/** The line that a test command ends with. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** What `scripts/conformance.ts` writes. */
const ranTestsSchema = z.array(
  z.object({
    file: z.string(),
    titles: z.array(z.string()),
    state: z.enum(['passed', 'failed', 'skipped']),
  }),
);

const vitestSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          /** Of every attempt, also of a test that passed at last. */
          failureMessages: z.array(z.string()),
        }),
      ),
    }),
  ),
});

const vitestStates: Readonly<Record<string, TestState>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  todo: 'skipped',
};

function stateOf(test: { readonly status: string; readonly failureMessages: readonly string[] }): TestState {
  const state = vitestStates[test.status] ?? 'failed';
  return state === 'passed' && test.failureMessages.length > 0 ? 'flaky' : state;
}

function fromVitest(report: unknown, root: string): RanTest[] {
  return vitestSchema.parse(report).testResults.flatMap(({ name, status, assertionResults }) => {
    const file = name.slice(root.length).replaceAll('\\', '/').replace(/^\//, '');
    const tests = assertionResults.map(
      (test): RanTest => ({
        file,
        titles: [...test.ancestorTitles, test.title],
        state: stateOf(test),
        failure: plain(test.failureMessages[0]),
      }),
    );
    // A file that does not even load has no test of its own to fail.
    const loaded = status !== 'failed' || tests.some((test) => test.state === 'failed');
    return loaded ? tests : [...tests, { file, titles: ['the file loads'], state: 'failed' as const }];
  });
}

const plain = (message: string | undefined) => message && stripVTControlCharacters(message);

interface PlaywrightTest {
  readonly status: string;
  readonly results: readonly { readonly error?: { readonly message?: string | undefined } | undefined }[];
}

interface PlaywrightSuite {
  readonly title: string;
  readonly file: string;
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly PlaywrightTest[];
  }[];
  readonly suites?: readonly PlaywrightSuite[] | undefined;
}

const playwrightTestSchema = z.object({
  status: z.string(),
  results: z.array(z.object({ error: z.object({ message: z.string().optional() }).optional() })),
});

const suiteSchema: z.ZodType<PlaywrightSuite> = z.lazy(() =>
  z.object({
    title: z.string(),
    file: z.string(),
    specs: z.array(z.object({ title: z.string(), tests: z.array(playwrightTestSchema) })),
    suites: z.array(suiteSchema).optional(),
  }),
);

const playwrightSchema = z.object({ suites: z.array(suiteSchema), errors: z.array(z.unknown()) });

const playwrightStates: Readonly<Record<string, TestState>> = {
  expected: 'passed',
  unexpected: 'failed',
  flaky: 'flaky',
  skipped: 'skipped',
};

function fromPlaywright(report: unknown): RanTest[] {
  const { suites, errors } = playwrightSchema.parse(report);
  const tests = suites.flatMap((suite) => testsOf(suite, []));
  if (errors.length === 0) return tests;
  return [...tests, { file: 'e2e', titles: ['the run itself'], state: 'failed' }];
}

function testsOf(suite: PlaywrightSuite, outer: readonly string[]): RanTest[] {
  const own = suite.specs.flatMap(({ title, tests }) =>
    tests.map(
      ({ status, results }): RanTest => ({
        file: `e2e/${suite.file}`,
        titles: [...outer, title],
        state: playwrightStates[status] ?? 'failed',
        failure: plain(results.find(({ error }) => error !== undefined)?.error?.message),
      }),
    ),
  );
  const inner = (suite.suites ?? []).flatMap((child) => testsOf(child, [...outer, child.title]));
  return [...own, ...inner];
}
