import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { faultLine, type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { findingJson } from '#hosts/cli/findings.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { print, printCommands, printJson, visibleLines, visibleText } from '#hosts/cli/output.ts';
import { junitXml } from './junit.ts';
import { githubAnnotations, tapReport } from './line-reports.ts';
import { sarifLog } from './sarif.ts';
import {
  attemptsText,
  endRow,
  failureDetails,
  findingLine,
  outcomeStates,
  runFault,
  summaryText,
  type TestedCall,
  type TestedFile,
  type TestReport,
} from './tested-file.ts';

export const reporterNames = ['text', 'json', 'junit', 'tap', 'sarif', 'github'] as const;
type ReporterName = (typeof reporterNames)[number];

/** Where a report goes. */
interface ReportOutput {
  readonly format: ReporterName;
  /** Null for stdout. */
  readonly path: string | null;
}

/**
 * Reads the values of `--reporter`: a format, or `FORMAT=FILE`. Stdout has one of them, text if no other is to be there.
 *
 * @throws UsageError
 */
export function reportOutputs(given: readonly string[]): ReportOutput[] {
  const outputs = given.map((text): ReportOutput => {
    const [name = '', ...rest] = text.split('=');
    const format = reporterNames.find((one) => one === name);
    const file = rest.join('=');
    if (format === undefined || (rest.length > 0 && file === ''))
      throw new UsageError(
        `--reporter wants one of: ${reporterNames.join(', ')}, or one of them and a file, such as junit=junit.xml; it is ${quoted(text)}`,
      );
    return { format, path: rest.length === 0 ? null : resolve(file) };
  });
  const onStdout = outputs.filter(({ path }) => path === null);
  if (onStdout.length > 1) {
    const names = onStdout.map(({ format }) => format).join(' and ');
    throw new UsageError(
      `${names} cannot both go to stdout; name a file, such as --reporter junit=junit.xml`,
    );
  }
  const paths = outputs.flatMap(({ path }) => path ?? []);
  if (new Set(paths).size < paths.length) throw new UsageError('two reports have the same file');
  return onStdout.length === 0 ? [{ format: 'text', path: null }, ...outputs] : outputs;
}

/** Writes the reports of a run. */
export class Reports {
  readonly #outputs: readonly ReportOutput[];

  constructor(outputs: readonly ReportOutput[]) {
    this.#outputs = outputs;
  }

  /** Whether commands of a runner are printed. */
  get printsCommands(): boolean {
    return this.#outputs.some(({ format, path }) => format === 'github' && path === null);
  }

  /** Called for each file when it has been run. */
  async file(file: TestedFile): Promise<void> {
    if (this.#outputs.some(({ format, path }) => format === 'text' && path === null))
      await print(fileText(file));
  }

  /** Called once, at the end, also of a run that could not start. @throws FaultError if a report cannot be written */
  async end(report: TestReport): Promise<void> {
    const failed: FaultError[] = [];
    for (const { format, path } of this.#outputs) {
      if (path === null) await printReport(format, report);
      else {
        try {
          await mkdir(dirname(path), { recursive: true });
          await writeFile(path, `${reportText(format, report)}\n`);
        } catch (error) {
          failed.push(new FaultError(notWritten(path, error)));
        }
      }
    }
    if (failed[0] !== undefined) throw failed[0];
  }
}

const notWritten = (path: string, error: unknown): Fault => ({
  code: 'report-not-written',
  what: `The report ${path} cannot be written.`,
  why: messageOf(error),
  next: 'Name another file, or make it writable.',
});

async function printReport(format: ReporterName, report: TestReport): Promise<void> {
  switch (format) {
    case 'text':
      // The files were printed one by one.
      return print(endText(report));
    case 'json':
    case 'sarif':
      return printJson(reportText(format, report));
    case 'junit':
    case 'tap':
      return print(reportText(format, report));
    case 'github': {
      const annotations = githubAnnotations(report);
      if (annotations.length > 0) await printCommands(annotations.join('\n'));
      return print(endText(report));
    }
  }
}

function reportText(format: ReporterName, report: TestReport): string {
  switch (format) {
    case 'text':
      return visibleLines([...report.files.map(fileText), endText(report)].join('\n'));
    case 'json':
      return jsonReport(report);
    case 'sarif':
      return sarifLog(report);
    case 'junit':
      return visibleLines(junitXml(report));
    case 'tap':
      return visibleLines(tapReport(report));
    case 'github':
      return visibleLines([...githubAnnotations(report), endText(report)].join('\n'));
  }
}

function endText(report: TestReport): string {
  const fault = runFault(report);
  const summary = summaryText(report);
  return fault === null ? summary : `${visibleText(faultLine(fault))}\n${summary}`;
}

const marks: Readonly<Record<CallOutcome['state'], string>> = {
  passed: 'ok',
  failed: 'FAILED',
  flaky: 'flaky',
  skipped: 'skipped',
};

const fileText = ({ path, outcomes, problems, trace, findings }: TestedFile): string =>
  [
    visibleText(path),
    ...problems.flatMap((problem) => [
      `  NOT RUN ${visibleText(`${path}:${problem.line}:${problem.column}: ${problem.message}`)}`,
      ...failureDetails(problem, null, trace).map(detailLine),
    ]),
    ...outcomes.map((outcome) => outcomeLines(path, outcome, trace)),
    ...(findings.length === 0
      ? []
      : [
          `  ${formatQuantity(findings.length, 'finding')} of the checks:`,
          ...findings.slice(0, MAX_FINDINGS).map((one) => `          ${visibleText(findingLine(one))}`),
          ...(findings.length > MAX_FINDINGS ? ['          …'] : []),
        ]),
  ].join('\n');

const MAX_FINDINGS = 20;

const detailLine = (line: string): string => `          ${visibleText(line)}`;

function outcomeLines(path: string, outcome: TestedCall, trace: string | null): string {
  const { name, state, failures, warnings, reason, duration, ignored, updated, notUpdated } = outcome;
  const time = duration === null ? '' : `  ${formatDuration(duration)}`;
  const last = failures.length - 1;
  const notes = [
    ...(reason === null ? [] : [reason]),
    ...(state === 'flaky' ? [attemptsText(outcome)] : []),
    ...failures.flatMap((failure, index) => [
      `${path}:${failure.line}:${failure.column}: ${failure.message}`,
      // One line names the trace for all of them.
      ...failureDetails(failure, outcome, index === last ? trace : null),
    ]),
    ...warnings.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`),
    ...(ignored.length === 0 ? [] : [ignoredText(ignored)]),
    ...updated.map((change) => `updated: ${change}`),
    ...(notUpdated === null ? [] : [`not updated: ${notUpdated}`]),
  ];
  return [`  ${marks[state].padEnd(7)} ${visibleText(name)}${time}`, ...notes.map(detailLine)].join('\n');
}

const MAX_IGNORED = 3;

function ignoredText(ignored: CallOutcome['ignored']): string {
  const paths = [...new Set(ignored.map(({ path, why }) => `${path} (${why})`))];
  const more = paths.length > MAX_IGNORED ? ', …' : '';
  return `ignored ${formatQuantity(paths.length, 'value')}: ${paths.slice(0, MAX_IGNORED).join(', ')}${more}`;
}

function jsonReport({ files, failure }: TestReport): string {
  const all = files.flatMap(({ outcomes }) => outcomes);
  const counts = outcomeStates.map((state) => [state, all.filter((one) => one.state === state).length]);
  return JSON.stringify({
    files: files.map(({ path, outcomes, trace, problems, findings }) => ({
      path,
      calls: outcomes.map(callJson),
      problems,
      trace,
      findings: findings.map(findingJson),
    })),
    counts: Object.fromEntries(counts),
    fault: failure?.fault ?? null,
    findings: failure?.findings ?? [],
  });
}

/** @returns `row`: the row of the trace that shows how the call ended, from 1 */
function callJson(outcome: TestedCall) {
  const { name, state, failures, reason, duration, attempts, ignored, updated, notUpdated } = outcome;
  const members = { name, state, failures, reason, duration, attempts, ignored, updated, notUpdated };
  const { line, column } = outcome.step;
  return { ...members, warnings: outcome.warnings, line, column, row: endRow(outcome) };
}
