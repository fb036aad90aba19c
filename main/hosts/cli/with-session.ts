import { dataFolder } from '#config/data-folder.ts';
import { createEngine } from '#engine/engine.ts';
import type { NamedServer, Platform } from '#engine/platform.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import { appVersion, demoServer, reportError } from '../app-root.ts';
import { closeInOrder } from '../close-in-order.ts';
import { memorySecrets } from '#config/memory-secrets.ts';
import { confirmAddress, confirmerOf } from './confirm-target.ts';
import { onCtrlC } from './ctrl-c.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { exitCodeOf } from './fault-exit-code.ts';
import { faultText } from './fault-text.ts';
import { findingJson, findingsOf } from './findings.ts';
import { HeadlessSession, Interrupted, NotConnected } from './headless-session.ts';
import { createLineQuestions } from './line-questions.ts';
import { printJson } from './print.ts';
import { say } from './say.ts';
import { ServerQuestions } from './server-questions.ts';

export interface SessionSettings {
  readonly target: NamedServer;
  /** What goes wrong is told as JSON on stdout too. */
  readonly json: boolean;
  /** Whether what the server asks may be put to the user, where there is a terminal to do so. */
  readonly mayAsk?: boolean;
}

/**
 * Connects to a server, hands the session to `use`, and leaves nothing of the server behind, however it ends.
 * Faults are told to the user here and become exit codes.
 */
export async function withSession(
  { target, json, mayAsk = false }: SessionSettings,
  use: (session: HeadlessSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const asker = confirmerOf(target);
  const interruption = new AbortController();
  interruption.signal.addEventListener('abort', () => asker?.close());
  const stopListening = onCtrlC(() => interruption.abort());
  // The engine's notices keep no process alive, and once the server has ended nothing else would.
  const awake = setInterval(() => undefined, 60_000);
  const closings: (() => Promise<void>)[] = [];
  let session: HeadlessSession | undefined;
  try {
    if (asker !== null && !(await confirmAddress(asker, target))) throw new FaultError(notConfirmed);
    const engine = await createEngine({
      ...platformFor(target),
      ...(asker !== null && { confirmLaunch: (launch) => asker.confirmLaunch(launch) }),
    });
    // The terminal is free for what the server asks.
    asker?.close();
    closings.push(() => engine.close());
    session = await HeadlessSession.of(engine, interruption.signal);
    const questions = answeringQuestions(session, target, mayAsk);
    closings.push(async () => questions.close());
    await questions.takeEarlier();
    return await use(session);
  } catch (error) {
    const view = await session?.view();
    // A question of --confirm that Ctrl-C has ended looks like one that was answered with no.
    const isInterrupted = session === undefined && interruption.signal.aborted;
    const reason = isInterrupted ? new Interrupted() : error;
    const exitCode = await tell(reason, view?.fault ?? null, json, session);
    if (view !== undefined) say(`the trace is ${view.traceFile.path}`);
    return exitCode;
  } finally {
    asker?.close();
    await closeInOrder(closings);
    clearInterval(awake);
    stopListening();
  }
}

function answeringQuestions(session: HeadlessSession, target: NamedServer, mayAsk: boolean): ServerQuestions {
  const rules = target.client?.rules ?? defaultClientProfile.rules;
  const isSomebodyThere = mayAsk && process.stdin.isTTY && process.stderr.isTTY;
  const openTerminal = isSomebodyThere ? () => createLineQuestions(process.stdin, process.stderr) : null;
  return new ServerQuestions(session, rules, openTerminal);
}

const notConfirmed: Fault = {
  code: 'launch-refused',
  what: 'You did not allow this address to be connected to.',
};

const platformFor = (namedServer: NamedServer): Platform => ({
  host: 'cli',
  appVersion,
  dataFolder: dataFolder(),
  secrets: memorySecrets(),
  demoServer,
  reportError,
  namedServer,
});

/** @param ended why the session failed, which says more than what failed because of it */
async function tell(
  error: unknown,
  ended: Fault | null,
  json: boolean,
  session: HeadlessSession | undefined,
): Promise<ExitCode> {
  if (error instanceof Interrupted) {
    say('interrupted');
    return exitCodes.interrupted;
  }
  if (!(error instanceof FaultError)) throw error;
  const fault = ended ?? error.fault;
  say(faultText(fault));
  if (json) {
    const findings = session === undefined ? [] : await findingsOf(session);
    await printJson(JSON.stringify({ fault, findings: findings.map(findingJson) }));
  }
  return error instanceof NotConnected ? exitCodes.notConnected : exitCodeOf(fault);
}
