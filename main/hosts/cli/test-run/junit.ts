import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { failsRun } from '#shared/contract/saved-calls.ts';
import { junitSeconds, xmlText } from '#shared/xml.ts';
import { attemptsText, type TestedFile } from './tested-file.ts';

/** A report in the XML of JUnit, which CI systems read: a suite for each file. */
export function junitXml(files: readonly TestedFile[]): string {
  const all = files.flatMap(({ outcomes }) => outcomes);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts(all)}>`,
    ...files.map(suiteXml),
    '</testsuites>',
  ].join('\n');
}

const suiteXml = ({ path, outcomes }: TestedFile): string =>
  [
    `  <testsuite name="${xmlText(path)}"${counts(outcomes)}>`,
    ...outcomes.map((outcome) => caseXml(path, outcome)),
    '  </testsuite>',
  ].join('\n');

function caseXml(path: string, outcome: CallOutcome): string {
  const { name, failures, state, reason, duration } = outcome;
  const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(path)}" time="${junitSeconds(duration ?? 0)}"`;
  const inner = [
    ...(state === 'skipped' ? [`      <skipped message="${xmlText(reason ?? '')}"/>`] : []),
    ...(failsRun(outcome)
      ? failures.map(
          ({ line, column, message }) =>
            `      <failure message="${xmlText(message)}">${xmlText(`${path}:${line}:${column}: ${message}`)}</failure>`,
        )
      : []),
    ...(state === 'flaky' ? [`      <system-out>${xmlText(attemptsText(outcome))}</system-out>`] : []),
  ];
  return inner.length === 0 ? `${head}/>` : [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function counts(outcomes: readonly CallOutcome[]): string {
  const time = outcomes.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  const skipped = outcomes.filter(({ state }) => state === 'skipped').length;
  return ` tests="${outcomes.length}" failures="${outcomes.filter(failsRun).length}" skipped="${skipped}" time="${junitSeconds(time)}"`;
}
