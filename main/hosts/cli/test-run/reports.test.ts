import { expect, test } from 'vitest';
import { z } from 'zod';
import { junitXml } from './junit.ts';
import { githubAnnotations, tapReport } from './line-reports.ts';
import { sarifLog } from './sarif.ts';
import type { TestedCall, TestedFile, TestReport } from './tested-file.ts';

const passed: TestedCall = {
  step: { line: 2, column: 3, end: { line: 4, column: 1 } },
  warnings: [],
  path: '/tests/a.mcptest.yaml',
  index: 0,
  name: 'Works',
  sessionId: 's',
  state: 'passed',
  attempts: [{ round: 0, state: 'passed', duration: 1500 }],
  failures: [],
  reason: null,
  ignored: [],
  updated: [],
  notUpdated: null,
  canAccept: false,
  duration: 1500,
  requestRow: 1,
  responseRow: 2,
  at: 0,
};

/** What a server may write to break the format of a report. */
const hostile = 'a\n::error::b, 100%: <c> # \u001b]0;d\u0007 \\ "e"\r\nnot ok 9';

const fails = (...rounds: readonly (readonly [number, 'passed' | 'failed'])[]): Partial<TestedCall> => ({
  failures: [{ line: 3, column: 5, message: hostile }],
  attempts: rounds.map(([round, state]) => ({ round, state, duration: null })),
});

const files: TestedFile[] = [
  {
    path: 'tests/a, b.mcptest.yaml',
    repositoryPath: 'tests/a, b.mcptest.yaml',
    trace: null,
    problems: [],
    findings: [],
    outcomes: [
      passed,
      { ...passed, ...fails([0, 'failed']), name: hostile, state: 'failed' },
      { ...passed, ...fails([0, 'passed'], [1, 'failed']), name: 'Repeated', state: 'flaky' },
      { ...passed, ...fails([0, 'failed'], [0, 'passed']), name: 'Retried', state: 'flaky' },
      { ...passed, name: 'Writes', state: 'skipped', attempts: [], reason: 'not read-only' },
    ],
  },
];
const report: TestReport = { files, failure: null };

test('JUnit counts what fails the run, keeps what is hostile inside its attributes, and names what is flaky', () => {
  const xml = junitXml(report);
  expect(xml).toContain('<testsuites tests="5" failures="2" errors="0" skipped="1" time="0.007500">');
  expect(xml.match(/<failure /g)).toHaveLength(2);
  expect(xml).toContain(
    'message="a&#10;::error::b, 100%: &lt;c&gt; # \ufffd]0;d\ufffd \\ &quot;e&quot;&#13;&#10;not ok 9"',
  );
  expect(xml).toMatch(/<testcase name="Retried"[^>]*>\n\s*<system-out>1 of 2 attempts failed<\/system-out>/);
  // Each element that is opened is closed: read as XML by its structure.
  const open: string[] = [];
  for (const [, close, name = '', selfClosed] of xml.matchAll(/<(\/?)([a-z-]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name);
    else if (selfClosed === '') open.push(name);
  }
  expect(open).toEqual([]);
});

test('TAP has a line for each call; nothing in a name becomes a directive or another test', () => {
  const lines = tapReport(report).split('\n');
  expect(lines.slice(0, 2)).toEqual(['TAP version 14', '1..5']);
  const results = lines.filter((line) => /^(not )?ok/.test(line));
  expect(results.map((line) => line.slice(0, 8))).toEqual([
    'ok 1 - t',
    'not ok 2',
    'not ok 3',
    'ok 4 - t',
    'ok 5 - t',
  ]);
  expect(results[1]).toMatch(/\\#/);
  expect(results.filter((line) => / (?<!\\)# /.test(line))).toEqual([
    'ok 5 - tests/a, b.mcptest.yaml > Writes # SKIP not read-only',
  ]);
});

test('GitHub gets one workflow command for each failure, with everything escaped', () => {
  const lines = githubAnnotations(report);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe(
    '::error file=tests/a%2C b.mcptest.yaml,line=3,col=5,title=a%0A%3A%3Aerror%3A%3Ab%2C 100%25%3A <c> # \u001b]0;d\u0007 \\ "e"%0D%0Anot ok 9' +
      '::a%0A::error::b, 100%25: <c> # \u001b]0;d\u0007 \\ "e"%0D%0Anot ok 9',
  );
  expect(lines[1]).toContain('::error file=');
  expect(lines[2]).toContain('::warning file=');
});

test('an annotation holds no command of another runner, which takes them from anywhere in a line', () => {
  const name = 'a ##vso[task.setvariable variable=PATH]b';
  const outcome: TestedCall = { ...passed, ...fails([0, 'failed']), name, state: 'failed' };
  const [line] = githubAnnotations({
    files: files.map((file) => ({
      ...file,
      repositoryPath: 'tests/##[a].mcptest.yaml',
      outcomes: [outcome],
    })),
    failure: null,
  });
  expect(line).toMatch(/^::error file=tests\/##\\u005ba\].mcptest.yaml,line=3,.*a ##vso\\u005btask/);
});

/** What SARIF 2.1.0 (OASIS Standard) requires of the parts that we write. */
const sarifShape = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              shortDescription: z.strictObject({ text: z.string() }),
              fullDescription: z.strictObject({ text: z.string() }),
              help: z.strictObject({ text: z.string() }),
            }),
          ),
        }),
      }),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z
            .array(
              z.strictObject({ level: z.string(), message: z.strictObject({ text: z.string().min(1) }) }),
            )
            .optional(),
        }),
      ),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.number().int().nonnegative(),
          message: z.strictObject({ text: z.string().min(1) }),
          kind: z.enum(['notApplicable', 'pass', 'fail', 'review', 'open', 'informational']).optional(),
          level: z.enum(['none', 'note', 'warning', 'error']),
          locations: z.array(
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({
                  uri: z.string().regex(/^[\w.~!$&'()*+,;=:@/%-]+$/),
                  uriBaseId: z.literal('%SRCROOT%').optional(),
                }),
                // Code scanning of GitHub wants all four.
                region: z.strictObject({
                  startLine: z.number().int().min(1),
                  startColumn: z.number().int().min(1),
                  endLine: z.number().int().min(1),
                  endColumn: z.number().int().min(1),
                }),
              }),
              logicalLocations: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
            }),
          ),
          partialFingerprints: z.record(z.string(), z.string()),
          properties: z.strictObject({ trace: z.string(), row: z.number().optional() }).optional(),
        }),
      ),
    }),
  ]),
});

test('SARIF has the shape of 2.1.0, with a result for all that did not pass', () => {
  const [run] = sarifShape.parse(JSON.parse(sarifLog(report))).runs;
  expect(run.results.map(({ ruleId, level, kind }) => [ruleId, level, kind])).toEqual([
    ['expectation', 'error', undefined],
    ['flaky', 'error', undefined],
    ['flaky', 'warning', undefined],
    ['skipped', 'none', 'notApplicable'],
  ]);
  expect(run.results.every(({ ruleId, ruleIndex }) => run.tool.driver.rules[ruleIndex]?.id === ruleId)).toBe(
    true,
  );
  expect(run.results[0]?.locations[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: 'tests/a%2C%20b.mcptest.yaml', uriBaseId: '%SRCROOT%' },
    region: { startLine: 3, startColumn: 5, endLine: 4, endColumn: 1 },
  });
});

test('every report of a failure has the words of the server, the row of the trace, and a run that could not start has its cause', () => {
  const failure = {
    line: 3,
    column: 5,
    message: 'expected ok, got lost: the session ended',
    expected: 'ok',
    received: 'lost',
    quote: 'Fatal: database lost\nexit code 7',
  };
  const broken: TestReport = {
    files: files.map((file) => ({
      ...file,
      trace: 'a.mcptrace',
      outcomes: [{ ...passed, state: 'failed', failures: [failure] }],
    })),
    failure: null,
  };
  const fault = { code: 'command-not-found', what: 'There is no command serve.', quote: 'serve: not found' };
  const notStarted: TestReport = { files: [], failure: { fault, findings: [] } };
  const texts = [(one: TestReport) => githubAnnotations(one).join('\n'), tapReport, junitXml, sarifLog];
  for (const textOf of texts) {
    expect(textOf(broken)).toContain('Fatal: database lost');
    expect(textOf(broken)).toMatch(/row #3 of a\.mcptrace|"?row"?: ?3/);
    expect(textOf(notStarted)).toContain('serve: not found');
    expect(textOf({ files: [], failure: null })).not.toContain('not found');
  }
  expect(junitXml(notStarted)).toMatch(/<testsuites tests="1" failures="0" errors="1"/);
  const [run] = sarifShape.parse(JSON.parse(sarifLog(notStarted))).runs;
  expect(run.invocations[0]?.executionSuccessful).toBe(false);
});
