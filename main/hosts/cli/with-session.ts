import { z } from 'zod';
import { createEngine } from '#main/engine.ts';
import type { Engine, NamedServer, Platform } from '#main/platform.ts';
import { closeInOrder } from '#hosts/close-in-order.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import type { InboxRule } from '#shared/contract/inbox.ts';
import { logLevels } from '#shared/protocol/log-levels.ts';
import type { CliOption } from './command.ts';
import { advised } from './authorization/advice.ts';
import { cliPlatform } from './cli-platform.ts';
import { onCtrlC, type ExitCode, exitCodes, exitCodeOf, UsageError } from './exit.ts';
import { findingJson, findingsOf } from './findings.ts';
import { FlowQuestions } from './flow-questions.ts';
import { HeadlessSession, Interrupted, NotAuthorized, NotConnected, request } from './headless-session.ts';
import {
  type Asker,
  canAsk,
  createAsker,
  createLineQuestions,
  type LineQuestions,
} from './terminal-questions.ts';
import { quoted } from './option-values.ts';
import { faultText, printJson, say, visibleText } from './output.ts';
import { ServerQuestions } from './server-questions.ts';
import { targetOptions } from './target.ts';

interface SessionSettings {
  readonly target: NamedServer;
  /** Whether to report faults as JSON on stdout too; a function takes them in place of stdout. */
  readonly json: boolean | ((report: FaultReport) => void);
  /** Whether the user may be asked to respond to server requests, if there is a terminal. */
  readonly mayAsk?: boolean;
  /** Whether rules and the user answer what the server asks; by default they do. */
  readonly answersQuestions?: boolean;
  /** Whether the questions of authorization flows are asked here, if there is a terminal; the command may do so itself. */
  readonly answersFlows?: boolean;
  /** Why `target` has to be confirmed, if it has: where its command line or address is from. */
  readonly intro?: string;
  /** What the command's platform has besides. */
  readonly platform?: Partial<Platform>;
}

/** A fault that ended a session, with what the checks found in it. */
export interface FaultReport {
  readonly fault: Fault;
  readonly findings: readonly ReturnType<typeof findingJson>[];
}

/** The trace files of the sessions of this process that did their work, in their order. */
export const writtenTraces: string[] = [];

/**
 * Connects to a server, passes the session to `use`, and cleans up in any case. Reports faults and turns them into exit
 * codes.
 */
export async function withSession(
  {
    target,
    json,
    mayAsk = false,
    answersQuestions = true,
    answersFlows = true,
    intro = INTRO,
    platform = {},
  }: SessionSettings,
  use: (session: HeadlessSession, engine: Engine, openTerminal: () => LineQuestions) => Promise<ExitCode>,
): Promise<ExitCode> {
  const asker = confirmerOf(target, intro);
  const interruption = new AbortController();
  interruption.signal.addEventListener('abort', () => asker?.close());
  const stopListening = onCtrlC(() => interruption.abort());
  // The engine's timers do not keep the process alive, and after the server has exited nothing else does.
  const awake = setInterval(() => undefined, 60_000);
  const closings: (() => Promise<void>)[] = [];
  let session: HeadlessSession | undefined;
  const terminal = sharedTerminal();
  const hasTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const answers = answersFlows && canAsk() && json === false;
  try {
    if (asker !== null && !(await confirmAddress(asker, target, intro))) throw new FaultError(notConfirmed);
    const engine = await createEngine({
      ...cliPlatform(target),
      ...(canAsk() && json === false && { answersFlows: true }),
      ...platform,
      ...(asker !== null && { confirmLaunch: (launch) => asker.confirmLaunch(launch) }),
      ...(asker !== null &&
        json !== true && {
          confirmVariables: (sent, serverName) => asker.confirmVariables(sent, serverName),
        }),
    });
    // Frees the terminal for server requests.
    asker?.close();
    closings.push(() => engine.close());
    session = await HeadlessSession.of(engine, interruption.signal, target);
    if (answersQuestions) {
      const openTerminal = mayAsk && hasTerminal ? terminal.open : null;
      const questions = new ServerQuestions(session, await rulesOf(engine, target), openTerminal);
      closings.push(async () => questions.close());
      await questions.takeEarlier();
    }
    if (answers) {
      const questions = new FlowQuestions(session, terminal.open);
      closings.push(async () => questions.close());
      await questions.takeEarlier();
    }
    const exitCode = await use(session, engine, terminal.open);
    writtenTraces.push((await session.view()).traceFile.path);
    return exitCode;
  } catch (error) {
    const view = await session?.view();
    // Ctrl-C at the question of --confirm looks like the answer no.
    const isInterrupted = session === undefined && interruption.signal.aborted;
    const reason = isInterrupted ? new Interrupted() : error;
    const exitCode = await reportFault(reason, view?.fault ?? null, json, session);
    if (view !== undefined) say(`the trace is ${view.traceFile.path}`);
    return exitCode;
  } finally {
    asker?.close();
    await closeInOrder(closings);
    terminal.close();
    clearInterval(awake);
    stopListening();
  }
}

/** The rules that answer requests of the server. */
async function rulesOf(engine: Engine, { client, ...target }: NamedServer): Promise<readonly InboxRule[]> {
  const saved =
    target.kind === 'saved'
      ? (await request(engine, 'servers/list', {})).find(({ name }) => name === target.name)
      : undefined;
  return client?.rules ?? saved?.client.rules ?? defaultClientProfile.rules;
}

/** One reader of the terminal for all that asks there: a second one would take its lines. */
function sharedTerminal(): { readonly open: () => LineQuestions; readonly close: () => void } {
  let opened: LineQuestions | null = null;
  return {
    open: () => (opened ??= createLineQuestions(process.stdin, process.stderr)),
    close: () => {
      if (opened === null) return;
      opened.close();
      // An open pipe would keep the process running, though nobody reads it any more.
      if ('unref' in process.stdin) process.stdin.unref();
    },
  };
}

const notConfirmed: Fault = {
  code: 'launch-refused',
  what: 'You did not allow this server to be used.',
};

/** @param ended why the session failed, which explains more than the error that followed */
async function reportFault(
  error: unknown,
  ended: Fault | null,
  json: SessionSettings['json'],
  session: HeadlessSession | undefined,
): Promise<ExitCode> {
  if (error instanceof Interrupted) {
    say('interrupted');
    return exitCodes.interrupted;
  }
  if (!(error instanceof FaultError)) throw error;
  const found = ended ?? error.fault;
  const fault = session === undefined ? found : await advised(session, found);
  say(faultText(fault));
  if (json !== false) {
    const findings = session === undefined ? [] : await findingsOf(session);
    const report = { fault, findings: findings.map(findingJson) };
    if (json === true) await printJson(JSON.stringify(report));
    else json(report);
  }
  const isUnavailable = error instanceof NotConnected || error instanceof NotAuthorized;
  return isUnavailable ? exitCodes.unavailable : exitCodeOf(fault);
}

/** The options of every command that has a session of its own. */
export const sessionOptions: readonly CliOption[] = [
  ...targetOptions,
  ['--confirm', 'show what would be run or connected to, and ask first: in commands copied from a trace'],
  ['--log-level <level>', `ask the server for log messages of this level and above: ${logLevels.join(', ')}`],
];

export const sessionOptionsSchema = z.object({
  logLevel: z
    .string()
    .refine((text) => logLevels.some((level) => level === text), {
      error: ({ input }) => `one of ${logLevels.join(', ')} is needed; it is ${quoted(String(input))}`,
    })
    .optional(),
});

/** Requests logs if wanted; reports a refusal and continues. */
export async function askForLogs(session: HeadlessSession, level: string | undefined): Promise<void> {
  if (level === undefined) return;
  try {
    await session.interruptible(session.request('sessions/set-log-level', { level }));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(`there are no log messages: ${faultText(error.fault)}`);
  }
}

const INTRO = 'This command was made from a recorded trace.';

/**
 * Asks on the terminal before anything is run or connected to.
 *
 * @returns null if the target need not be confirmed
 * @throws UsageError without a terminal
 */
function confirmerOf(target: NamedServer, intro: string): Asker | null {
  if (target.kind === 'saved') {
    if (!canAsk()) return null;
    const unapproved = `The command line of the saved server "${visibleText(target.name)}" was not approved yet. It would run:`;
    return createAsker(process.stdin, process.stderr, unapproved);
  }
  if (target.confirm !== true) return null;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(
      `--confirm asks before it goes on, and there is no terminal to ask on. It would ${describeTarget(target)}. ` +
        'Without --confirm that is done at once.',
    );
  }
  return createAsker(process.stdin, process.stderr, `${intro} It would run:`);
}

/** Asks whether to connect to an address or to use a saved server; the engine asks only about what is new of these. */
async function confirmAddress(asker: Asker, target: NamedServer, intro: string): Promise<boolean> {
  if (target.kind === 'saved') return target.confirm !== true || confirmSaved(asker, target.name, intro);
  if (target.kind !== 'http') return true;
  const names = (target.headers ?? []).map(([name]) => visibleText(name));
  const headers = names.length === 0 ? '' : `  with the headers: ${names.join(', ')}\n`;
  return asker.confirm(
    `${intro} It would connect to:\n  address: ${visibleText(target.url)}\n${headers}Connect?`,
  );
}

/** A saved server has credentials of the user, which others may not use by its name. */
async function confirmSaved(asker: Asker, name: string, intro: string): Promise<boolean> {
  const engine = await createEngine(cliPlatform());
  try {
    const server = (await request(engine, 'servers/list', {})).find((one) => one.name === name);
    // The engine says that there is no such server.
    if (server === undefined) return true;
    const { transport } = server;
    const where =
      transport.kind === 'http' ? `address: ${visibleText(transport.url)}` : `command: ${wordsOf(transport)}`;
    return await asker.confirm(
      `${intro} It would use your saved server "${visibleText(name)}" with its credentials:\n  ${where}\nUse it?`,
    );
  } finally {
    await engine.close();
  }
}

function describeTarget(target: Exclude<NamedServer, { kind: 'saved' }>): string {
  if (target.kind === 'http') return `connect to ${visibleText(target.url)}`;
  return `run ${wordsOf(target)}`;
}

const wordsOf = ({ command, args }: { command: string; args: readonly string[] }): string =>
  [command, ...args].map((word) => visibleText(JSON.stringify(word))).join(' ');
