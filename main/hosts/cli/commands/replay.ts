import { resolve } from 'node:path';
import { z } from 'zod';
import { MAX_REPLAY_CONCURRENCY, type ReplayRun, type StepAnswer } from '#shared/contract/replay.ts';
import { faultReportOf } from '#shared/comparison-report.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { formatDuration, formatQuantity, truncate } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import {
  comparisonOptions,
  comparisonOptionsSchema,
  comparisonRules,
  isFailed,
  isTooSlow,
  printComparison,
} from '#hosts/cli/comparison-report.ts';
import { exitCodes, UsageError } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { OpenedFile } from '#hosts/cli/opened-file.ts';
import { wholeNumber } from '#hosts/cli/option-values.ts';
import { faultText, print, say, visibleText } from '#hosts/cli/output.ts';
import { readSecretValues } from '#hosts/cli/named-values.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { createLineQuestions } from '#hosts/cli/terminal-questions.ts';
import {
  askForLogs,
  type FaultReport,
  sessionOptions,
  sessionOptionsSchema,
  withSession,
} from '#hosts/cli/with-session.ts';

const optionsSchema = comparisonOptionsSchema.extend({
  only: z.string().optional(),
  pace: z
    .string()
    .regex(/^(?:none|recorded|x\d+(?:\.\d+)?)$/, 'wants none, recorded, or xN for N times as fast')
    .default('none'),
  step: z.boolean().default(false),
  concurrency: wholeNumber(1, MAX_REPLAY_CONCURRENCY).optional(),
  var: z.array(z.string()).default([]),
  allowWrites: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string()]);

/** Sends the calls of a recording to a server and compares the responses. */
export const replayCommand: CliCommand = {
  usage: 'replay <file>',
  summary: 'send the calls of a trace to a server, and compare the responses with the recorded ones',
  options: [
    ['--only <filter>', 'only the calls that match, in the filter language of the trace'],
    ['--pace <how>', 'the pauses between calls: "none" (default), "recorded", or "xN" for N times as fast'],
    ['--step', 'show each call in the terminal and ask before it is sent'],
    [
      '--concurrency <n>',
      `how many calls may be under way at the same time, up to ${MAX_REPLAY_CONCURRENCY}; a call that uses a value of an earlier response waits`,
    ],
    [
      '--var <name=value>',
      'the value of a secret of which the trace has only a placeholder: NAME=@FILE, NAME=$VARIABLE, NAME=VALUE, or NAME:=JSON',
      'repeatable',
    ],
    ['--allow-writes', 'in CI, also call tools that are not read-only by their annotations'],
    ...comparisonOptions,
    ['--json', 'print what was sent and the whole comparison as one JSON object'],
    ...sessionOptions,
  ],
  notes: `The handshake, ids, progress tokens and authorization are those of the new session. A value that came out of an earlier response, such
as the id of what was created, is replaced by the one of this run. What the server asks is answered as in the recording, and declined
if the recording has no answer. A call whose params held a secret is not sent, unless --var gives all of its secrets. The name of a
secret is the last word of its placeholder ("password" of "[secret member password, …]"), or the 8 characters at the end of it. If the variable CI is set, only tools with readOnlyHint are called, unless --allow-writes is given. A
run in which no call was sent fails.
${targetNotes}

Examples: sightglass replay session.mcptrace -- node server.js
          sightglass replay session.mcptrace --only method:tools/call --ignore '$..build' --url http://127.0.0.1:3000/mcp`,
  ends: {
    0: 'no difference that --fail-on names',
    1: 'the responses or the lists differ, a list could not be read, or no call was sent',
    2: 'wrong usage, or the file is no trace',
    3: 'could not connect',
  },
  async run(invocation) {
    const [path] = argsSchema.parse(invocation.args);
    const options = parseOptions(optionsSchema, invocation.options);
    const variables = readSecretValues(options.var);
    if (options.step && options.concurrency !== undefined)
      throw new UsageError('--step asks before one call after the other, so leave out --concurrency');
    if (options.step && !(process.stdin.isTTY && process.stderr.isTTY)) {
      throw new UsageError(
        '--step asks before each call, and there is no terminal to ask on. Run it in a terminal, or choose the calls with --only.',
      );
    }
    const target = readTarget(invocation);
    // Rules of the client would answer before the recording does.
    const client = { ...target.client, rules: [] };
    const format = options.json ? 'json' : options.reporter;
    const failures: Fault[] = [];
    // A program that reads the report learns why nothing was replayed.
    const json =
      format === 'text' || format === 'json'
        ? format === 'json'
        : ({ fault }: FaultReport) => void failures.push(fault);
    const exitCode = await withSession(
      { target: { ...target, client }, json, answersQuestions: false },
      async (session, engine) => {
        const { file, opened } = await OpenedFile.openIn(engine, resolve(path), session.interruption);
        for (const fault of opened.faults) say(faultText(fault));
        await session.ready();
        await askForLogs(session, options.logLevel);
        await session.tools();
        await session.ready();
        const replay = await session.interruptible(runReplay(session, file, options, variables));
        const comparison = await session.request('comparison/compare', {
          recorded: file.sessionId,
          other: session.id,
          rules: comparisonRules(options),
          replay,
        });
        const sent = replay.calls.filter(({ row }) => row !== null);
        const more = { lines: replayLines(replay), replay };
        await printComparison(comparison, options, opened.header.server.name, more);
        const secret = replay.calls.filter(({ skipped }) => skipped === 'secret').length;
        if (secret > 0) say(`${formatQuantity(secret, 'call')} not sent: --var gives the values of secrets`);
        if (sent.length === 0) say('no call was sent');
        const isSlow = isTooSlow(comparison, options.latency);
        return sent.length === 0 || isSlow || isFailed(comparison, options.failOn)
          ? exitCodes.findings
          : exitCodes.fine;
      },
    );
    if (format === 'junit' || format === 'sarif')
      for (const fault of failures) await print(faultReportOf(format, fault, 'sightglass replay'));
    return exitCode;
  },
};

async function runReplay(
  session: HeadlessSession,
  file: OpenedFile,
  { only, pace, step, concurrency, allowWrites }: Options,
  variables: Readonly<Record<string, string>>,
) {
  const stop = () => void session.request('replay/stop', {});
  session.interruption.addEventListener('abort', stop);
  const endSteps = step ? askBeforeCalls(session) : null;
  try {
    return await session.request('replay/run', {
      recorded: file.sessionId,
      rows: only === undefined ? null : await file.rowsMatching(only),
      allowWrites: allowWrites || !process.env.CI,
      speed: pace === 'none' ? null : pace === 'recorded' ? 1 : Number(pace.slice(1)),
      ...(concurrency !== undefined && { concurrency }),
      isStepped: step,
      variables,
    });
  } finally {
    endSteps?.();
    session.interruption.removeEventListener('abort', stop);
  }
}

/** Asks in the terminal before each call, until the function it returns is called. */
function askBeforeCalls(session: HeadlessSession): () => void {
  const questions = createLineQuestions(process.stdin, process.stderr);
  const ask = async (text: string): Promise<StepAnswer> => {
    for (;;) {
      const line = await questions.ask(text, session.interruption);
      const answer = line === null ? 'stop' : stepAnswers.get(line.trim().toLowerCase());
      if (answer !== undefined) return answer;
    }
  };
  const stopListening = session.on('replay/waiting', ({ recordedRow, method, target, params }) => {
    const call = [rowNumber(recordedRow), method, ...(target === null ? [] : [target])].join(' ');
    const text = `${visibleText(`${call} ${truncate(params, MAX_SHOWN_PARAMS)}`)}\nSend it? [Y/n/q] `;
    void ask(text).then((answer) => session.request('replay/step', { recordedRow, answer }));
  });
  return () => {
    stopListening();
    questions.close();
  };
}

const MAX_SHOWN_PARAMS = 2000;

const stepAnswers: ReadonlyMap<string, StepAnswer> = new Map([
  ['', 'send'],
  ['y', 'send'],
  ['yes', 'send'],
  ['n', 'skip'],
  ['no', 'skip'],
  ['q', 'stop'],
  ['quit', 'stop'],
]);

function replayLines({ calls, values, answered, declined, duration }: ReplayRun): string[] {
  const replaced = calls.filter((call) => call.replaced.length > 0).length;
  const sent = calls.filter(({ row }) => row !== null).length;
  return [
    `${formatQuantity(sent, 'call')} sent in ${formatDuration(duration * 1000)}`,
    ...(values.length === 0
      ? []
      : [
          `${formatQuantity(values.length, 'value')} of earlier responses replaced in ${formatQuantity(replaced, 'call')}`,
        ]),
    ...(answered + declined === 0
      ? []
      : [`${formatQuantity(answered, 'question')} of the server answered as recorded, ${declined} declined`]),
  ];
}
