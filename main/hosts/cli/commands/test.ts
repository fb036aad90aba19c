import { resolve } from 'node:path';
import { z } from 'zod';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import {
  failsRun,
  MAX_REPEATS,
  MAX_RETRIES,
  TEST_FILE_END,
  type UpdateChoice,
  updateChoices,
} from '#shared/contract/saved-calls.ts';
import { readWords } from '#hosts/cli/call-arguments.ts';
import { type CliCommand, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodeOf, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { faultText, say } from '#hosts/cli/output.ts';
import { readOptionalTarget, targetNotes } from '#hosts/cli/target.ts';
import { BadTestFiles, filesToRun } from '#hosts/cli/test-run/files-to-run.ts';
import { LastFailed } from '#hosts/cli/test-run/last-failed.ts';
import { guardStreams } from '#hosts/runner-commands.ts';
import { reporterNames, reportOutputs, Reports } from '#hosts/cli/test-run/reporters.ts';
import { runFiles, type RunPlan } from '#hosts/cli/test-run/run-files.ts';
import { writeSuite } from '#hosts/cli/test-run/suite-from-trace.ts';
import { testPathsOf } from '#hosts/cli/test-run/test-paths.ts';
import { type TestedFile, untestedFile } from '#hosts/cli/test-run/tested-file.ts';
import { sessionOptions, sessionOptionsSchema } from '#hosts/cli/with-session.ts';

const argsSchema = z.tuple([z.array(z.string())]);

/** Limit of sessions at a time. */
const MAX_WORKERS = 8;

const numberSchema = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'wants a whole number')
    .transform(Number)
    .refine((number) => number >= min && number <= max, `wants a number from ${min} to ${max}`);

const optionsSchema = z.object({
  from: z.string().optional(),
  grep: z.string().optional(),
  reporter: z.array(z.string()).default([]),
  var: z.array(z.string()).default([]),
  update: z.union([z.literal(true), z.string()]).optional(),
  learn: numberSchema(2, MAX_REPEATS).optional(),
  repeat: numberSchema(1, MAX_REPEATS).default(1),
  retries: numberSchema(0, MAX_RETRIES).default(0),
  workers: numberSchema(1, MAX_WORKERS).default(1),
  lastFailed: z.boolean().default(false),
  bail: z.boolean().default(false),
  allowWrites: z.boolean().default(false),
  allowTarget: z.boolean().default(false),
  allowVariables: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

/** Runs saved calls and compares what comes with what is expected. */
export const testCommand: CliCommand = {
  usage: 'test [paths...]',
  summary: 'run saved calls and compare the results with what is expected',
  options: [
    [
      '--from <trace>',
      'write a test file from this trace instead, to the path given or one named like the trace',
    ],
    ['--grep <pattern>', 'run only the calls whose name matches this regular expression'],
    [
      '--var <name=value>',
      'set a variable of the files; NAME:=JSON for other types, NAME alone for the variable of the environment; may be repeated',
      'repeatable',
    ],
    [
      '--update [what]',
      'write what came to the files: "changed" (default) where it was not as expected, "missing" where nothing is expected, or "all"',
    ],
    [
      '--learn <n>',
      'run all calls n times, and write a rule that ignores each value of a result that varied',
    ],
    ['--repeat <n>', 'run all calls n times; one that passed and failed is flaky, and fails the run'],
    ['--retries <n>', 'try a call that failed up to n times again; one that passes then is flaky'],
    ['--workers <n>', `run up to n files at a time; at most ${MAX_WORKERS}`],
    ['--last-failed', 'run only the calls that failed when they ran last; all, if none did'],
    ['--bail', 'end after the first call that fails'],
    [
      '--reporter <format>',
      `how to report: ${reporterNames.join(', ')}; text by default; FORMAT=FILE writes a report to a file; may be repeated`,
      'repeatable',
    ],
    ['--allow-writes', 'in CI, also call tools that are not read-only by their annotations'],
    ['--allow-target', 'start or connect to the server that a file names without asking'],
    ...sessionOptions,
  ],
  notes: `A file is a ${TEST_FILE_END} file, as the Tests pane writes it; a folder stands for all such files in it, and without any path
the current folder does. The calls of a file run in its order. If the variable CI is set, only tools with readOnlyHint are called,
unless --allow-writes is given, and --update writes nothing. A run in which no call was made fails.
Without a server on the command line each file needs one of its own ("target"). It is asked about on a terminal, and refused where
nobody can be asked unless --allow-target is given.
${targetNotes}

Examples: sightglass test echo${TEST_FILE_END} -- node server.js
          sightglass test --from session.mcptrace smoke.mcptest.yaml
          sightglass test tests --retries 2 --workers 4 --reporter junit --url http://127.0.0.1:3000/mcp > junit.xml`,
  ends: {
    1: 'a call was not as expected, or none was made',
    2: 'wrong usage, or a file has an error',
    3: 'could not connect, or a file could not be read',
  },
  async run(invocation) {
    const options = parseOptions(optionsSchema, invocation.options);
    const [given] = argsSchema.parse(invocation.args);
    if (options.from !== undefined) return fromTrace(options.from, given, invocation);
    const reports = new Reports(reportOutputs(options.reporter));
    if (reports.printsCommands) guardStreams();
    try {
      const { update, paths } = readUpdate(options.update, given);
      const files = testPathsOf(paths.length === 0 ? ['.'] : paths);
      const plan = planOf(options, update);
      const pattern = options.grep === undefined ? null : readPattern(options.grep);
      const target = readOptionalTarget(invocation);
      const lastFailed = new LastFailed();
      const chosen = await filesToRun(files, {
        target,
        allowTarget: options.allowTarget,
        allowVariables: options.allowVariables,
        pattern,
        lastFailed: options.lastFailed ? lastFailed : null,
      });
      // Only one question fits on a terminal.
      const asks = chosen.some((one) => one.target.confirm === true);
      const {
        files: tested,
        exitCode,
        failure,
      } = await runFiles(chosen, asks ? { ...plan, workers: 1 } : plan, async (path, file) => {
        await reports.file(file);
        await noteFailed(lastFailed, path, file);
      });
      const noCall = exitCode === exitCodes.fine ? whyNoCall(tested) : null;
      if (noCall !== null) say(noCall.what);
      await reports.end({
        files: tested,
        failure: failure ?? (noCall === null ? null : { fault: noCall, findings: [] }),
      });
      return exitCode === exitCodes.fine ? exitCodeFor(tested) : exitCode;
    } catch (error) {
      return notStarted(reports, error);
    }
  },
};

/** Reports why a run could not start, in each report. @throws the error if it is a bug, or was reported by a usage error */
async function notStarted(reports: Reports, error: unknown): Promise<ExitCode> {
  if (error instanceof UsageError) {
    await reports.end({
      files: [],
      failure: { fault: { code: 'usage', what: error.message }, findings: [] },
    });
    throw error;
  }
  if (!(error instanceof FaultError)) throw error;
  say(faultText(error.fault));
  if (error.fault.code !== 'report-not-written') {
    const files =
      error instanceof BadTestFiles ? error.files.map(({ path, errors }) => untestedFile(path, errors)) : [];
    for (const file of files) await reports.file(file);
    await reports.end({ files, failure: { fault: error.fault, findings: [] } });
  }
  return exitCodeOf(error.fault);
}

/** Remembers what failed. A run goes on without that: its results are not of less worth. */
async function noteFailed(lastFailed: LastFailed, path: string, { outcomes }: TestedFile): Promise<void> {
  try {
    await lastFailed.note(path, outcomes);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
  }
}

function fromTrace(trace: string, paths: readonly string[], invocation: Invocation): Promise<ExitCode> {
  if (readOptionalTarget(invocation) !== null)
    throw new UsageError('--from only writes a test file, so leave out the server');
  if (paths.length > 1) throw new UsageError('--from writes one test file, and several paths are given');
  return writeSuite(trace, paths[0] ?? null);
}

function planOf(options: Options, update: UpdateChoice): RunPlan {
  const { learn, repeat, retries, bail, workers, logLevel } = options;
  const isCi = Boolean(process.env.CI);
  const learns = learn !== undefined && !isCi;
  if (isCi && (update !== 'none' || learn !== undefined))
    say('CI is set, so no file is changed: --update and --learn write nothing');
  return {
    ...readVariables(options.var),
    allowWrites: options.allowWrites || !isCi,
    repeat: learn ?? repeat,
    retries,
    bail,
    update: isCi ? 'none' : update,
    learns,
    workers,
    logLevel,
  };
}

function exitCodeFor(files: readonly TestedFile[]): ExitCode {
  const outcomes = files.flatMap((file) => file.outcomes);
  return whyNoCall(files) !== null || outcomes.some(failsRun) ? exitCodes.findings : exitCodes.fine;
}

/** Why no call was made; null if one was. */
function whyNoCall(files: readonly TestedFile[]): Fault | null {
  const outcomes = files.flatMap((file) => file.outcomes);
  if (outcomes.some(({ attempts, state }) => state === 'failed' || attempts.length > 0)) return null;
  const skipped = outcomes.length === 0 ? '' : '; --allow-writes calls tools that are not read-only';
  return { code: 'no-call', what: `no call was made${skipped}` };
}

/** The parser takes a path behind --update for its value. */
function readUpdate(
  given: true | string | undefined,
  paths: readonly string[],
): { readonly update: UpdateChoice; readonly paths: readonly string[] } {
  if (given === undefined) return { update: 'none', paths };
  if (given === true) return { update: 'changed', paths };
  const update = updateChoices.find((choice) => choice === given);
  return update === undefined ? { update: 'changed', paths: [resolve(given), ...paths] } : { update, paths };
}

function readPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    throw new UsageError(`--grep wants a regular expression; it is ${quoted(source)}`);
  }
}

/** JSON texts by name, and the names of those from the environment, which are secret. @throws UsageError */
export function readVariables(words: readonly string[]): {
  readonly variables: Record<string, string>;
  readonly secrets: string[];
} {
  const secrets = words.filter((word) => !word.includes('='));
  const fromEnvironment = secrets.map((name) => {
    const value = process.env[name];
    if (value === undefined)
      throw new UsageError(`--var ${quoted(name)}: there is no variable of this name in the environment`);
    return [name, JSON.stringify(value)] as const;
  });
  const written = readWords(words.filter((word) => word.includes('='))).map(
    ({ key, isJson, value }) => [key, isJson ? value : JSON.stringify(value)] as const,
  );
  // One that is given as text as well is that text, which is no secret.
  const isWritten = new Set(written.map(([name]) => name));
  return {
    variables: Object.fromEntries([...fromEnvironment, ...written]),
    secrets: secrets.filter((name) => !isWritten.has(name)),
  };
}
