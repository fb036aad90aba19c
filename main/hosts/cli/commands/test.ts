import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import {
  type CallOutcome,
  TEST_FILE_END,
  type TestFile,
  testFileFault,
} from '#shared/contract/saved-calls.ts';
import { readWords } from '#hosts/cli/call-arguments.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { Interrupted, type HeadlessSession } from '#hosts/cli/headless-session.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { say } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { reporterNames, reporters, type TestedFile } from '#hosts/cli/test-reporters.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const argsSchema = z.tuple([z.array(z.string()).min(1)]);

const optionsSchema = z.object({
  grep: z.string().optional(),
  reporter: z.enum(reporterNames).default('text'),
  var: z.array(z.string()).default([]),
  bail: z.boolean().default(false),
  allowWrites: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});

/** Runs saved calls and compares what comes with what is expected. */
export const testCommand: CliCommand = {
  usage: 'test <files...>',
  summary: 'run saved calls and compare the results with what is expected',
  options: [
    ['--grep <pattern>', 'run only the calls whose name matches this regular expression'],
    [
      '--var <name=value>',
      'set a variable of the files; NAME:=JSON for other types; may be repeated',
      'repeatable',
    ],
    ['--reporter <format>', `how to report: ${reporterNames.join(', ')}; text by default`],
    ['--bail', 'end after the first call that fails'],
    ['--allow-writes', 'in CI, also call tools that are not read-only by their annotations'],
    ...sessionOptions,
  ],
  notes: `A file is a ${TEST_FILE_END} file, as the Tests pane writes it; a folder stands for all such files in it. The files
run one after the other in one session. If the variable CI is set, only tools with readOnlyHint are called, unless
--allow-writes is given. A run in which no call was made fails.
${targetNotes}

Examples: sightglass test echo${TEST_FILE_END} -- node server.js
          sightglass test tests --reporter junit --var city=Paris --url http://127.0.0.1:3000/mcp > junit.xml`,
  ends: {
    1: 'a call was not as expected, or none was made',
    2: 'wrong usage, or a file has an error',
    3: 'could not connect, or a file could not be read',
  },
  async run(invocation) {
    const [given] = argsSchema.parse(invocation.args);
    const { grep, reporter, logLevel, ...options } = parseOptions(optionsSchema, invocation.options);
    const paths = given.flatMap(testFilesOf);
    const plan: Plan = {
      pattern: grep === undefined ? null : readPattern(grep),
      variables: readVariables(options.var),
      endsAtFailure: options.bail,
      allowWrites: options.allowWrites || !process.env.CI,
    };
    return withSession(
      { target: readTarget(invocation), json: reporter === 'json', mayAsk: true },
      async (session) => {
        // A mistake in a file is reported before the server is asked for anything.
        const files = await Promise.all(paths.map((path) => readFile(session, path)));
        await session.ready();
        await askForLogs(session, logLevel);
        await session.tools();
        await session.ready();
        const report = reporters[reporter]();
        const tested: TestedFile[] = [];
        for (const file of files) {
          const one = { path: shortPath(file.path), outcomes: await runFile(session, file, plan) };
          tested.push(one);
          await report.file(one);
          if (plan.endsAtFailure && one.outcomes.some(({ state }) => state === 'failed')) break;
        }
        await report.end(tested);
        return exitCodeFor(tested.flatMap(({ outcomes }) => outcomes));
      },
    );
  },
};

interface Plan {
  readonly pattern: RegExp | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly endsAtFailure: boolean;
  readonly allowWrites: boolean;
}

/** @throws FaultError if the file has an error */
async function readFile(session: HeadlessSession, path: string): Promise<TestFile> {
  const file = await session.request('saved-calls/read', { path });
  if (!file.exists) throw new UsageError(`there is no file ${quoted(path)}`);
  if (file.errors.length > 0) throw new FaultError(testFileFault(shortPath(path), file.errors));
  return file;
}

async function runFile(session: HeadlessSession, file: TestFile, plan: Plan): Promise<CallOutcome[]> {
  const { pattern, variables, endsAtFailure, allowWrites } = plan;
  const outcomes: CallOutcome[] = [];
  for (const [index, { name }] of file.calls.entries()) {
    if (pattern !== null && !pattern.test(name)) continue;
    if (session.interruption.aborted) throw new Interrupted();
    const run = { path: file.path, indexes: [index], variables, allowWrites };
    outcomes.push(...(await session.interruptible(session.request('saved-calls/run', run))));
    if (endsAtFailure && outcomes.at(-1)?.state === 'failed') break;
  }
  return outcomes;
}

function exitCodeFor(outcomes: readonly CallOutcome[]): ExitCode {
  if (outcomes.some(({ state }) => state === 'failed')) return exitCodes.findings;
  if (outcomes.some(({ state }) => state === 'passed')) return exitCodes.fine;
  say('no call was made');
  return exitCodes.findings;
}

/** The file, or all test files of a folder in the order of their names. @throws UsageError */
function testFilesOf(given: string): string[] {
  const path = resolve(given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`there is no file ${quoted(path)}`);
  if (!found.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(TEST_FILE_END),
  );
  if (names.length === 0) throw new UsageError(`there is no ${TEST_FILE_END} file in ${quoted(path)}`);
  return names.toSorted().map((name) => join(path, name));
}

const shortPath = (path: string): string => {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
};

function readPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    throw new UsageError(`--grep wants a regular expression; it is ${quoted(source)}`);
  }
}

/** JSON texts by name. @throws UsageError */
const readVariables = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    readWords(words).map(({ key, isJson, value }) => [key, isJson ? value : JSON.stringify(value)]),
  );
