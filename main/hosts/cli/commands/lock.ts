import { z } from 'zod';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { gates } from '#shared/contract/comparison.ts';
import { catalogsAsComparison, isFailed, printComparison } from '#hosts/cli/comparison-report.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { lockFileText, readLockFile, writeLockFile } from '#hosts/cli/lock-file.ts';
import { print, printJson, say } from '#hosts/cli/output.ts';
import { wrongDeclarations } from '#shared/wrong-declarations.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = z.object({
  check: z.boolean().default(false),
  out: z.string().min(1, 'wants the name of a file').optional(),
  failOn: z.enum(gates).optional(),
  json: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

const LOCK_FILE = 'mcp.lock.json';

/** Writes what a server declares and lists to a file, or compares it with the file. */
export const lockCommand: CliCommand = {
  usage: 'lock',
  summary: 'write what a server declares and lists to a file, and check it against that file later',
  options: [
    ['--check', 'write nothing; compare the server with the file, and print what changed'],
    ['-o, --out <file>', `the lock file; ${LOCK_FILE} in this folder by default`],
    [
      '--fail-on <what>',
      'with --check, exit with 1 on "breaking" changes and those that cannot be decided (default), on changes of "behavior" too, or on "any"',
    ],
    ['--json', 'print what was written, or the changes, as one JSON object'],
    ...sessionOptions,
  ],
  notes: `The file is to be kept in version control: its tools, resources, templates, prompts and capabilities are in one order, whatever the
server does, and local references in schemas are resolved. "sightglass diff --catalog" compares it with a trace or another lock file.
${targetNotes}

Examples: sightglass lock -- node server.js
          sightglass lock --check --fail-on behavior -- node server.js`,
  ends: {
    1: 'with --check: a change that --fail-on names; a list could not be read',
    2: 'wrong usage, or the file is no lock file',
    3: 'could not connect, or the file could not be written',
  },
  run(invocation) {
    const options = parseOptions(optionsSchema, invocation.options);
    if (options.failOn !== undefined && !options.check) throw new UsageError('--fail-on goes with --check');
    const { out = LOCK_FILE } = options;
    const target = readTarget(invocation);
    // Read before a server is started, so that a file which cannot be read is said at once.
    const before = options.check ? readLockFile(out) : lockFileText(out);
    return withSession({ target, json: options.json }, async (session) => {
      await session.ready();
      await askForLogs(session, options.logLevel);
      await session.tools();
      await session.ready();
      const wrong = wrongDeclarations((await session.view()).agreement);
      for (const { text } of wrong) say(text);
      return options.check ? check(session, before ?? '', options) : write(session, before, options);
    });
  },
};

async function write(
  session: HeadlessSession,
  before: string | null,
  { out = LOCK_FILE, json }: Options,
): Promise<ExitCode> {
  const replaces = before === null ? null : { name: out, lock: before };
  const { text, missing, lost } = await session.interruptible(session.request('lock/text', { replaces }));
  const isChanged = before !== text && lost.length === 0;
  if (isChanged) await writeLockFile(out, text);
  for (const list of missing) {
    say(
      lost.length > 0
        ? `the list of ${list}s could not be read whole`
        : `${out} has no ${list}s: that list could not be read whole`,
    );
  }
  if (json) await printJson(JSON.stringify({ file: out, isChanged, missing }));
  else if (lost.length > 0) await print(`${out} was not changed: it has a list that could not be read now`);
  else await print(`${out} ${before === null ? 'written' : isChanged ? 'updated' : 'is up to date'}`);
  return missing.length > 0 ? exitCodes.findings : exitCodes.fine;
}

async function check(session: HeadlessSession, text: string, options: Options): Promise<ExitCode> {
  const { out = LOCK_FILE, failOn = 'breaking', json } = options;
  const lock = { name: out, lock: text };
  const other = { sessionId: session.id };
  const changes = await session.interruptible(session.request('lock/compare', { recorded: lock, other }));
  const comparison = catalogsAsComparison(changes);
  if (json) await printJson(JSON.stringify(changes));
  else await printComparison(comparison, { reporter: 'text', json, failOn }, out);
  return isFailed(comparison, failOn) ? exitCodes.findings : exitCodes.fine;
}
