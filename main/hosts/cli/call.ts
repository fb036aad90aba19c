import { z } from 'zod';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { argumentsText, readWords } from './call-arguments.ts';
import { callOptions, callOptionsSchema, readCallParams } from './call-options.ts';
import { resultText } from './call-result.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { quoted } from './given.ts';
import { followCall, tellCall } from './follow-call.ts';
import { followNotices, logLine } from './notices.ts';
import { readJsonObject } from './json-input.ts';
import { print, printJson } from './print.ts';
import { say } from './say.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema } from './session-options.ts';
import { readTarget, targetNotes } from './target.ts';
import { withSession } from './with-session.ts';

const argsSchema = z.tuple([z.string(), z.array(z.string())]);

const optionsSchema = z.object({
  args: z.string().optional(),
  ...callOptionsSchema.shape,
  ...sessionOptionsSchema.shape,
});

/** Calls one tool and shows what it answers. */
export const callCommand: CliCommand = {
  usage: 'call <tool> [arguments...]',
  summary: 'call a tool and print its result',
  options: [
    ['--args <json>', 'the arguments as one JSON object, sent as written, or @FILE'],
    ...callOptions,
    ...sessionOptions,
  ],
  notes: `Arguments are key=value, typed by the tool's input schema, or key:=JSON. Rounds of input and tasks are followed
to their end. What the tool's schemas say of arguments and structured content is told on stderr.
${targetNotes}

Examples: sightglass call add a=1 b=2 -- node server.js
          sightglass call add a=1 b=2 --url http://127.0.0.1:3000/mcp --header 'X-Key: 1234'
          sightglass call book --answer elicitation=defaults --root file:///work=Work -- node server.js`,
  ends: { 1: 'the tool failed, or the server answered with an error', 3: 'could not connect' },
  async run(invocation) {
    const [tool, given] = argsSchema.parse(invocation.args);
    const { args, logLevel, ...options } = parseOptions(optionsSchema, invocation.options);
    const { json, progress = process.stderr.isTTY } = options;
    // An argument that stands right behind --task is none of its own.
    const isArgument = typeof options.task === 'string' && options.task.includes('=');
    const callParams = readCallParams(isArgument ? { ...options, task: true } : options);
    const words = readWords(isArgument ? [String(options.task), ...given] : given);
    if (args !== undefined && words.length > 0) {
      throw new UsageError('arguments are given as key=value or with --args, not both');
    }
    const argsText = args === undefined ? null : readJsonObject('--args', args);
    return withSession({ target: readTarget(invocation), json, mayAsk: true }, async (session) => {
      await session.ready();
      await askForLogs(session, logLevel);
      // What is known of the tool also goes into headers, and judges what is sent.
      const { entries } = await session.tools();
      await session.ready();
      const text = argsText ?? argumentsText(words, words.length === 0 ? {} : schemaOf(entries, tool));
      const logs = followNotices(session, { method: 'notifications/message', from: 0 }, async (notice) =>
        say(logLine(notice)),
      );
      const call = await followCall(
        session,
        () => session.request('calls/start', { tool, arguments: text, ...callParams }),
        {
          showsProgress: progress,
          ...(logLevel !== undefined && { onNews: () => logs.takeNew() }),
        },
      );
      return tellCall(session, call, json, (result) =>
        json ? printJson(result) : print(resultText(result)),
      );
    });
  },
};

/** The input schema that says how to write arguments. A tool that is not listed is called all the same. */
function schemaOf(entries: readonly ToolEntry[], tool: string): Record<string, unknown> {
  const entry = entries.find((one) => one.usable && one.tool.name === tool);
  if (entry?.usable) return entry.tool.inputSchema;
  say(`the server lists no usable tool ${quoted(tool)}; values are sent as strings`);
  return {};
}
