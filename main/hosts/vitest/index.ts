import { basename, resolve } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createEngine } from '#main/engine.ts';
import type { Engine, NamedServer } from '#main/platform.ts';
import { cliPlatform } from '#hosts/cli/cli-platform.ts';
import { HeadlessSession, request } from '#hosts/cli/headless-session.ts';
import { faultText, visibleLines, visibleText } from '#hosts/cli/output.ts';
import { withoutCommands } from '#hosts/runner-commands.ts';
import { ServerQuestions } from '#hosts/cli/server-questions.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { type CallOutcome, failsRun, type TestFile, testFileFault } from '#shared/contract/saved-calls.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import type { SavedCallOptions, testSavedCalls as Declared } from './types.d.ts';

const DEFAULT_TIMEOUT = 60_000;

/** As `types.d.ts` declares it for the users of the package. */
export const testSavedCalls: typeof Declared = async (file, options) => {
  const path = resolve(file);
  const target = targetOf(options);
  const { calls } = await printable(readFile(path));
  const { timeout = DEFAULT_TIMEOUT } = options;
  const secrets = [...(options.secrets ?? [])];
  const variables = Object.fromEntries([
    ...Object.entries(options.variables ?? {}).map(([name, value]) => [name, JSON.stringify(value)] as const),
    ...secrets.map((name) => [name, JSON.stringify(fromEnvironment(name))] as const),
  ]);
  const allowWrites = options.allowWrites ?? !process.env.CI;
  // oxlint-disable-next-line vitest/valid-title -- named like the file
  describe(printableLine(basename(path)), { concurrent: false }, () => {
    let open: OpenSession | null = null;
    beforeAll(async () => {
      open = await printable(openSession(target));
    }, timeout);
    afterAll(() => open?.close(), timeout);
    for (const [index, { name }] of calls.entries()) {
      // oxlint-disable-next-line vitest/valid-title -- the file names its calls
      test(printableLine(name), { timeout, concurrent: false }, async ({ skip }) => {
        if (open === null) throw new Error('there is no session');
        const run = { path, indexes: [index], variables, secrets, allowWrites };
        const [outcome] = await printable(open.session.request('saved-calls/run', run));
        if (outcome === undefined) throw new Error('the call is no longer in the file');
        if (outcome.state === 'skipped')
          skip(outcome.reason === null ? undefined : printableLine(outcome.reason));
        if (failsRun(outcome)) throw new Error(failureText(file, outcome));
      });
    }
  });
};

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new Error(`secrets: there is no variable named ${name} in the environment`);
}

function targetOf({
  command,
  cwd,
  env,
  url,
  server,
  allowVariables,
  ...given
}: SavedCallOptions): NamedServer {
  const [program, ...args] = command ?? [];
  if ([program, url, server].filter((one) => one !== undefined).length !== 1)
    throw new Error('testSavedCalls wants one of command, url and server');
  if (server !== undefined)
    return { kind: 'saved', name: server, ...(allowVariables !== undefined && { allowVariables }) };
  if (url !== undefined) {
    const { headers = [], secretHeaders = [] } = given;
    return {
      kind: 'http',
      url,
      headers: [...headers, ...secretHeaders].map(([name, value]) => [name, value]),
      secretNames: secretHeaders.map(([name]) => name),
    };
  }
  return {
    kind: 'stdio',
    command: program ?? '',
    args,
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(env !== undefined && { env: { ...env } }),
  };
}

async function readFile(path: string): Promise<TestFile> {
  const engine = await createEngine(cliPlatform());
  try {
    const file = await request(engine, 'saved-calls/read', { path });
    if (!file.exists) throw new Error(`there is no file ${path}`);
    if (file.errors.length > 0) throw new FaultError(testFileFault(path, file.errors));
    return file;
  } finally {
    await engine.close();
  }
}

interface OpenSession {
  readonly session: HeadlessSession;
  readonly close: () => Promise<void>;
}

async function openSession(target: NamedServer): Promise<OpenSession> {
  const engine: Engine = await createEngine(cliPlatform(target));
  try {
    const session = await HeadlessSession.of(engine, new AbortController().signal);
    // What the file does not answer is declined: nobody is there.
    const questions = new ServerQuestions(session, defaultClientProfile.rules, null);
    await session.ready();
    await session.tools();
    return {
      session,
      close: async () => {
        questions.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * The result of work, whose errors can be printed: vitest prints them with all that they have, such as the words of a server, where
 * the runner of a CI system reads them.
 */
async function printable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const text = error instanceof FaultError ? faultText(error.fault) : messageOf(error);
    // oxlint-disable-next-line preserve-caught-error -- it would be printed as it is
    throw new Error(withoutCommands(visibleLines(text)));
  }
}

/** Text of a server or a file on one line that can be printed. */
const printableLine = (text: string): string => withoutCommands(visibleText(text));

const failureText = (file: string, { failures }: CallOutcome): string =>
  failures
    .map(({ line, column, message }) => printableLine(`${file}:${line}:${column}: ${message}`))
    .join('\n');
