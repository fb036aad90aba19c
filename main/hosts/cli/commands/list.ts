import { z } from 'zod';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { capabilityOf } from '#shared/protocol/methods.ts';
import {
  type CacheHint,
  catalogLists,
  listMethods,
  type CatalogListName,
  type Prompt,
  type Resource,
  type Template,
  type Tool,
} from '#shared/contract/catalog.ts';
import type { Finding } from '#shared/contract/checks.ts';
import type { Result } from '#shared/contract/index.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { formatDuration, formatQuantity, formatBytes } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { wrongDeclarations } from '#shared/wrong-declarations.ts';
import { kindsOf } from '#hosts/cli/call-arguments.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError, exitCodeOf } from '#hosts/cli/exit.ts';
import { findingsOf, findingText, findingJson } from '#hosts/cli/findings.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = z.object({
  json: z.boolean().default(false),
  findings: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});

const isListName = (what: unknown): what is CatalogListName => catalogLists.some((one) => one === what);

/** Prints the entries of a server's lists, including invalid ones. */
export const listCommand: CliCommand = {
  usage: 'list <what>',
  summary: 'list the tools, resources, templates or prompts of a server',
  options: [
    [
      '--json',
      'print one JSON object: "state", "declared" (yes, no, wrong, or null if the server declared nothing), "pages", ' +
        '"fault", "cache", "findings", and the list under its own name; each entry of it says whether it is "usable" and, if not, "why", and holds the entry as the server wrote it',
    ],
    [
      '--findings',
      'print what is wrong with the messages of this connection after the list; --json always does',
    ],
    ...sessionOptions,
  ],
  notes: `WHAT is one of ${catalogLists.join(', ')}.
${targetNotes}

Examples: sightglass list tools -- node server.js
          sightglass list tools --findings -- node server.js
          sightglass list resources --url http://127.0.0.1:3000/mcp --era modern`,
  ends: {
    1: 'the server answered with an error, or with something that is no list',
    3: 'could not connect',
  },
  async run(invocation) {
    const [what] = invocation.args;
    if (!isListName(what)) {
      throw new UsageError(`${quoted(String(what))} cannot be listed; these can: ${catalogLists.join(', ')}`);
    }
    const { json, findings, logLevel } = parseOptions(optionsSchema, invocation.options);
    return withSession({ target: readTarget(invocation), json }, async (session) => {
      await session.ready();
      await askForLogs(session, logLevel);
      const list = await readList(session, what);
      const { agreement } = await session.view();
      const found = json || findings ? await findingsOf(session) : [];
      const declared = declarationOf(agreement, what);
      if (declared.wrong !== null) say(`${declared.wrong}; ${listMethods[what]} was sent all the same`);
      const exitCode = await show(what, list, json, { declared: declared.how, found });
      if (findings && !json) await printFindings(found);
      return exitCode;
    });
  },
};

/** The list once it was read; requested explicitly if the server's capabilities are unknown. */
async function readList(session: HeadlessSession, what: CatalogListName): Promise<AnyList> {
  const { agreement } = await session.view();
  const capabilities = agreement?.serverCapabilities ?? null;
  if (capabilities === null && what !== 'tools') {
    await session.interruptible(session.request('catalog/refresh', { list: what }));
  }
  const isDeclared = mayHaveCapability(capabilities, capabilityFor(what));
  return session.until(async () => {
    const list = await session.request(`catalog/${what}`, {});
    if (list.state === 'loading') return null;
    // Lists are read one after the other, as long as the server is there.
    const isYetToCome =
      list.state === 'not-declared' && isDeclared && (await session.view()).phase === 'ready';
    return isYetToCome ? null : list;
  });
}

const capabilityFor = (what: CatalogListName): string => capabilityOf(listMethods[what]) ?? what;

/** How the server declared the capability of a list; null if it declared nothing at all. */
function declarationOf(
  agreement: Agreement | null,
  what: CatalogListName,
): { readonly how: 'yes' | 'no' | 'wrong' | null; readonly wrong: string | null } {
  const capabilities = agreement?.serverCapabilities ?? null;
  const capability = capabilityFor(what);
  const wrong = wrongDeclarations(agreement).find(({ path }) => path === '' || path === capability);
  if (wrong !== undefined) return { how: 'wrong', wrong: wrong.text };
  if (capabilities === null) return { how: null, wrong: null };
  return { how: mayHaveCapability(capabilities, capability) ? 'yes' : 'no', wrong: null };
}

/** Shows the entries that could be read; without any response, the list has failed. */
async function show(
  what: CatalogListName,
  list: AnyList,
  json: boolean,
  about: AboutList,
): Promise<ExitCode> {
  if (json) await printJson(listJson(what, list, about));
  else for (const entry of list.entries) await print(entryText(entry));
  if (list.state === 'not-declared') say(`the server offers no ${what}`);
  if (list.cache !== null && !json) say(cacheText(list.cache));
  if (list.fault === null) return exitCodes.fine;
  say(faultText(list.fault));
  return list.state === 'failed' ? exitCodeOf(list.fault) : exitCodes.fine;
}

async function printFindings(found: readonly Finding[]): Promise<void> {
  await print(`\n${found.length === 0 ? 'No findings' : `${formatQuantity(found.length, 'finding')}:`}`);
  for (const finding of found) await print(`    ${findingText(finding)}`);
}

/** How long the list may be kept (MCP 2026-07-28 caching). */
const cacheText = ({ ttl, scope }: CacheHint): string =>
  `the server says the list may be kept for ${ttl > 0 ? formatDuration(ttl * 1000) : 'no time'}, ${visibleText(scope)}`;

/** What is told beside a list. */
interface AboutList {
  readonly declared: 'yes' | 'no' | 'wrong' | null;
  readonly found: readonly Finding[];
}

type AnyList = Result<`catalog/${CatalogListName}`>;
type AnyEntry = AnyList['entries'][number];

/** The key of an entry of each list in JSON. */
const entryKeys: Readonly<Record<CatalogListName, string>> = {
  tools: 'tool',
  resources: 'resource',
  templates: 'template',
  prompts: 'prompt',
};

/** A list as JSON with the entries as written, so that numbers and the order of keys survive. */
function listJson(
  what: CatalogListName,
  { state, pages, fault, cache, entries }: AnyList,
  { declared, found }: AboutList,
): string {
  const head = JSON.stringify({ state, declared, pages, fault, cache }).slice(1, -1);
  const entry = entryKeys[what];
  const list = entries.map((one) => `\n${entryJson(entry, one)}`).join(',');
  return `{${head},"findings":${JSON.stringify(found.map(findingJson))},"${what}":[${list}\n]}`;
}

function entryJson(name: string, entry: AnyEntry): string {
  if (entry.usable) return `{"usable":true,"duplicate":${entry.duplicate},"${name}":${entry.raw}}`;
  const facts = JSON.stringify({ usable: false, name: entry.name, why: entry.error }).slice(0, -1);
  return `${facts},"${name}":${entry.raw}}`;
}

/** An entry as it is used, with its description below; or what is wrong with it. */
export function entryText(entry: AnyEntry): string {
  if (!entry.usable) return lines([entry.name ?? '(no name)', `bad: ${entry.error}`]);
  const [first, ...others] = describe(entry);
  const twice = entry.duplicate ? ['bad: an entry before it is called the same'] : [];
  return lines([first, ...twice, ...others]);
}

function describe(entry: AnyEntry & { usable: true }): [string, ...string[]] {
  if ('tool' in entry) return toolLines(entry.tool);
  if ('resource' in entry) return resourceLines(entry.resource.uri, entry.resource);
  if ('template' in entry) return resourceLines(entry.template.uriTemplate, entry.template);
  return promptLines(entry.prompt);
}

function toolLines({ name, inputSchema, description }: Tool): [string, ...string[]] {
  return [[name, ...argumentWords(inputSchema)].join(' '), ...paragraphs(description)];
}

function argumentWords(inputSchema: Record<string, unknown>): string[] {
  const { properties, required } = inputSchema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([key, schema]) => {
    const word = `${key}=<${kindsOf(schema, inputSchema).join('|') || 'any'}>`;
    return Array.isArray(required) && required.includes(key) ? word : `[${word}]`;
  });
}

function resourceLines(address: string, facts: Omit<Resource, 'uri'> | Template): [string, ...string[]] {
  const { name, title, mimeType, description } = facts;
  const size = 'size' in facts && facts.size !== undefined ? formatBytes(facts.size) : undefined;
  const about = [title ?? name, mimeType, size].filter((fact) => fact !== undefined).join(', ');
  return [address, about, ...paragraphs(description)];
}

/** Values of the arguments are strings. */
function promptLines({ name, arguments: args = [], description }: Prompt): [string, ...string[]] {
  const words = args.map((one) =>
    one.required === true ? `${one.name}=<string>` : `[${one.name}=<string>]`,
  );
  return [[name, ...words].join(' '), ...paragraphs(description)];
}

const paragraphs = (text: string | undefined): string[] => text?.trim().split('\n') ?? [];

/** Escapes an entry, so that it cannot imitate another one. */
const lines = (texts: readonly string[]): string => texts.map(visibleText).join('\n    ');
