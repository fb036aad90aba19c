import { resolve } from 'node:path';
import { z } from 'zod';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { readDuration } from './duration.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { hasEnded, type HeadlessSession, Interrupted } from './headless-session.ts';
import { faultText } from './fault-text.ts';
import { print, printJson } from './print.ts';
import { rowFollower } from './row-follower.ts';
import { say } from './say.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema } from './session-options.ts';
import { readTarget, targetNotes } from './target.ts';
import { withSession } from './with-session.ts';

const optionsSchema = z.object({
  out: z.string().min(1, 'wants the name of a file').optional(),
  for: z.string().optional(),
  json: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});

/** Records a session, and shows its rows as they come. */
export const recordCommand: CliCommand = {
  usage: 'record',
  summary: 'record a trace of a session and follow it',
  options: [
    ['-o, --out <file>', 'write the trace to this new file instead of one in the data folder'],
    ['--for <time>', 'end after this time, such as 30s, 2m'],
    [
      '--json',
      'print a JSON object a row (an HTTP exchange once more at its end), and one about the trace at the end',
    ],
    ...sessionOptions,
  ],
  notes: `Ends when the time is over, on Ctrl-C, or when the server ends by itself.
${targetNotes}

Example: sightglass record -o server.mcptrace --for 30s -- node server.js`,
  async run(invocation) {
    const { out, for: time, json, logLevel } = parseOptions(optionsSchema, invocation.options);
    const limit = time === undefined ? null : readDuration('--for', time);
    const target = { ...readTarget(invocation), ...(out !== undefined && { tracePath: resolve(out) }) };
    return withSession({ target, json }, async (session) => {
      const [exitCode] = await Promise.all([
        record(session, limit, json),
        askForLogsWhenReady(session, logLevel),
      ]);
      return exitCode;
    });
  },
};

/** A session that never gets there tells that by itself. */
async function askForLogsWhenReady(session: HeadlessSession, level: string | undefined): Promise<void> {
  if (level === undefined) return;
  try {
    await session.ready();
    await askForLogs(session, level);
  } catch (error) {
    if (!(error instanceof FaultError || error instanceof Interrupted)) throw error;
  }
}

async function record(session: HeadlessSession, limit: number | null, json: boolean): Promise<ExitCode> {
  const follower = await rowFollower(session, json);
  const ended = await session.follow(async () => {
    await follower.showNew();
    const view = await session.view();
    return hasEnded(view) ? view : null;
  }, limit);
  await session.request('sessions/close', {});
  await follower.showRest();
  const view = await session.view();
  const fault = ended?.fault ?? view.traceFile.fault;
  await tellTrace(view, fault, json);
  if (fault === null) return exitCodes.fine;
  say(faultText(fault));
  return view.agreement === null ? exitCodes.notConnected : exitCodes.findings;
}

async function tellTrace(view: SessionView, fault: Fault | null, json: boolean): Promise<void> {
  const { rows, errors, invalid } = view.counts;
  const { path } = view.traceFile;
  if (json) return printJson(JSON.stringify({ trace: path, rows, errors, invalid, fault }));
  const counts = [
    formatQuantity(rows, 'row'),
    formatQuantity(errors, 'error'),
    `${formatCount(invalid)} not valid`,
  ];
  await print(`${counts.join(', ')}\ntrace: ${path}`);
}
