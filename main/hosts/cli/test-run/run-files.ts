import type { NamedServer } from '#main/platform.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Params } from '#shared/contract/index.ts';
import { type CallOutcome, failsRun, type TestFile } from '#shared/contract/saved-calls.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import { hasEnded, type HeadlessSession, Interrupted } from '#hosts/cli/headless-session.ts';
import { askForLogs, type FaultReport, withSession } from '#hosts/cli/with-session.ts';
import { shortPath } from './test-paths.ts';
import type { TestedFile } from './tested-file.ts';

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

export interface RunResult {
  /** In the order of the files; those that were not run are left out. */
  readonly files: readonly TestedFile[];
  /** Why the run could not go on; fine if it went to its end. */
  readonly exitCode: ExitCode;
  /** The fault that ended the first session that had one; null without any. */
  readonly failure: FaultReport | null;
}

/**
 * Runs files, several at a time: each worker has a session of its own, which it keeps for the next file at the same server.
 *
 * @param onFile called when a file has been run
 */
export async function runFiles(
  files: readonly FileToRun[],
  plan: RunPlan,
  onFile: (path: string, file: TestedFile) => Promise<void>,
): Promise<RunResult> {
  const queue = [...files];
  const tested = new Map<string, TestedFile>();
  const failures: FaultReport[] = [];
  const json = (report: FaultReport): void => void failures.push(report);
  const worker = async (): Promise<ExitCode> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { target } = next;
      let current: FileToRun | undefined = next;
      const settings = { target, json, mayAsk: plan.workers === 1, intro: ofFile };
      const exitCode = await withSession(settings, async (session) => {
        await makeReady(session, plan.logLevel);
        while (current !== undefined) {
          const { path } = current.file;
          const one = { path: shortPath(path), outcomes: await runFile(session, current, plan) };
          tested.set(path, one);
          await onFile(path, one);
          if (plan.bail && one.outcomes.some(failsRun)) queue.length = 0;
          // A server that has died is started again for the next file.
          const isOver = hasEnded(await session.view());
          current = isOver ? undefined : takeSame(queue, target);
        }
        return exitCodes.fine;
      });
      if (exitCode !== exitCodes.fine) {
        queue.length = 0;
        return exitCode;
      }
    }
    return exitCodes.fine;
  };
  const count = Math.min(plan.workers, files.length);
  const ended = await Promise.all(Array.from({ length: count }, worker));
  return {
    files: files.flatMap(({ file }) => tested.get(file.path) ?? []),
    exitCode: ended.find((code) => code !== exitCodes.fine) ?? exitCodes.fine,
    failure: failures[0] ?? null,
  };
}

const ofFile = 'This server is named by a test file.';

/** Takes the next file if it has this server. */
function takeSame(queue: FileToRun[], target: NamedServer): FileToRun | undefined {
  const [next] = queue;
  return next !== undefined && JSON.stringify(next.target) === JSON.stringify(target)
    ? queue.shift()
    : undefined;
}

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
  try {
    return await session.interruptible(session.request('saved-calls/run', run));
  } catch (error) {
    if (!(error instanceof FaultError) || !hasEnded(await session.view())) throw error;
    return indexes.map((index) => notRun(session, file, index, error.fault));
  }
}

/** The outcome of a call whose session had ended before the file was run. */
function notRun(
  session: HeadlessSession,
  { path, calls }: TestFile,
  index: number,
  fault: Fault,
): CallOutcome {
  const { name = '', line = 1, column = 1 } = calls[index] ?? {};
  return {
    path,
    index,
    name,
    sessionId: session.id,
    state: 'failed',
    attempts: [],
    failures: [{ line, column, message: fault.what }],
    reason: null,
    ignored: [],
    updated: [],
    notUpdated: null,
    canAccept: false,
    duration: null,
    requestRow: null,
    responseRow: null,
    at: Date.now(),
  };
}
