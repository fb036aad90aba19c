import { type CallFailure, type CallOutcome, failsRun } from '#shared/contract/saved-calls.ts';
import { junitSeconds, xmlText } from '#shared/xml.ts';
import { faultText } from '#hosts/cli/output.ts';
import {
  attemptsText,
  failureDetails,
  findingLine,
  runFault,
  type TestedCall,
  type TestedFile,
  type TestReport,
} from './tested-file.ts';

/** A report in the XML of JUnit, which CI systems read: a suite for each file. */
export function junitXml(report: TestReport): string {
  const { files } = report;
  const fault = runFault(report);
  const errors = files.reduce((sum, { problems }) => sum + problems.length, 0) + (fault === null ? 0 : 1);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts(
      files.flatMap(({ outcomes }) => outcomes),
      errors,
    )}>`,
    ...files.map(suiteXml),
    ...(fault === null
      ? []
      : [
          `  <testsuite name="sightglass test"${counts([], 1)}>`,
          `    <testcase name="run" classname="sightglass test" time="0">`,
          `      <error type="${xmlText(fault.code)}" message="${xmlText(fault.what)}">${xmlText(faultText(fault))}</error>`,
          '    </testcase>',
          '  </testsuite>',
        ]),
    '</testsuites>',
  ].join('\n');
}

function suiteXml({ path, outcomes, problems, trace, findings }: TestedFile): string {
  const name = xmlText(path);
  const output = [
    ...(trace === null ? [] : [`trace: ${trace}`]),
    ...findings.map((finding) => findingLine(finding)),
  ];
  return [
    `  <testsuite name="${name}"${counts(outcomes, problems.length)}>`,
    ...problems.flatMap((problem) => [
      `    <testcase name="${name}" classname="${name}" file="${name}" line="${problem.line}" time="0">`,
      `      ${failureXml('error', path, problem, null, trace)}`,
      '    </testcase>',
    ]),
    ...outcomes.map((outcome) => caseXml(path, outcome, trace)),
    ...(output.length === 0 ? [] : [`    <system-out>${xmlText(output.join('\n'))}</system-out>`]),
    '  </testsuite>',
  ].join('\n');
}

function caseXml(path: string, outcome: TestedCall, trace: string | null): string {
  const { name, failures, state, reason, duration, warnings, step } = outcome;
  const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(path)}" file="${xmlText(path)}" line="${step.line}" time="${junitSeconds(duration ?? 0)}"`;
  const notes = [
    ...(state === 'flaky' ? [attemptsText(outcome)] : []),
    ...warnings.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`),
  ];
  const inner = [
    ...(state === 'skipped' ? [`      <skipped message="${xmlText(reason ?? '')}"/>`] : []),
    ...(failsRun(outcome)
      ? failures.map((failure) => `      ${failureXml('failure', path, failure, outcome, trace)}`)
      : []),
    ...(notes.length === 0 ? [] : [`      <system-out>${xmlText(notes.join('\n'))}</system-out>`]),
  ];
  return inner.length === 0 ? `${head}/>` : [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function failureXml(
  element: 'failure' | 'error',
  path: string,
  failure: CallFailure,
  outcome: CallOutcome | null,
  trace: string | null,
): string {
  const { line, column, message } = failure;
  const text = [`${path}:${line}:${column}: ${message}`, ...failureDetails(failure, outcome, trace)];
  const type = element === 'failure' ? 'expectation' : 'not-run';
  return `<${element} type="${type}" message="${xmlText(message)}">${xmlText(text.join('\n'))}</${element}>`;
}

function counts(outcomes: readonly CallOutcome[], errors: number): string {
  const time = outcomes.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  const skipped = outcomes.filter(({ state }) => state === 'skipped').length;
  return ` tests="${outcomes.length + errors}" failures="${outcomes.filter(failsRun).length}" errors="${errors}" skipped="${skipped}" time="${junitSeconds(time)}"`;
}
