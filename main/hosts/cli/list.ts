import { z } from 'zod';
import type { ToolEntry, ToolList } from '#shared/contract/catalog.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { exitCodeOf } from './fault-exit-code.ts';
import { faultText } from './fault-text.ts';
import { print, printJson } from './print.ts';
import { say } from './say.ts';
import { kindsOf } from './schema-kinds.ts';
import { readTarget, targetNotes, targetOptions } from './target.ts';
import { withSession } from './with-session.ts';

const optionsSchema = z.object({ json: z.boolean().default(false) });

/** Shows what a server offers, and what it offers badly. */
export const listCommand: CliCommand = {
  usage: 'list <what>',
  summary: 'list the tools of a server',
  options: [['--json', 'print JSON, each entry as the server wrote it'], ...targetOptions],
  notes: `WHAT is "tools".
${targetNotes}

Examples: sightglass list tools -- node server.js
          sightglass list tools --url http://127.0.0.1:3000/mcp --era modern`,
  async run(invocation) {
    const [what] = invocation.args;
    if (what !== 'tools') throw new UsageError(`"${String(what)}" cannot be listed; "tools" can`);
    const { json } = parseOptions(optionsSchema, invocation.options);
    return withSession({ target: readTarget(invocation), json }, async (session) => {
      await session.ready();
      return show(await session.tools(), json);
    });
  },
};

/** What could be read is shown, whatever is wrong with the rest; without any answer the list has failed. */
async function show(list: ToolList, json: boolean): Promise<ExitCode> {
  if (json) await printJson(listJson(list));
  else for (const entry of list.entries) await print(describe(entry));
  if (list.state === 'not-offered') say('the server offers no tools');
  if (list.fault === null) return exitCodes.fine;
  say(faultText(list.fault));
  return list.state === 'failed' ? exitCodeOf(list.fault) : exitCodes.fine;
}

/** The entries stand as they were written, so that numbers and the order of keys survive. */
function listJson({ state, pages, fault, entries }: ToolList): string {
  const head = JSON.stringify({ state, pages, fault }).slice(1, -1);
  return `{${head},"tools":[${entries.map((entry) => `\n${entryJson(entry)}`).join(',')}\n]}`;
}

function entryJson(entry: ToolEntry): string {
  if (entry.usable) return `{"usable":true,"duplicate":${entry.duplicate},"tool":${entry.raw}}`;
  const { name, why, raw } = entry;
  return `{"usable":false,"name":${JSON.stringify(name)},"why":${JSON.stringify(why)},"tool":${raw}}`;
}

/** A tool as it would be called, and below it what it does; or what is bad about it. */
function describe(entry: ToolEntry): string {
  if (!entry.usable) return `${entry.name ?? '(no name)'}\n    bad: ${entry.why}`;
  const { tool, duplicate } = entry;
  return [
    [tool.name, ...argumentWords(tool.inputSchema)].join(' '),
    ...(duplicate ? ['bad: a tool before it has the same name'] : []),
    ...(tool.description?.trim().split('\n') ?? []),
  ].join('\n    ');
}

function argumentWords(inputSchema: Record<string, unknown>): string[] {
  const { properties, required } = inputSchema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([key, schema]) => {
    const word = `${key}=<${kindsOf(schema, inputSchema).join('|') || 'any'}>`;
    return Array.isArray(required) && required.includes(key) ? word : `[${word}]`;
  });
}
