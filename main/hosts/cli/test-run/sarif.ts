import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { appVersion } from '#hosts/app-root.ts';
import type { Finding } from '#shared/contract/checks.ts';
import { faultLine } from '#shared/contract/fault.ts';
import { type CallFailure, failsRun } from '#shared/contract/saved-calls.ts';
import {
  attemptsText,
  endRow,
  failureDetails,
  findingLine,
  runFault,
  type TestedCall,
  type TestedFile,
  type TestReport,
} from './tested-file.ts';

const rules = [
  {
    id: 'expectation',
    text: 'A call was not as its test file expects.',
    help: 'Correct the server, or what the test file expects.',
  },
  {
    id: 'flaky',
    text: 'A call was as expected in some attempts, and not in others.',
    help: 'Find out what differs between the attempts; --learn ignores values that vary.',
  },
  { id: 'skipped', text: 'A call was not made.', help: '--allow-writes calls tools that are not read-only.' },
  {
    id: 'not-run',
    text: 'A test file could not be run.',
    help: 'The message says why. Correct the file, or start its server.',
  },
  {
    id: 'unused-answer',
    text: 'The server did not ask for an answer of the test file.',
    help: 'Remove the answer, or find out why the server does not ask.',
  },
  {
    id: 'protocol',
    text: 'A message of the session breaks a rule of the protocol.',
    help: 'The message names the rule and the row of the trace.',
  },
] as const;
type RuleId = (typeof rules)[number]['id'];

/** A report as a SARIF 2.1.0 log (OASIS Standard, section 3.13), as JSON text. What passed is left out. */
export function sarifLog(report: TestReport): string {
  const { files, failure } = report;
  const fault = runFault(report);
  return JSON.stringify({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sightglass',
            version: appVersion,
            rules: rules.map(({ id, text, help }) => ({
              id,
              shortDescription: { text },
              fullDescription: { text },
              help: { text: help },
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: failure === null,
            ...(fault !== null && {
              toolExecutionNotifications: [{ level: 'error', message: { text: faultLine(fault) } }],
            }),
          },
        ],
        columnKind: 'utf16CodeUnits',
        results: files.flatMap((file) => [
          ...file.problems.map((one) =>
            resultOf(file, null, { rule: 'not-run', level: 'error', text: one.message, failure: one }),
          ),
          ...file.outcomes.flatMap((one) => resultsOf(file, one)),
          ...file.findings.map((finding) => findingResult(file, finding)),
        ]),
      },
    ],
  });
}

interface Found {
  readonly rule: RuleId;
  readonly level: 'error' | 'warning' | 'note' | 'none';
  readonly text: string;
  /** Null for what is about the whole step. */
  readonly failure: CallFailure | null;
  readonly more?: object;
}

function resultsOf(file: TestedFile, outcome: TestedCall): object[] {
  const { state, failures, reason, warnings } = outcome;
  const result = (found: Found) => resultOf(file, outcome, found);
  const unused = warnings.map((failure) =>
    result({ rule: 'unused-answer', level: 'warning', text: failure.message, failure }),
  );
  switch (state) {
    case 'passed':
      return unused;
    case 'skipped': {
      const more = { kind: 'notApplicable' };
      return [result({ rule: 'skipped', level: 'none', text: reason ?? 'not made', failure: null, more })];
    }
    case 'failed':
      return [
        ...failures.map((failure) =>
          result({ rule: 'expectation', level: 'error', text: failure.message, failure }),
        ),
        ...unused,
      ];
    case 'flaky': {
      const text = [attemptsText(outcome), ...failures.map(({ message }) => message)].join('; ');
      const level = failsRun(outcome) ? 'error' : 'warning';
      return [result({ rule: 'flaky', level, text, failure: failures[0] ?? null }), ...unused];
    }
  }
}

/** Code scanning wants a place, a message and a fingerprint of every result. */
function resultOf(
  { repositoryPath, trace }: TestedFile,
  outcome: TestedCall | null,
  { rule, level, text, failure, more }: Found,
): object {
  const name = outcome?.name ?? null;
  const details = failure === null ? [] : failureDetails(failure, outcome, trace);
  const message = [name === null ? text : `${name}: ${text}`, ...details].join('\n');
  const start = failure ?? outcome?.step ?? { line: 1, column: 1 };
  const end = outcome?.step.end ?? start;
  const isBefore = end.line < start.line || (end.line === start.line && end.column < start.column);
  const row = endRow(outcome);
  const fingerprint = [rule, repositoryPath, name ?? '', failure?.expected ?? ''].join('\n');
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ id }) => id === rule),
    level,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: locationOf(repositoryPath),
          region: {
            startLine: start.line,
            startColumn: start.column,
            endLine: isBefore ? start.line : end.line,
            endColumn: isBefore ? start.column : end.column,
          },
        },
        logicalLocations: [{ name: name ?? repositoryPath, kind: name === null ? 'module' : 'member' }],
      },
    ],
    partialFingerprints: {
      'sightglassStep/v1': createHash('sha256').update(fingerprint).digest('hex').slice(0, 32),
    },
    ...(trace !== null && { properties: { trace, ...(row !== null && { row }) } }),
    ...more,
  };
}

const findingResult = (file: TestedFile, finding: Finding): object =>
  resultOf(file, null, { rule: 'protocol', level: 'note', text: findingLine(finding), failure: null });

/** A reference relative to the repository, or a `file:` URI of a file that is in none. */
const locationOf = (path: string): object =>
  isAbsolute(path)
    ? { uri: pathToFileURL(path).href }
    : {
        uri: path
          .split('/')
          .map((part) => encodeURIComponent(part))
          .join('/'),
        uriBaseId: '%SRCROOT%',
      };
