import type { Finding } from '#shared/contract/checks.ts';
import { type Fault, faultLine, faultQuote } from '#shared/contract/fault.ts';
import type { CallFailure, CallOutcome, FileError } from '#shared/contract/saved-calls.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { FaultReport } from '#hosts/cli/with-session.ts';
import { repositoryPath, shortPath } from './test-paths.ts';

/** A place in a test file, from 1. */
export type Place = Pick<FileError, 'line' | 'column'>;

/** How a call of a file ended, with the region of its step. */
export interface TestedCall extends CallOutcome {
  readonly step: Place & { readonly end: Place };
}

/** A file that was run, or could not be. */
export interface TestedFile {
  /** Relative to the workspace of GitHub, or to the current folder, if it is below. */
  readonly path: string;
  /** Relative to the repository, if it is in one. */
  readonly repositoryPath: string;
  readonly outcomes: readonly TestedCall[];
  /** The trace of its session; null if there was none. */
  readonly trace: string | null;
  /** Why it was not run, or not to its end. */
  readonly problems: readonly CallFailure[];
  /** What the checks found in its session. */
  readonly findings: readonly Finding[];
}

/** All of a run, as reports show it. */
export interface TestReport {
  /** In the order of the files. */
  readonly files: readonly TestedFile[];
  /** The first fault that kept the run from its end; null if it went to its end. */
  readonly failure: FaultReport | null;
}

/** A file that was not run. */
export const untestedFile = (path: string, problems: readonly CallFailure[]): TestedFile => ({
  path: shortPath(path),
  repositoryPath: repositoryPath(path),
  outcomes: [],
  trace: null,
  problems,
  findings: [],
});

/** A fault of a whole file. */
export function fileProblem(fault: Fault): CallFailure {
  const quote = faultQuote(fault);
  return { line: 1, column: 1, message: faultLine(fault), ...(quote !== null && { quote }) };
}

/** What stopped the run before any file could show it; null if a file does, or nothing stopped the run. */
export const runFault = ({ files, failure }: TestReport): Fault | null =>
  files.some(({ problems }) => problems.length > 0) ? null : (failure?.fault ?? null);

/** What the message of a failure, which has what was expected and what came, does not say, as lines. */
export function failureDetails(
  { message, quote }: CallFailure,
  outcome: CallOutcome | null,
  trace: string | null,
): string[] {
  // The message has what is short.
  const said = quote === undefined || message.includes(quote.trim()) ? [] : quote.trimEnd().split('\n');
  return [
    ...(said.length === 0 ? [] : ['the server said:', ...said.map((line) => `  ${line}`)]),
    ...(trace === null ? [] : [tracePlace(outcome, trace)]),
  ];
}

/** Where the trace shows how a call ended, such as `row #12 of FILE`. */
function tracePlace(outcome: CallOutcome | null, trace: string): string {
  const row = endRow(outcome);
  return row === null ? `trace: ${trace}` : `row #${row} of ${trace}`;
}

/** The row of the trace that shows how a call ended, from 1; null if it has none. */
export function endRow(outcome: CallOutcome | null): number | null {
  const row = outcome?.responseRow ?? outcome?.requestRow ?? null;
  return row === null ? null : row + 1;
}

/** How often a flaky call failed. */
export function attemptsText({ attempts }: Pick<CallOutcome, 'attempts'>): string {
  const failed = attempts.filter(({ state }) => state === 'failed').length;
  return `${failed} of ${formatQuantity(attempts.length, 'attempt')} failed`;
}

/** A finding of the checks on one line. */
export const findingLine = ({ severity, rule, text, rows }: Finding): string =>
  `${severity} ${rule} ${rowNumber(rows[0] ?? 0)}: ${text}`;

/** The outcomes in the order of a summary, each with its number. */
export const outcomeStates = ['passed', 'failed', 'flaky', 'skipped'] as const;

export function summaryText({ files }: Pick<TestReport, 'files'>): string {
  const all = files.flatMap(({ outcomes }) => outcomes);
  const count = (state: CallOutcome['state']) => all.filter((outcome) => outcome.state === state).length;
  const words = outcomeStates.map((state) => ({ state, number: count(state) }));
  const updated = all.filter(({ updated: changes }) => changes.length > 0).length;
  const notUpdated = all.filter((one) => one.notUpdated !== null).length;
  const notRun = files.filter(({ problems }) => problems.length > 0).length;
  return [
    words
      // A run without repeats has no flaky calls.
      .filter(({ state, number }) => state !== 'flaky' || number > 0)
      .map(({ state, number }) => `${number} ${state}`)
      .join(', '),
    ...(notRun === 0 ? [] : [`${formatQuantity(notRun, 'file')} not run`]),
    ...(updated === 0 ? [] : [`${formatQuantity(updated, 'call')} updated in the file`]),
    ...(notUpdated === 0 ? [] : [`${formatQuantity(notUpdated, 'call')} not updated`]),
  ].join('; ');
}
