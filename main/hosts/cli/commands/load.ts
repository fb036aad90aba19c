import { resolve } from 'node:path';
import { z } from 'zod';
import { readNamedTextSync } from '#files/named-file.ts';
import { latencyStepLabels } from '#shared/contract/comparison.ts';
import type { Params } from '#shared/contract/index.ts';
import {
  type LoadReport,
  MAX_LOAD_CONCURRENCY,
  MAX_LOAD_COUNT,
  MAX_LOAD_RATE,
  type StepLatency,
} from '#shared/contract/load.ts';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/format.ts';
import { readWords } from '#hosts/cli/call-arguments.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { readJsonObject, wholeNumber } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';
import { typedArguments } from './call.ts';
import { readVariables } from './test.ts';

const argsSchema = z.tuple([z.string(), z.array(z.string())]);

const optionsSchema = z.object({
  count: wholeNumber(1, MAX_LOAD_COUNT),
  concurrency: wholeNumber(1, MAX_LOAD_CONCURRENCY).optional(),
  rate: z
    .string()
    .transform(Number)
    .refine(
      (rate) => rate > 0 && rate <= MAX_LOAD_RATE,
      `wants a number of calls a second, up to ${MAX_LOAD_RATE}`,
    )
    .optional(),
  args: z.string().optional(),
  var: z.array(z.string()).default([]),
  allowWrites: z.boolean().default(false),
  json: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

/** Makes a call, or runs a test file, many times, and prints how long it took. */
export const loadCommand: CliCommand = {
  usage: 'load <what> [arguments...]',
  summary: 'make a call, or run saved calls, many times, and print the latency of each step',
  options: [
    ['--count <n>', 'how many times'],
    [
      '--concurrency <n>',
      `so many at a time, each followed by the next; 1 by default, at most ${MAX_LOAD_CONCURRENCY}`,
    ],
    ['--rate <n>', 'start so many a second instead, whether those before have ended or not'],
    ['--args <json>', 'the arguments of the tool as one JSON object, or @FILE'],
    [
      '--var <name=value>',
      'set a variable of the file; NAME:=JSON for other types; may be repeated',
      'repeatable',
    ],
    ['--allow-writes', 'in CI, also call tools that are not read-only by their annotations'],
    ['--json', 'print the report as one JSON object'],
    ...sessionOptions,
  ],
  notes: `WHAT is a tool with arguments as "sightglass call" takes them, a ${TEST_FILE_END} file, whose calls run in their order, or
FILE#NAME, one call of it. \${n} in an argument is the number of the run, from 1. What is not as the file expects counts as an error. With --rate at most ${MAX_LOAD_CONCURRENCY} are under way; more wait,
which is counted and part of the step "queued". The first Ctrl-C waits for the calls under way and prints the report; the second
ends at once. If the variable CI is set, only tools with readOnlyHint are called, unless --allow-writes is given.
${targetNotes}

Examples: sightglass load echo message=hi --count 1000 --concurrency 8 -- node server.js
          sightglass load smoke${TEST_FILE_END}#Echoes --count 500 --rate 50 --url http://127.0.0.1:3000/mcp`,
  ends: {
    1: 'a call failed, or none was made',
    2: 'wrong usage, or the file has an error',
    3: 'could not connect, or the file could not be read',
    130: 'interrupted: the report is of the calls until then',
  },
  run(invocation) {
    const [what, words] = argsSchema.parse(invocation.args);
    const options = parseOptions(optionsSchema.partial({ count: true }), invocation.options);
    const { count } = options;
    if (count === undefined) throw new UsageError('--count says how many times; it is missing');
    if (options.concurrency !== undefined && options.rate !== undefined) {
      throw new UsageError('a load has --concurrency or --rate, not both');
    }
    const target = readTarget(invocation);
    const readWhat = reader(what, words, options);
    return withSession({ target, json: options.json }, async (session) => {
      await session.ready();
      await askForLogs(session, options.logLevel);
      await session.tools();
      await session.ready();
      const report = await runLoad(session, await readWhat(session), { ...options, count });
      if (options.json) await printJson(JSON.stringify(report));
      else await print(reportText(report, what));
      return exitCodeFor(report);
    });
  },
};

type What = Params<'load/run'>['what'];

/** @throws UsageError, or FaultError for a file that cannot be read */
function reader(
  what: string,
  given: readonly string[],
  options: Omit<Options, 'count'>,
): (session: HeadlessSession) => Promise<What> {
  const hash = what.indexOf(`${TEST_FILE_END}#`);
  const end = hash === -1 ? what.length : hash + TEST_FILE_END.length;
  const file = what.slice(0, end);
  if (file.endsWith(TEST_FILE_END)) {
    if (given.length > 0 || options.args !== undefined) {
      throw new UsageError('a file has its own arguments; --var sets its variables');
    }
    const path = resolve(file);
    // Said before a server is started.
    readNamedTextSync(path, 'test file');
    const name = hash === -1 ? null : what.slice(end + 1);
    const variables = readVariables(options.var);
    return () => Promise.resolve({ kind: 'file', path, name, ...variables });
  }
  if (options.var.length > 0) throw new UsageError('--var sets the variables of a file; a tool has none');
  const words = readWords(given);
  const { args } = options;
  if (args !== undefined && words.length > 0) {
    throw new UsageError('arguments are given as key=value or with --args, not both');
  }
  const text = args === undefined ? null : readJsonObject('--args', args);
  return async (session) => {
    const { entries } = await session.tools();
    const typed = text ?? (await typedArguments(session, words, entries, what));
    return { kind: 'tool', tool: what, arguments: typed };
  };
}

async function runLoad(
  session: HeadlessSession,
  what: What,
  { count, concurrency, rate, allowWrites }: Options,
): Promise<LoadReport> {
  const stop = () => {
    say('waiting for the calls under way; Ctrl-C again ends at once');
    void session.request('load/stop', {});
  };
  const stopFollowing = process.stderr.isTTY ? showProgress(session) : null;
  session.interruption.addEventListener('abort', stop);
  try {
    return await session.request('load/run', {
      what,
      count,
      schedule:
        rate === undefined ? { kind: 'concurrency', concurrency: concurrency ?? 1 } : { kind: 'rate', rate },
      allowWrites: allowWrites || !process.env.CI,
    });
  } finally {
    session.interruption.removeEventListener('abort', stop);
    stopFollowing?.();
  }
}

/** Shows the progress on one line of the terminal, until the returned function is called. */
function showProgress(session: HeadlessSession): () => void {
  const stop = session.on('load/advanced', ({ done, failed, total }) => {
    const errors = failed === 0 ? '' : `, ${formatCount(failed)} failed`;
    process.stderr.write(`\r\u001b[K${formatCount(done)} of ${formatCount(total)}${errors}`);
  });
  return () => {
    stop();
    process.stderr.write('\r\u001b[K');
  };
}

function exitCodeFor({ isStopped, calls, failed, fault }: LoadReport): ExitCode {
  if (fault !== null) say(faultText(fault));
  if (isStopped) return exitCodes.interrupted;
  if (calls === 0) say('no call was made');
  return calls === 0 || failed > 0 || fault !== null ? exitCodes.findings : exitCodes.fine;
}

/** A report as lines for a person. */
function reportText(report: LoadReport, what: string): string {
  const { requested, done, failed, calls, skipped, elapsed, throughput, mostAtOnce, waits, errors, steps } =
    report;
  const end = steps.find(({ step }) => step === 'end');
  return [
    `${what}: ${formatCount(done)} of ${formatQuantity(requested, 'run')} in ${formatDuration(elapsed * 1000)}, ` +
      `${throughput < 10 ? throughput.toFixed(1) : formatCount(Math.round(throughput))} a second, up to ${mostAtOnce} at a time`,
    `${formatQuantity(calls, 'call')}, ${formatQuantity(failed, 'run')} failed${skipped === 0 ? '' : `, ${formatCount(skipped)} skipped`}`,
    ...(waits === 0 ? [] : [`${formatQuantity(waits, 'run')} waited, because ${mostAtOnce} were under way`]),
    ...errors.map(({ kind, count }) => `${String(count).padStart(8)}  ${kind}`),
    ...(steps.length === 0 ? [] : ['', tableHead, ...steps.map(tableLine)]),
    ...(end === undefined ? [] : ['', ...histogramLines(end)]),
  ].join('\n');
}

const columns = ['p50', 'p90', 'p95', 'p99', 'max'] as const;
const WIDTH = 11;

const tableHead = `${''.padEnd(12)}${columns.map((name) => name.padStart(WIDTH)).join('')}${'calls'.padStart(WIDTH)}`;

const tableLine = (latency: StepLatency): string =>
  `${latencyStepLabels[latency.step].toLowerCase().padEnd(12)}${columns.map((name) => formatDuration(latency[name]).padStart(WIDTH)).join('')}${formatCount(latency.count).padStart(WIDTH)}`;

/** Characters of the longest bar. */
const BAR = 40;

function histogramLines({ buckets }: StepLatency): string[] {
  const most = Math.max(...buckets.map(({ count }) => count));
  return buckets.map(({ below, count }) => {
    const bar = '█'.repeat(Math.ceil((count / most) * BAR));
    return `${`< ${formatDuration(below + 1)}`.padStart(12)}  ${bar.padEnd(BAR)} ${formatCount(count)}`;
  });
}
