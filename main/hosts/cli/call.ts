import { z } from 'zod';
import type { Call } from '#shared/contract/calls.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { errorCodeName } from '#shared/protocol/error-codes.ts';
import { argumentsText, readArgumentsJson, readWords } from './call-arguments.ts';
import { resultText } from './call-result.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { type HeadlessSession, Interrupted } from './headless-session.ts';
import { print, printJson } from './print.ts';
import { progressLine } from './progress-line.ts';
import { say } from './say.ts';
import { readTarget, targetNotes, targetOptions } from './target.ts';
import { withSession } from './with-session.ts';

const argsSchema = z.tuple([z.string(), z.array(z.string())]);

const optionsSchema = z.object({
  args: z.string().optional(),
  progress: z.boolean().optional(),
  json: z.boolean().default(false),
});

/** Calls one tool and shows what it answers. */
export const callCommand: CliCommand = {
  usage: 'call <tool> [arguments...]',
  summary: 'call a tool and print its result',
  options: [
    ['--args <json>', 'the arguments as one JSON object, sent as written'],
    ['--progress', 'print progress on stderr even when that is no terminal'],
    ['--json', 'print the result as JSON, exactly as received'],
    ...targetOptions,
  ],
  notes: `Arguments are key=value, typed by the tool's input schema, or key:=JSON.
${targetNotes}

Ends with 1 when the tool fails or the server answers with an error, with 3 when it cannot connect.

Examples: sightglass call add a=1 b=2 -- node server.js
          sightglass call add a=1 b=2 --url http://127.0.0.1:3000/mcp --header 'X-Key: 1234'`,
  async run(invocation) {
    const [tool, given] = argsSchema.parse(invocation.args);
    const { args, progress, json } = parseOptions(optionsSchema, invocation.options);
    if (args !== undefined && given.length > 0) {
      throw new UsageError('arguments are given as key=value or with --args, not both');
    }
    const words = readWords(given);
    const argsText = args === undefined ? null : readArgumentsJson(args);
    return withSession({ target: readTarget(invocation), json }, async (session) => {
      await session.ready();
      const text = argsText ?? argumentsText(words, words.length === 0 ? {} : await schemaOf(session, tool));
      return show(session, await callTool(session, tool, text, progress ?? process.stderr.isTTY), json);
    });
  },
};

/**
 * The input schema that says how to write arguments. A tool that is not listed is called all the same.
 *
 * @throws FaultError when the server has left meanwhile
 */
async function schemaOf(session: HeadlessSession, tool: string): Promise<Record<string, unknown>> {
  const { entries } = await session.tools();
  await session.ready();
  const entry = entries.find((one) => one.usable && one.tool.name === tool);
  if (entry?.usable) return entry.tool.inputSchema;
  say(`the server lists no usable tool "${tool}"; values are sent as strings`);
  return {};
}

async function callTool(
  session: HeadlessSession,
  tool: string,
  args: string,
  showsProgress: boolean,
): Promise<Call> {
  const line = progressLine(process.stderr);
  const stop = showsProgress ? session.onCall(({ progress }) => line.show(progress)) : () => {};
  const { id } = await session.request('calls/start', { tool, arguments: args, timeout: null });
  try {
    return await session.until(async () => {
      const call = (await session.request('calls/list', {})).find((one) => one.id === id);
      return call === undefined || call.state === 'running' ? null : call;
    });
  } catch (error) {
    if (error instanceof Interrupted) {
      await session.request('calls/cancel', { callId: id, reason: 'cancelled by the user' });
    }
    throw error;
  } finally {
    stop();
    line.end();
  }
}

async function show(session: HeadlessSession, call: Call, json: boolean): Promise<ExitCode> {
  if (call.error !== null) {
    const { code, message, data } = call.error;
    if (json) await printJson(JSON.stringify({ error: call.error }));
    const details =
      data === null ? '' : `\n  data: ${JSON.stringify(data, null, 2).replaceAll('\n', '\n  ')}`;
    say(`the server answered with error ${code} (${errorCodeName(code)}): ${message}${details}`);
    return exitCodes.findings;
  }
  if (call.fault !== null) throw new FaultError(call.fault);
  const result = await wholeResult(session, call.id);
  if (json) await printJson(result);
  else await print(resultText(result));
  if (call.state !== 'tool-error') return exitCodes.fine;
  say('the tool says that it failed ("isError": true)');
  return exitCodes.findings;
}

async function wholeResult(session: HeadlessSession, callId: string): Promise<string> {
  let whole = '';
  for (;;) {
    const part = await session.request('calls/result', { callId, from: whole.length });
    whole += part.text ?? '';
    if (!part.truncated) return whole;
  }
}
