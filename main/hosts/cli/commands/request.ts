import { z } from 'zod';
import { LISTEN } from '#shared/protocol/methods.ts';
import { type Call, isUnderWay } from '#shared/contract/calls.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import {
  callOptions,
  callOptionsSchema,
  type CallParams,
  readCallParams,
  callOf,
  cancelCall,
  followCall,
  reportCall,
} from '#hosts/cli/follow-call.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { readDuration, readJsonObject } from '#hosts/cli/option-values.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import { faultText, print, printJson, say } from '#hosts/cli/output.ts';
import { hasEnded, type HeadlessSession } from '#hosts/cli/headless-session.ts';
import { followNotices, noticeLine, type NoticeFollower } from '#hosts/cli/notices.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';

const argsSchema = z.tuple([z.string()]);

const optionsSchema = z.object({
  params: z.string().optional(),
  for: z.string().optional(),
  ...callOptionsSchema.shape,
  ...sessionOptionsSchema.shape,
});

/** A stream is open until somebody ends it: the longest time a call may take. */
const A_DAY = 86_400_000;

interface Wanted {
  readonly method: string;
  readonly params: string | null;
  readonly callParams: CallParams;
  /** Milliseconds to follow the notifications; null for not at all, a listen stream until it ends. */
  readonly time: number | null;
  readonly json: boolean;
  readonly showsProgress: boolean;
}

/** Sends any request and prints its result; then follows the notifications of the server. */
export const requestCommand: CliCommand = {
  usage: 'request <method>',
  summary: 'send any request and print its result',
  options: [
    ['--params <json>', 'the params: a JSON object, sent as written, or @FILE'],
    [
      '--for <time>',
      'follow the notifications of the server for this time after the answer, such as 30s, 2m',
    ],
    ...callOptions,
    ...sessionOptions,
  ],
  notes: `The method may be any, announced or not. The result is printed exactly as received. Of subscriptions/listen the
notifications are followed until the server ends the stream, --for is over, or on Ctrl-C. Notifications are
printed a line each: the time, the method and the params, with --json the whole message.
${targetNotes}

Examples: sightglass request resources/read --params '{"uri": "file:///a"}' -- node server.js
          sightglass request resources/subscribe --params '{"uri": "file:///a"}' --for 30s -- node server.js
          sightglass request subscriptions/listen --params '{"notifications": {"toolsListChanged": true}}' \\
            --url http://127.0.0.1:3000/mcp`,
  ends: { 1: 'the server answered with an error, or the session failed', 3: 'could not connect' },
  async run(invocation) {
    const [method] = argsSchema.parse(invocation.args);
    const { params, for: time, logLevel, ...options } = parseOptions(optionsSchema, invocation.options);
    const wanted: Wanted = {
      method,
      params: params === undefined ? null : readJsonObject('--params', params),
      callParams: readCallParams(options),
      time: time === undefined ? null : readDuration('--for', time),
      json: options.json,
      showsProgress: options.progress ?? process.stderr.isTTY,
    };
    const target = readTarget(invocation);
    return withSession({ target, json: options.json, mayAsk: true }, async (session) => {
      await session.ready();
      await askForLogs(session, logLevel);
      // What is known of the tool goes into headers in the modern era.
      if (method === 'tools/call') await session.tools();
      // The response to a listen request ends a stream of notifications (MCP 2026-07-28 subscriptions).
      return method === LISTEN ? listen(session, wanted) : send(session, wanted);
    });
  },
};

async function send(session: HeadlessSession, wanted: Wanted): Promise<ExitCode> {
  const { json, showsProgress, time } = wanted;
  const takeNew = await noticePrinter(session, json);
  const call = await followCall(session, () => start(session, wanted), {
    showsProgress,
    ...(time !== null && { onNews: (now) => takeNew(isAnswerOf(now)) }),
  });
  const exitCode = await reportCall(session, call, json, printJson);
  if (time === null || exitCode !== exitCodes.fine) return exitCode;
  return (await follow(session, time, takeNew, async () => null)) ?? exitCodes.fine;
}

/** The row of the response of a call, so that its result is printed in order among the notifications. */
function isAnswerOf(call: Call): (row: TraceRow) => boolean {
  const { rounds, responseRow } = call;
  if (!isUnderWay(call)) return ({ row }) => row === responseRow;
  const round = rounds.at(-1);
  if (round === undefined || round.responseRow !== null) return () => false;
  return ({ kind, pair }) => pair === round.requestRow && (kind === 'result' || kind === 'error');
}

async function listen(session: HeadlessSession, wanted: Wanted): Promise<ExitCode> {
  const { json, time } = wanted;
  const takeNew = await noticePrinter(session, json);
  const { id } = await start(session, {
    ...wanted,
    callParams: { ...wanted.callParams, timeout: A_DAY, maxTimeout: A_DAY },
  });
  const ended = await follow(session, time, takeNew, async () => {
    const call = await callOf(session, id);
    return isUnderWay(call) ? null : call;
  });
  if (ended !== null) return typeof ended === 'number' ? ended : reportCall(session, ended, json, printJson);
  await cancelCall(session, id);
  return exitCodes.fine;
}

const start = (session: HeadlessSession, { method, params, callParams }: Wanted): Promise<Call> =>
  session.request('calls/request', { method, params, ...callParams });

/** Prints each notification that has come since the last time, from now on. */
async function noticePrinter(session: HeadlessSession, json: boolean): Promise<NoticeFollower['takeNew']> {
  const { clock, rows } = await session.request('trace/summary', {});
  const follower = followNotices(session, { method: null, from: rows }, (notice) =>
    json ? printJson(notice.text) : print(noticeLine(notice, clock)),
  );
  return (isEnd) => follower.takeNew(isEnd);
}

/**
 * Calls `onNews` after every event until `findEnd` returns a value or the session ends; null on timeout or if the user
 * interrupts.
 */
function follow<T>(
  session: HeadlessSession,
  time: number | null,
  onNews: () => Promise<void>,
  findEnd: () => Promise<T | null>,
): Promise<T | ExitCode | null> {
  return session.follow<T | ExitCode>(async () => {
    const end = await findEnd();
    await onNews();
    if (end !== null) return end;
    const view = await session.view();
    if (!hasEnded(view)) return null;
    if (view.fault !== null) say(faultText(view.fault));
    return view.fault === null ? exitCodes.fine : exitCodes.findings;
  }, time);
}
