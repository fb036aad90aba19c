import { type CallFailure, type CallOutcome, failsRun } from '#shared/contract/saved-calls.ts';
import { faultLine } from '#shared/contract/fault.ts';
import { visibleText } from '#hosts/cli/output.ts';
import { withoutCommands } from '#hosts/runner-commands.ts';
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

/** A report in the Test Anything Protocol, version 14. */
export function tapReport(report: TestReport): string {
  const fault = runFault(report);
  const points = report.files.flatMap((file) => [
    ...file.problems.map((problem) => ({
      head: ['not ok', file.path, ''],
      notes: ['failures:', ...tapFailure(file, problem, null)],
      findings: [],
    })),
    ...file.outcomes.map((outcome, index) => ({
      ...tapPoint(file, outcome),
      findings: index === file.outcomes.length - 1 ? file.findings : [],
    })),
  ]);
  const lines = points.flatMap(({ head: [state, about = '', directive], notes, findings }, index) => [
    `${state} ${index + 1} - ${tap(about)}${directive}`,
    ...(notes.length === 0 ? [] : ['  ---', ...notes.map((note) => `  ${note}`), '  ...']),
    ...findings.map((finding) => `# ${visibleText(findingLine(finding))}`),
  ]);
  const bailOut = fault === null ? [] : [`Bail out! ${tap(faultLine(fault))}`];
  return ['TAP version 14', `1..${points.length}`, ...lines, ...bailOut].join('\n');
}

function tapPoint(
  file: TestedFile,
  outcome: TestedCall,
): { readonly head: readonly string[]; readonly notes: readonly string[] } {
  const { name, state, failures, reason, warnings } = outcome;
  const about = `${file.path} > ${name}`;
  if (state === 'skipped') return { head: ['ok', about, ` # SKIP ${tap(reason ?? '')}`], notes: [] };
  const listed = (title: string, all: readonly CallFailure[]) =>
    all.length === 0 ? [] : [title, ...all.flatMap((one) => tapFailure(file, one, outcome))];
  return {
    head: [failsRun(outcome) ? 'not ok' : 'ok', about, ''],
    notes: [
      ...(state === 'flaky' ? [`flaky: ${JSON.stringify(attemptsText(outcome))}`] : []),
      ...listed('failures:', failures),
      ...listed('warnings:', warnings),
    ],
  };
}

/** A failure as an entry of a list of YAML. */
function tapFailure(
  { path, trace }: TestedFile,
  { line, column, message, expected, received, quote }: CallFailure,
  outcome: CallOutcome | null,
): string[] {
  const members = Object.entries({
    message: `${path}:${line}:${column}: ${message}`,
    expected,
    received,
    said: quote,
    trace: trace ?? undefined,
    row: endRow(outcome) ?? undefined,
  }).filter(([, value]) => value !== undefined);
  // JSON is YAML.
  return members.map(([key, value], index) => `${index === 0 ? '-' : ' '} ${key}: ${JSON.stringify(value)}`);
}

/** A description: `#` begins a directive, and a line ends the test. */
const tap = (text: string): string => visibleText(text).replaceAll(/[\\#]/g, String.raw`\$&`);

/**
 * Workflow commands of GitHub Actions: an annotation at the place of each failure, of what kept a file from being run, of unused
 * answers, and of what the checks found.
 */
export function githubAnnotations(report: TestReport): string[] {
  const fault = runFault(report);
  return [
    ...report.files.flatMap((file) => [
      ...file.problems.map((problem) => annotation('error', file, problem, 'not run', null)),
      ...file.outcomes.flatMap((outcome) => outcomeAnnotations(file, outcome)),
      ...file.findings.map((finding) =>
        command(
          'notice',
          [
            ['file', file.repositoryPath],
            ['title', `${file.path}: ${finding.rule}`],
          ],
          findingLine(finding),
        ),
      ),
    ]),
    ...(fault === null ? [] : [command('error', [['title', 'sightglass test']], faultLine(fault))]),
  ];
}

function outcomeAnnotations(file: TestedFile, outcome: TestedCall): string[] {
  const { name, state, failures, warnings } = outcome;
  const warned = warnings.map((one) => annotation('warning', file, one, name, outcome));
  if (state !== 'failed' && state !== 'flaky') return warned;
  const title = state === 'flaky' ? `${name} (flaky: ${attemptsText(outcome)})` : name;
  const level = failsRun(outcome) ? 'error' : 'warning';
  return [...failures.map((one) => annotation(level, file, one, title, outcome)), ...warned];
}

function annotation(
  level: 'error' | 'warning',
  { repositoryPath, trace }: TestedFile,
  failure: CallFailure,
  title: string,
  outcome: CallOutcome | null,
): string {
  const { line, column, message } = failure;
  const place = [
    ['file', repositoryPath],
    ['line', String(line)],
    ['col', String(column)],
    ['title', title],
  ] as const;
  return command(level, place, [message, ...failureDetails(failure, outcome, trace)].join('\n'));
}

const command = (
  name: string,
  properties: readonly (readonly [name: string, value: string])[],
  message: string,
): string =>
  // Other runners take commands from anywhere in a line.
  `::${withoutCommands(`${name} ${properties.map(([key, value]) => `${key}=${property(value)}`).join(',')}::${data(message)}`)}`;

const encoded: Readonly<Record<string, string>> = {
  '%': '%25',
  '\r': '%0D',
  '\n': '%0A',
  ':': '%3A',
  ',': '%2C',
};

/** The message of a workflow command: a line break in it would begin another command. */
const data = (text: string): string =>
  text.replaceAll(/[%\r\n]/g, (character) => encoded[character] ?? character);

/** A property of a workflow command. */
const property = (text: string): string =>
  text.replaceAll(/[%\r\n:,]/g, (character) => encoded[character] ?? character);
