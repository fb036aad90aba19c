import { z } from 'zod';
import { type CacheHint, catalogLists, type CatalogListName } from '#shared/contract/catalog.ts';
import type { Finding } from '#shared/contract/checks.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { exitCodeOf } from './fault-exit-code.ts';
import { faultText } from './fault-text.ts';
import { findingsOf, findingText } from './findings.ts';
import { quoted } from './given.ts';
import type { HeadlessSession } from './headless-session.ts';
import { type AnyList, entryText, listFacts, listJson } from './list-entries.ts';
import { print, printJson } from './print.ts';
import { say } from './say.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema } from './session-options.ts';
import { readTarget, targetNotes } from './target.ts';
import { visibleText } from './visible-text.ts';
import { withSession } from './with-session.ts';

const optionsSchema = z.object({
  json: z.boolean().default(false),
  findings: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});

const isListName = (what: unknown): what is CatalogListName => catalogLists.some((one) => one === what);

/** Shows what a server offers, and what it offers badly. */
export const listCommand: CliCommand = {
  usage: 'list <what>',
  summary: 'list the tools, resources, templates or prompts of a server',
  options: [
    [
      '--json',
      'print one JSON object: "state", "pages", "fault", "cache", "findings", and the list under its own name; each ' +
        'entry of it says whether it is "usable" and, if not, "why", and holds the entry as the server wrote it',
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
      const found = json || findings ? await findingsOf(session) : [];
      const exitCode = await show(what, list, json, found);
      if (findings && !json) await printFindings(found);
      return exitCode;
    });
  },
};

/** The list once it was read; asked for where nobody has announced anything because nobody was asked. */
async function readList(session: HeadlessSession, what: CatalogListName): Promise<AnyList> {
  const { agreement } = await session.view();
  const capabilities = agreement?.serverCapabilities ?? null;
  if (capabilities === null && what !== 'tools') {
    await session.interruptible(session.request('catalog/refresh', { list: what }));
  }
  const isAnnounced = isObject(capabilities?.[listFacts[what].capability]);
  return session.until(async () => {
    const list = await session.request(`catalog/${what}`, {});
    if (list.state === 'loading') return null;
    // Lists are read one after the other, as long as the server is there.
    const isYetToCome =
      list.state === 'not-offered' && isAnnounced && (await session.view()).phase === 'ready';
    return isYetToCome ? null : list;
  });
}

/** What could be read is shown, whatever is wrong with the rest; without any answer the list has failed. */
async function show(
  what: CatalogListName,
  list: AnyList,
  json: boolean,
  found: readonly Finding[],
): Promise<ExitCode> {
  if (json) await printJson(listJson(what, list, found));
  else for (const entry of list.entries) await print(entryText(entry));
  if (list.state === 'not-offered') say(`the server offers no ${what}`);
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
