import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { print, printCommands, printJson, visibleText } from '#hosts/cli/output.ts';
import type { FaultReport } from '#hosts/cli/with-session.ts';
import { junitXml } from './junit.ts';
import { githubAnnotations, tapReport } from './line-reports.ts';
import { sarifLog } from './sarif.ts';
import { attemptsText, outcomeStates, summaryText, type TestedFile } from './tested-file.ts';

interface Reporter {
  /** Called for each file when it has been run. */
  file(file: TestedFile): Promise<void>;
  /** Called at the end with all files in their order, and the fault that ended the run; null if it went to its end. */
  end(files: readonly TestedFile[], failure: FaultReport | null): Promise<void>;
}

export const reporterNames = ['text', 'json', 'junit', 'tap', 'sarif', 'github'] as const;

const nothing = (): Promise<void> => Promise.resolve();

/** The formats of a report on stdout. */
export const reporters: Readonly<Record<(typeof reporterNames)[number], Reporter>> = {
  text: {
    async file({ path, outcomes }) {
      await print(visibleText(path));
      for (const outcome of outcomes) await print(outcomeLines(path, outcome));
    },
    end: (files) => print(summaryText(files)),
  },
  json: { file: nothing, end: (files, failure) => printJson(jsonReport(files, failure)) },
  junit: { file: nothing, end: (files) => print(junitXml(files)) },
  tap: { file: nothing, end: (files) => print(tapReport(files)) },
  sarif: { file: nothing, end: (files) => printJson(sarifLog(files)) },
  github: {
    file: nothing,
    async end(files) {
      const annotations = githubAnnotations(files);
      if (annotations.length > 0) await printCommands(annotations.join('\n'));
      await print(summaryText(files));
    },
  },
};

const marks: Readonly<Record<CallOutcome['state'], string>> = {
  passed: 'ok',
  failed: 'FAILED',
  flaky: 'flaky',
  skipped: 'skipped',
};

function outcomeLines(path: string, outcome: CallOutcome): string {
  const { name, state, failures, reason, duration, ignored, updated, notUpdated } = outcome;
  const time = duration === null ? '' : `  ${formatDuration(duration)}`;
  const notes = [
    ...(reason === null ? [] : [reason]),
    ...(state === 'flaky' ? [attemptsText(outcome)] : []),
    ...failures.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`),
    ...(ignored.length === 0 ? [] : [ignoredText(ignored)]),
    ...updated.map((change) => `updated: ${change}`),
    ...(notUpdated === null ? [] : [`not updated: ${notUpdated}`]),
  ];
  return [
    `  ${marks[state].padEnd(7)} ${visibleText(name)}${time}`,
    ...notes.map((note) => `          ${visibleText(note)}`),
  ].join('\n');
}

const MAX_IGNORED = 3;

function ignoredText(ignored: CallOutcome['ignored']): string {
  const paths = [...new Set(ignored.map(({ path, why }) => `${path} (${why})`))];
  const more = paths.length > MAX_IGNORED ? ', …' : '';
  return `ignored ${formatQuantity(paths.length, 'value')}: ${paths.slice(0, MAX_IGNORED).join(', ')}${more}`;
}

function jsonReport(files: readonly TestedFile[], failure: FaultReport | null): string {
  const all = files.flatMap(({ outcomes }) => outcomes);
  const counts = outcomeStates.map((state) => [state, all.filter((one) => one.state === state).length]);
  return JSON.stringify({
    files: files.map(({ path, outcomes }) => ({
      path,
      calls: outcomes.map(
        ({ name, state, failures, reason, duration, attempts, ignored, updated, notUpdated }) => ({
          name,
          state,
          failures,
          reason,
          duration,
          attempts,
          ignored,
          updated,
          notUpdated,
        }),
      ),
    })),
    counts: Object.fromEntries(counts),
    fault: failure?.fault ?? null,
    findings: failure?.findings ?? [],
  });
}
