import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type ForwardingSession, MissForwarder } from '#main/mock.ts';
import { isUnderWay } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { DEFAULT_LATENCY, latencyPattern, matchModes } from '#shared/contract/mocks.ts';
import { type CliCommand, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { type HeadlessSession, Interrupted } from '#hosts/cli/headless-session.ts';
import { existingFolder } from '#hosts/cli/option-values.ts';
import { type MockRun, serveMock } from '#hosts/cli/serve-mock.ts';
import { readOptionalTarget, targetNotes } from '#hosts/cli/target.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = z.object({
  http: z
    .string()
    .regex(/^\d{1,5}$/, 'wants a port, or 0 for any free one')
    .transform(Number)
    .refine((port) => port < 65_536, 'wants a port up to 65535')
    .optional(),
  match: z.enum(matchModes).default('context'),
  onMiss: z.enum(['error', 'forward', 'record']).default('error'),
  unused: z.enum(['fail', 'warn']).default('warn'),
  latency: z
    .string()
    .regex(
      latencyPattern,
      'wants none, recorded, xN for N times as fast, or max:MS for at most MS milliseconds each',
    )
    .default(DEFAULT_LATENCY),
  out: z.string().min(1, 'wants the name of a file').optional(),
  faults: z.string().min(1, 'wants the name of a file').optional(),
  seed: z
    .string()
    .regex(/^\d{1,10}$/, 'wants a number')
    .transform(Number)
    .optional(),
  bytes: z.boolean().default(false),
  report: z.string().min(1, 'wants the name of a file').optional(),
  json: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.array(z.string()).min(1)]);

/** Serves the sessions of trace files as a server. */
export const mockCommand: CliCommand = {
  usage: 'mock <files...>',
  summary: 'serve a trace as an MCP server: clients get the recorded answers',
  options: [
    [
      '--http <port>',
      'serve over Streamable HTTP on this port of 127.0.0.1 (0 chooses a free one) instead of standard input and output',
    ],
    ['--match <how>', 'how a request finds its recording: context (default), args, method, sequence'],
    ['--on-miss <what>', 'what to do with a request that was not recorded: error (default), forward, record'],
    ['--unused <how>', 'what to do about recorded calls that were not requested: warn (default), fail'],
    [
      '--latency <how>',
      'when to send each message: recorded, none (at once), xN (N times as fast), max:MS (as recorded, but after at most MS milliseconds; max:20 by default)',
    ],
    ['--faults <file>', 'inject these faults: drop, delay, hold, duplicate, corrupt, cut, status, reorder'],
    ['--seed <number>', 'with --faults: the same seed makes the same choices (1 by default)'],
    [
      '--bytes',
      'send exactly the recorded bytes, ids included, to a client that sends what the recorded one sent',
    ],
    ['--report <file>', 'write the objects of --json to this file'],
    ['-o, --out <file>', 'with --on-miss record: write what the server answers to this new trace'],
    [
      '--json',
      'print a JSON object for each exchange, what was requested beside what was answered, and one with the counts at the end; to stderr unless --http is given',
    ],
    ...sessionOptions,
  ],
  notes: `--match context wants the same method and params; if several recordings have them, it takes the one that the same requests preceded.
args takes them in recorded order, method ignores the arguments, sequence wants the recorded order of all calls. Each recording of a call is
answered once; handshakes, lists and pings any number of times. Several files are one mock. --on-miss forward and record need a server after "--", or
--url, or --server. --bytes serves one file over the transport it was recorded on. A mock on standard input ends when the client closes it, one over HTTP on Ctrl-C.
${targetNotes}

Examples: sightglass mock session.mcptrace
          sightglass mock session.mcptrace --http 3000 --unused fail
          sightglass mock session.mcptrace --on-miss record -o more.mcptrace -- node server.js`,
  ends: {
    1: 'a request was not recorded, an answer was inexact, or with --unused fail a call was not requested',
    2: 'wrong usage, or a file is no trace',
    3: 'could not listen on the port, or not connect to the server',
  },
  async run(invocation) {
    const [files] = argsSchema.parse(invocation.args);
    const options = parseOptions(optionsSchema, invocation.options);
    const paths = files.map((file) => resolve(file));
    if (options.bytes) refuseWithBytes(options, files);
    if (options.seed !== undefined && options.faults === undefined)
      throw new UsageError('--seed goes with --faults');
    if (options.onMiss === 'error') {
      if (readOptionalTarget(invocation) !== null)
        throw new UsageError('a server is for --on-miss forward or record');
      if (options.logLevel !== undefined)
        throw new UsageError('--log-level is for the server of --on-miss forward or record');
      refuseOut(options);
      return serveMock(runOf(paths, options, null));
    }
    return withSession(
      { target: targetOf(invocation, options), json: false, answersQuestions: false },
      async (session) => {
        await session.ready();
        await askForLogs(session, options.logLevel);
        const forwarder = new MissForwarder({
          session: () => forwardingSession(session),
          onQuestion: (listener) => session.on('inbox/changed', listener),
          answer: (_sessionId, entryId, answer) => session.request('inbox/answer', { entryId, answer }),
          declinesOthers: true,
        });
        try {
          return await serveMock(runOf(paths, options, forwarder));
        } finally {
          forwarder.close();
        }
      },
    );
  },
};

const forwardingSession = (session: HeadlessSession): ForwardingSession => ({
  id: session.id,
  start: async (method, params) =>
    (await session.request('calls/request', { method, params, timeout: null })).id,
  cancel: (callId) => void session.request('calls/cancel', { callId }).catch(() => undefined),
  ended: async (callId) => {
    try {
      return await session.until(async () => {
        const found = (await session.request('calls/list', {})).find((one) => one.id === callId);
        return found === undefined || isUnderWay(found) ? null : found;
      });
    } catch (error) {
      throw error instanceof Interrupted ? new FaultError(wasEnded) : error;
    }
  },
  result: (callId, from) => session.request('calls/result', { callId, from }),
});

const wasEnded = { code: 'mock-ended', what: 'The mock was ended.' };

function targetOf(invocation: Invocation, options: Options) {
  const target = readOptionalTarget(invocation);
  if (target === null)
    throw new UsageError(`--on-miss ${options.onMiss} needs a server, such as: -- node server.js`);
  if (options.onMiss === 'forward') {
    refuseOut(options);
    return target;
  }
  if (options.out === undefined) throw new UsageError('--on-miss record needs --out FILE for the new trace');
  return { ...target, tracePath: newFile('--out', options.out) };
}

function refuseOut({ out }: Options): void {
  if (out !== undefined) throw new UsageError('--out goes with --on-miss record');
}

function runOf(paths: readonly string[], options: Options, forwarder: MissForwarder | null): MockRun {
  const { http = null, report, unused, match, latency, bytes, json } = options;
  return {
    paths,
    http,
    match,
    latency,
    bytes,
    json,
    failsForUnused: unused === 'fail',
    faults: options.faults === undefined ? null : { path: resolve(options.faults), seed: options.seed ?? 1 },
    report: report === undefined ? null : newFile('--report', report),
    forward: forwarder?.forward ?? null,
  };
}

/** @throws UsageError when its folder does not exist */
function newFile(option: string, file: string): string {
  const path = resolve(file);
  existingFolder(option, dirname(path));
  return path;
}

/** Bytes are those of one recording, and of what it holds. */
function refuseWithBytes({ match, onMiss, faults }: Options, files: readonly string[]): void {
  if (files.length > 1) throw new UsageError('--bytes wants one file');
  if (onMiss !== 'error' || match !== 'context' || faults !== undefined)
    throw new UsageError('--bytes goes without --match, --on-miss and --faults');
}
