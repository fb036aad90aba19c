import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { formatDuration } from '#shared/format.ts';
import { junitSeconds, xmlText } from '#shared/xml.ts';
import { print, printJson, visibleText } from './output.ts';

/** A file that was run. */
export interface TestedFile {
  readonly path: string;
  readonly outcomes: readonly CallOutcome[];
}

interface Reporter {
  file(file: TestedFile): Promise<void>;
  end(files: readonly TestedFile[]): Promise<void>;
}

export const reporterNames = ['text', 'json', 'junit'] as const;

const nothing = (): Promise<void> => Promise.resolve();

/** The formats of a report on stdout. */
export const reporters: Readonly<Record<(typeof reporterNames)[number], () => Reporter>> = {
  text: () => ({
    async file({ path, outcomes }) {
      await print(visibleText(path));
      for (const outcome of outcomes) await print(outcomeLines(path, outcome));
    },
    async end(files) {
      const all = files.flatMap(({ outcomes }) => outcomes);
      const words = (['passed', 'failed', 'skipped'] as const).map(
        (state) => `${countOf(all, state)} ${state}`,
      );
      await print(words.join(', '));
    },
  }),
  json: () => ({
    file: nothing,
    end: (files) =>
      printJson(
        JSON.stringify({
          files: files.map(({ path, outcomes }) => ({
            path,
            calls: outcomes.map(({ name, state, failures, reason, duration }) => ({
              name,
              state,
              failures,
              reason,
              duration,
            })),
          })),
        }),
      ),
  }),
  junit: () => ({ file: nothing, end: (files) => print(junitXml(files)) }),
};

const marks: Readonly<Record<CallOutcome['state'], string>> = {
  passed: 'ok',
  failed: 'FAILED',
  flaky: 'FLAKY',
  skipped: 'skipped',
};

function outcomeLines(path: string, { name, state, failures, reason, duration }: CallOutcome): string {
  const time = duration === null ? '' : `  ${formatDuration(duration)}`;
  return [
    `  ${marks[state].padEnd(7)} ${visibleText(name)}${time}`,
    ...(reason === null ? [] : [`          ${visibleText(reason)}`]),
    ...failures.map(
      ({ line, column, message }) => `          ${visibleText(`${path}:${line}:${column}: ${message}`)}`,
    ),
  ].join('\n');
}

const countOf = (outcomes: readonly CallOutcome[], state: CallOutcome['state']): number =>
  outcomes.filter((outcome) => outcome.state === state).length;

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

function caseXml(path: string, { name, failures, state, reason, duration }: CallOutcome): string {
  const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(path)}" time="${junitSeconds(duration ?? 0)}"`;
  if (state === 'passed') return `${head}/>`;
  const inner =
    state === 'skipped'
      ? [`      <skipped message="${xmlText(reason ?? '')}"/>`]
      : failures.map(
          ({ line, column, message }) =>
            `      <failure message="${xmlText(message)}">${xmlText(`${path}:${line}:${column}: ${message}`)}</failure>`,
        );
  return [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function counts(outcomes: readonly CallOutcome[]): string {
  const time = outcomes.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  return ` tests="${outcomes.length}" failures="${countOf(outcomes, 'failed')}" skipped="${countOf(outcomes, 'skipped')}" time="${junitSeconds(time)}"`;
}
