import { z } from 'zod';
import { readBase64 } from '#shared/base64.ts';
import { memberText } from '#shared/json/members.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { formatBytes, formatCount, truncate } from '#shared/format.ts';
import { argumentsText, readWords } from '#hosts/cli/call-arguments.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import {
  callOptions,
  callOptionsSchema,
  readCallParams,
  followCall,
  reportCall,
} from '#hosts/cli/follow-call.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { followNotices, logLine } from '#hosts/cli/notices.ts';
import { quoted, readJsonObject } from '#hosts/cli/option-values.ts';
import { print, printJson, say } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const argsSchema = z.tuple([z.string(), z.array(z.string())]);

const optionsSchema = z.object({
  args: z.string().optional(),
  ...callOptionsSchema.shape,
  ...sessionOptionsSchema.shape,
});

/** Calls a tool and prints its result. */
export const callCommand: CliCommand = {
  usage: 'call <tool> [arguments...]',
  summary: 'call a tool and print its result',
  options: [
    ['--args <json>', 'the arguments as one JSON object, sent as written, or @FILE'],
    ...callOptions,
    ...sessionOptions,
  ],
  notes: `Arguments are key=value, typed by the tool's input schema, or key:=JSON. Rounds of input and tasks are followed
to their end. Arguments and structured content that do not fit the tool's schemas, or that could not be validated, are
reported on stderr.
${targetNotes}

Examples: sightglass call add a=1 b=2 -- node server.js
          sightglass call add a=1 b=2 --url http://127.0.0.1:3000/mcp --header 'X-Key: 1234'
          sightglass call book --answer elicitation=defaults --root file:///work=Work -- node server.js`,
  ends: { 1: 'the tool failed, or the server answered with an error', 3: 'could not connect' },
  async run(invocation) {
    const [tool, given] = argsSchema.parse(invocation.args);
    const { args, logLevel, ...options } = parseOptions(optionsSchema, invocation.options);
    const { json, progress = process.stderr.isTTY } = options;
    // An argument right after --task is not its value.
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
      // The tool's definition also affects headers and the validation of the arguments.
      const { entries } = await session.tools();
      await session.ready();
      const text = argsText ?? (await typedArguments(session, words, entries, tool));
      const logs = followNotices(session, { method: 'notifications/message', from: 0 }, async (notice) =>
        say(logLine(notice)),
      );
      const call = await followCall(
        session,
        () => session.request('calls/start', { tool, arguments: text, isConfirmed: true, ...callParams }),
        {
          showsProgress: progress,
          ...(logLevel !== undefined && { onNews: () => logs.takeNew() }),
        },
      );
      return reportCall(session, call, json, (result) =>
        json ? printJson(result) : print(resultText(result)),
      );
    });
  },
};

/** The arguments as JSON text, typed by the input schema of the tool. An unlisted tool can be called too. */
export async function typedArguments(
  session: HeadlessSession,
  words: ReturnType<typeof readWords>,
  entries: readonly ToolEntry[],
  tool: string,
): Promise<string> {
  const inputSchema = words.length === 0 ? {} : schemaOf(entries, tool);
  return argumentsText(words, inputSchema, (schema, value) =>
    session.request('calls/validate', { schema, value }),
  );
}

function schemaOf(entries: readonly ToolEntry[], tool: string): Schema {
  const usable = entries.find((one) => one.usable && one.tool.name === tool);
  if (usable?.usable) return usable.tool.inputSchema;
  const bad = entries.find((one) => !one.usable && one.name === tool);
  const schema = bad === undefined ? null : inputSchemaIn(bad.raw);
  if (schema !== null) return schema;
  say(`the server lists no usable tool ${quoted(tool)}; values are sent as strings`);
  return {};
}

/** The input schema of an entry that is not usable for another reason. @param raw the entry as JSON text */
function inputSchemaIn(raw: string): Schema | null {
  const text = memberText(raw, ['inputSchema']);
  const schema: unknown = text === null ? null : JSON.parse(text);
  return isSchema(schema) ? schema : null;
}

/** The content blocks a tool can return (MCP 2025-06-18, tools, tool result). */
const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    mimeType: z.string().optional(),
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
]);
type Block = z.infer<typeof blockSchema>;

const resultSchema = z.object({ content: z.array(z.unknown()).min(1) });

/**
 * A result as readable text: text content as it is, everything else described in a line. A result without content is
 * shown as its structured content or as JSON.
 *
 * @param json the `result` member as the server wrote it
 */
export function resultText(json: string): string {
  const result = resultSchema.safeParse(JSON.parse(json));
  if (!result.success) return memberText(json, ['structuredContent']) ?? json;
  return result.data.content.map(describeBlock).join('\n');
}

function describeBlock(value: unknown): string {
  const block = blockSchema.safeParse(value);
  return block.success
    ? describe(block.data)
    : `[unreadable content: ${truncate(JSON.stringify(value), 200)}]`;
}

function describe(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return bracketed(block.type, block.mimeType, sizeOf(block.data));
    case 'resource_link':
      return bracketed('resource link', block.name, block.uri, block.mimeType);
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      const sizes = [
        text === undefined ? undefined : `${formatCount(text.length)} characters`,
        text !== undefined || blob === undefined ? undefined : sizeOf(blob),
      ];
      return bracketed('resource', uri, mimeType, ...sizes);
    }
  }
}

const bracketed = (kind: string, ...facts: readonly (string | undefined)[]): string =>
  `[${kind}: ${facts.filter(Boolean).join(', ')}]`.replaceAll(/\s+/g, ' ');

function sizeOf(text: string): string {
  const { size, fault } = readBase64(text);
  return fault === null ? formatBytes(size) : `not base64 (${fault})`;
}
