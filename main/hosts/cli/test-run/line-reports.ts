import { failsRun } from '#shared/contract/saved-calls.ts';
import { visibleText } from '#hosts/cli/output.ts';
import { withoutCommands } from '#hosts/runner-commands.ts';
import { attemptsText, type TestedFile } from './tested-file.ts';

/** A report in the Test Anything Protocol, version 14. */
export function tapReport(files: readonly TestedFile[]): string {
  const all = files.flatMap(({ path, outcomes }) => outcomes.map((outcome) => ({ path, outcome })));
  const lines = all.map(({ path, outcome }, index) => {
    const { name, state, failures, reason } = outcome;
    const about = `${index + 1} - ${tap(`${path} > ${name}`)}`;
    if (state === 'skipped') return `ok ${about} # SKIP ${tap(reason ?? '')}`;
    const notes = [
      ...(state === 'flaky' ? [`flaky: ${JSON.stringify(attemptsText(outcome))}`] : []),
      ...failures.map(
        ({ line, column, message }) => `- ${JSON.stringify(`${path}:${line}:${column}: ${message}`)}`,
      ),
    ];
    const head = `${failsRun(outcome) ? 'not ok' : 'ok'} ${about}`;
    if (notes.length === 0) return head;
    const listed = state === 'flaky' ? [notes[0], 'failures:', ...notes.slice(1)] : ['failures:', ...notes];
    return [head, '  ---', ...listed.map((note) => `  ${note}`), '  ...'].join('\n');
  });
  return ['TAP version 14', `1..${all.length}`, ...lines].join('\n');
}

/** A description: `#` begins a directive, and a line ends the test. */
const tap = (text: string): string => visibleText(text).replaceAll(/[\\#]/g, String.raw`\$&`);

/** Workflow commands of GitHub Actions: an annotation at the place of each failure. */
export const githubAnnotations = (files: readonly TestedFile[]): string[] =>
  files.flatMap(({ path, outcomes }) =>
    outcomes.flatMap((outcome) => {
      const { name, state, failures } = outcome;
      if (state !== 'failed' && state !== 'flaky') return [];
      const command = failsRun(outcome) ? 'error' : 'warning';
      const title = state === 'flaky' ? `${name} (flaky: ${attemptsText(outcome)})` : name;
      return failures.map(
        ({ line, column, message }) =>
          // Other runners take commands from anywhere in a line.
          `::${withoutCommands(`${command} file=${property(path)},line=${line},col=${column},title=${property(title)}::${data(message)}`)}`,
      );
    }),
  );

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
