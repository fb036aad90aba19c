import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { formatDuration } from '#shared/format.ts';
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

/** Microseconds as seconds. */
const seconds = (microseconds: number): string => (microseconds / 1_000_000).toFixed(6);

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
    `  <testsuite name="${xml(path)}"${counts(outcomes)}>`,
    ...outcomes.map((outcome) => caseXml(path, outcome)),
    '  </testsuite>',
  ].join('\n');

function caseXml(path: string, { name, failures, state, reason, duration }: CallOutcome): string {
  const head = `    <testcase name="${xml(name)}" classname="${xml(path)}" time="${seconds(duration ?? 0)}"`;
  if (state === 'passed') return `${head}/>`;
  const inner =
    state === 'skipped'
      ? [`      <skipped message="${xml(reason ?? '')}"/>`]
      : failures.map(
          ({ line, column, message }) =>
            `      <failure message="${xml(message)}">${xml(`${path}:${line}:${column}: ${message}`)}</failure>`,
        );
  return [`${head}>`, ...inner, '    </testcase>'].join('\n');
}

function counts(outcomes: readonly CallOutcome[]): string {
  const time = outcomes.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  return ` tests="${outcomes.length}" failures="${countOf(outcomes, 'failed')}" skipped="${countOf(outcomes, 'skipped')}" time="${seconds(time)}"`;
}

/** Characters that XML 1.0 cannot contain, even as references. */
// oxlint-disable-next-line no-control-regex -- these are the characters to replace
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text for an attribute or an element. */
const xml = (text: string): string =>
  text
    .replace(notXml, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
    .replaceAll(/[\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
