import type { NamedServer } from '#main/platform.ts';
import type { Finding } from '#shared/contract/checks.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import { type CallOutcome, failsRun, type TestFile } from '#shared/contract/saved-calls.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import { findingsOf } from '#hosts/cli/findings.ts';
import { type HeadlessSession, Interrupted } from '#hosts/cli/headless-session.ts';
import { askForLogs, type FaultReport, withSession } from '#hosts/cli/with-session.ts';
import { shortPath } from './test-paths.ts';
import {
  fileProblem,
  type TestedCall,
  type TestedFile,
  type TestReport,
  untestedFile,
} from './tested-file.ts';

/** A file to run. */
export interface FileToRun {
  readonly file: TestFile;
  /** The names of the calls to run; null for all. */
  readonly chosen: ReadonlySet<string> | null;
  readonly target: NamedServer;
}

/** How all files are run. */
export interface RunPlan
  extends Pick<
    Params<'saved-calls/run'>,
    'variables' | 'secrets' | 'allowWrites' | 'repeat' | 'retries' | 'update' | 'learns'
  > {
  readonly bail: boolean;
  readonly workers: number;
  readonly logLevel: string | undefined;
}

export interface RunResult extends TestReport {
  /** Why the run could not go on; fine if it went to its end. */
  readonly exitCode: ExitCode;
}

/**
 * Runs files, several at a time, each in a session of its own: what one file does to its server is not there for the next. A file
 * whose server cannot be reached is reported, and so are all others with this server, without another attempt.
 *
 * @param onFile called when a file has been run, or could not be
 */
export async function runFiles(
  files: readonly FileToRun[],
  plan: RunPlan,
  onFile: (path: string, file: TestedFile) => Promise<void>,
): Promise<RunResult> {
  const queue = [...files];
  const tested = new Map<string, TestedFile>();
  const servers: KnownServers = { confirmed: new Set(), unreachable: new Map() };
  const failures: FaultReport[] = [];
  const ended: ExitCode[] = [];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { file, failure, exitCode } = await runInSession(next, plan, servers);
      tested.set(next.file.path, file);
      if (failure !== null) failures.push(failure);
      ended.push(exitCode);
      await onFile(next.file.path, file);
      const isOver = exitCode === exitCodes.interrupted || (plan.bail && hasFailed(file));
      if (isOver) queue.length = 0;
    }
  };
  const count = Math.min(plan.workers, files.length);
  await Promise.all(Array.from({ length: count }, worker));
  return {
    files: files.flatMap(({ file }) => tested.get(file.path) ?? []),
    exitCode: ended.find((code) => code !== exitCodes.fine) ?? exitCodes.fine,
    failure: failures[0] ?? null,
  };
}

const hasFailed = ({ outcomes, problems }: TestedFile): boolean =>
  problems.length > 0 || outcomes.some(failsRun);

/** What the run knows of its servers, by what names them. */
interface KnownServers {
  /** Those that the user has allowed to be used. */
  readonly confirmed: Set<string>;
  readonly unreachable: Map<string, FaultReport>;
}

interface SessionRun {
  readonly file: TestedFile;
  readonly failure: FaultReport | null;
  readonly exitCode: ExitCode;
}

async function runInSession(one: FileToRun, plan: RunPlan, servers: KnownServers): Promise<SessionRun> {
  const { file, target } = one;
  const name = JSON.stringify(target);
  const known = servers.unreachable.get(name);
  if (known !== undefined)
    return { file: notRunFile(one, known), failure: known, exitCode: exitCodes.unavailable };
  const ran: { outcomes: readonly CallOutcome[]; trace: string | null; findings: readonly Finding[] } = {
    outcomes: [],
    trace: null,
    findings: [],
  };
  const reports: FaultReport[] = [];
  const settings = {
    target: servers.confirmed.has(name) ? { ...target, confirm: false } : target,
    json: (report: FaultReport) => void reports.push(report),
    mayAsk: plan.workers === 1,
    intro: ofFile,
  };
  const exitCode = await withSession(settings, async (session) => {
    servers.confirmed.add(name);
    ran.trace = (await session.view()).traceFile.path;
    await makeReady(session, plan.logLevel);
    ran.outcomes = await runFile(session, one, plan);
    ran.findings = await findingsOf(session);
    return exitCodes.fine;
  });
  const [failure = null] = reports;
  if (failure !== null && exitCode === exitCodes.unavailable) servers.unreachable.set(name, failure);
  if (failure !== null)
    return { file: { ...notRunFile(one, failure), trace: shortTrace(ran.trace) }, failure, exitCode };
  const tested = {
    ...untestedFile(file.path, []),
    outcomes: ran.outcomes.map((outcome) => withStep(file, outcome)),
    trace: shortTrace(ran.trace),
    findings: ran.findings,
  };
  return { file: tested, failure, exitCode };
}

const shortTrace = (path: string | null): string | null => (path === null ? null : shortPath(path));

const withStep = ({ calls }: TestFile, outcome: CallOutcome): TestedCall => {
  const { line = 1, column = 1, end = { line, column } } = calls[outcome.index] ?? {};
  return { ...outcome, step: { line, column, end } };
};

/** A file whose server could not be reached, or ended before the first call. */
function notRunFile({ file, chosen }: FileToRun, { fault }: FaultReport): TestedFile {
  const outcomes = file.calls.flatMap(({ name }, index) =>
    chosen?.has(name) === false ? [] : [withStep(file, notRun(file, index, fault))],
  );
  return { ...untestedFile(file.path, [fileProblem(fault)]), outcomes };
}

const ofFile = 'This server is named by a test file.';

async function makeReady(session: HeadlessSession, logLevel: string | undefined): Promise<void> {
  await session.ready();
  await askForLogs(session, logLevel);
  await session.tools();
  await session.ready();
}

async function runFile(
  session: HeadlessSession,
  { file, chosen }: FileToRun,
  { variables, secrets, allowWrites, repeat, retries, update, learns, bail }: RunPlan,
): Promise<readonly CallOutcome[]> {
  if (session.interruption.aborted) throw new Interrupted();
  const indexes = [...file.calls.keys()].filter(
    (index) => chosen?.has(file.calls[index]?.name ?? '') !== false,
  );
  if (indexes.length === 0) return [];
  const run = {
    path: file.path,
    indexes,
    variables,
    secrets,
    allowWrites,
    repeat,
    retries,
    update,
    learns,
    bail,
  };
  return session.interruptible(session.request('saved-calls/run', run));
}

/** The outcome of a call whose file could not be run. */
const notRun = ({ path, calls }: TestFile, index: number, fault: Fault): CallOutcome => ({
  path,
  index,
  name: calls[index]?.name ?? '',
  sessionId: '',
  state: 'skipped',
  attempts: [],
  failures: [],
  warnings: [],
  reason: `not run: ${fault.what}`,
  ignored: [],
  updated: [],
  notUpdated: null,
  canAccept: false,
  duration: null,
  requestRow: null,
  responseRow: null,
  at: Date.now(),
});
