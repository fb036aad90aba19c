import { resolve } from 'node:path';
import { z } from 'zod';
import type { ReplayRun } from '#shared/contract/replay.ts';
import { formatQuantity } from '#shared/format.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import {
  comparisonOptions,
  comparisonOptionsSchema,
  comparisonRules,
  comparisonText,
  isFailed,
} from '#hosts/cli/comparison-report.ts';
import { exitCodes } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { OpenedFile } from '#hosts/cli/opened-file.ts';
import { faultText, print, printJson, say } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = comparisonOptionsSchema.extend({
  only: z.string().optional(),
  pace: z
    .string()
    .regex(/^(?:none|recorded|x\d+(?:\.\d+)?)$/, 'wants none, recorded, or xN for N times as fast')
    .default('none'),
  allowWrites: z.boolean().default(false),
  json: z.boolean().default(false),
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
    ['--allow-writes', 'in CI, also call tools that are not read-only by their annotations'],
    ...comparisonOptions,
    ['--json', 'print what was sent and the whole comparison as one JSON object'],
    ...sessionOptions,
  ],
  notes: `The handshake, ids, progress tokens and authorization are those of the new session. A value that came out of an earlier response, such
as the id of what was created, is replaced by the one of this run. What the server asks is answered as in the recording, and declined
if the recording has no answer. If the variable CI is set, only tools with readOnlyHint are called, unless --allow-writes is given. A
run in which no call was sent fails.
${targetNotes}

Examples: sightglass replay session.mcptrace -- node server.js
          sightglass replay session.mcptrace --only method:tools/call --ignore '$..build' --url http://127.0.0.1:3000/mcp`,
  ends: {
    0: 'no difference that --fail-on names',
    1: 'the responses or the lists differ, or no call was sent',
    2: 'wrong usage, or the file is no trace',
    3: 'could not connect',
  },
  run(invocation) {
    const [path] = argsSchema.parse(invocation.args);
    const options = parseOptions(optionsSchema, invocation.options);
    const target = readTarget(invocation);
    // Rules of the client would answer before the recording does.
    const client = { ...target.client, rules: [] };
    return withSession(
      { target: { ...target, client }, json: options.json, answersQuestions: false },
      async (session, engine) => {
        const { file, opened } = await OpenedFile.openIn(engine, resolve(path), session.interruption);
        for (const fault of opened.faults) say(faultText(fault));
        await session.ready();
        await session.tools();
        await session.ready();
        const replay = await session.interruptible(runReplay(session, file, options));
        const comparison = await session.request('comparison/compare', {
          recorded: file.sessionId,
          other: session.id,
          rules: comparisonRules(options),
          replay,
        });
        const sent = replay.calls.filter(({ row }) => row !== null);
        if (options.json) await printJson(JSON.stringify({ replay, comparison }));
        else await print([comparisonText(comparison), ...replayLines(replay)].join('\n'));
        if (sent.length === 0) say('no call was sent');
        return sent.length === 0 || isFailed(comparison, options.failOn)
          ? exitCodes.findings
          : exitCodes.fine;
      },
    );
  },
};

async function runReplay(session: HeadlessSession, file: OpenedFile, { only, pace, allowWrites }: Options) {
  const stop = () => void session.request('replay/stop', {});
  session.interruption.addEventListener('abort', stop);
  try {
    return await session.request('replay/run', {
      recorded: file.sessionId,
      rows: only === undefined ? null : await file.rowsMatching(only),
      allowWrites: allowWrites || !process.env.CI,
      speed: pace === 'none' ? null : pace === 'recorded' ? 1 : Number(pace.slice(1)),
    });
  } finally {
    session.interruption.removeEventListener('abort', stop);
  }
}

function replayLines({ calls, values, answered, declined }: ReplayRun): string[] {
  const replaced = calls.filter((call) => call.replaced.length > 0).length;
  return [
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
