import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import type { ErrorGroup } from '#shared/contract/trace.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { existingFolder, quoted, readDuration } from '#hosts/cli/option-values.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { findingJson } from '#hosts/cli/findings.ts';
import { hasEnded, type HeadlessSession, Interrupted } from '#hosts/cli/headless-session.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';
import { rowFollower } from '#hosts/cli/row-follower.ts';
import { askForLogs, sessionOptions, sessionOptionsSchema, withSession } from '#hosts/cli/with-session.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { writeNamed } from '#hosts/cli/write-named.ts';

const optionsSchema = z.object({
  out: z.string().min(1, 'wants the name of a file').optional(),
  for: z.string().optional(),
  redact: z.boolean().default(false),
  json: z.boolean().default(false),
  ...sessionOptionsSchema.shape,
});

/** Records a session, and shows its rows as they come. */
export const recordCommand: CliCommand = {
  usage: 'record',
  summary: 'record a trace of a session and follow it',
  options: [
    ['-o, --out <file>', 'write the trace to this new file instead of one in the data folder'],
    [
      '--redact',
      'with --out: also replace tokens, cookies, passwords and the like in the file, as "export" does',
    ],
    ['--for <time>', 'end after this time, such as 30s, 2m'],
    [
      '--json',
      'print a JSON object a row with its findings (an HTTP exchange once more at its end), and one about the trace with ' +
        'its errors in groups at the end',
    ],
    ...sessionOptions,
  ],
  notes: `Ends when the time is over, on Ctrl-C, or when the server ends by itself. What the checks find in a row is printed
below it, a line with "!" each. Errors that repeat are counted at the end. When more rows come than can be printed by the end, the
trace holds them all, and the last lines say how many were not printed. With --redact the session is recorded to a hidden file
beside the named one first, which is removed when that is written.
${targetNotes}

Example: sightglass record -o server.mcptrace --for 30s -- node server.js`,
  ends: {
    1: 'the session failed after the server had answered',
    3: 'could not connect, the server answered nothing, or the trace could not be written',
  },
  async run(invocation) {
    const { out, for: time, json, redact, logLevel } = parseOptions(optionsSchema, invocation.options);
    const limit = time === undefined ? null : readDuration('--for', time);
    const path = out === undefined ? null : newFile(out);
    if (redact && path === null) throw new UsageError('--redact goes with --out, the file to write');
    if (redact && path !== null && existsSync(path))
      throw new UsageError(`there is already a file ${quoted(path)}`);
    const tracePath = redact && path !== null ? unredactedBeside(path) : path;
    const target = { ...readTarget(invocation), ...(tracePath !== null && { tracePath }) };
    return withSession({ target, json }, async (session) => {
      const [exitCode] = await Promise.all([
        record(session, limit, { json, redactedPath: redact ? path : null }),
        askForLogsWhenReady(session, logLevel),
      ]);
      return exitCode;
    });
  },
};

/** @throws UsageError when its folder does not exist */
function newFile(out: string): string {
  const path = resolve(out);
  existingFolder('--out', dirname(path));
  return path;
}

/** Does nothing for a session that never becomes ready: it reports its own fault. */
async function askForLogsWhenReady(session: HeadlessSession, level: string | undefined): Promise<void> {
  if (level === undefined) return;
  try {
    await session.ready();
    await askForLogs(session, level);
  } catch (error) {
    if (!(error instanceof FaultError || error instanceof Interrupted)) throw error;
  }
}

/** Where the session is recorded first, because a secret may be known only after it was used. */
const unredactedBeside = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}.mcptrace`);

interface RecordOptions {
  readonly json: boolean;
  /** Where to write the trace without its secrets; null to keep it as it was recorded. */
  readonly redactedPath: string | null;
}

async function record(
  session: HeadlessSession,
  limit: number | null,
  { json, redactedPath }: RecordOptions,
): Promise<ExitCode> {
  const follower = await rowFollower(session, json);
  const ended = await session.follow(async (over) => {
    await follower.showNew(over);
    const view = await session.view();
    return hasEnded(view) ? view : null;
  }, limit);
  await session.request('sessions/close', {});
  const notPrinted = await follower.showRest();
  const view = await session.view();
  const silence = follower.hasAnswered() ? null : nothingAnswered;
  const fault = ended?.fault ?? view.traceFile.fault ?? silence;
  const found = await session.request('checks/findings', { from: 0, count: MAX_FINDINGS_PER_PAGE });
  const errorGroups = view.counts.errors === 0 ? [] : await errorGroupsOf(session);
  const redacted = redactedPath === null ? null : await redactTrace(session, view, redactedPath);
  await reportTrace(view, { fault, found, errorGroups, notPrinted, redacted, json });
  if (fault === null) return exitCodes.fine;
  say(faultText(fault));
  return view.agreement === null || fault === silence ? exitCodes.unavailable : exitCodes.findings;
}

/** Writes the trace without its secrets, and removes the recorded one. */
async function redactTrace(session: HeadlessSession, { traceFile }: SessionView, path: string) {
  const { redactionPatterns: patterns } = await session.request('settings/read', {});
  const written = await writeNamed(path, 'mcptrace', (own) =>
    session.request('exports/write', {
      rows: { of: 'all' },
      format: 'mcptrace',
      redaction: { isOn: true, patterns },
      path: own,
    }),
  );
  await rm(traceFile.path, { force: true });
  return written;
}

/** The server got a request in each era, and the recording ended before any response. */
const nothingAnswered: Fault = {
  code: 'nothing-answered',
  what: 'The server answered nothing: no message came from it before the recording ended.',
  next: 'See in the trace whether it wrote anything else, check that it speaks MCP over this transport, or record for longer.',
};

async function errorGroupsOf(session: HeadlessSession): Promise<readonly ErrorGroup[]> {
  return (await session.request('trace/statistics', { rows: { of: 'all' } })).errorGroups;
}

interface Outcome {
  readonly fault: Fault | null;
  readonly found: Result<'checks/findings'>;
  readonly errorGroups: readonly ErrorGroup[];
  /** Rows of a flood that are in the trace only. */
  readonly notPrinted: number;
  /** The file without secrets, and how many were replaced; null if it was not asked for. */
  readonly redacted: { readonly path: string; readonly removed: number } | null;
  readonly json: boolean;
}

async function reportTrace(view: SessionView, outcome: Outcome): Promise<void> {
  const { fault, found, errorGroups, notPrinted, redacted, json } = outcome;
  const { rows, errors, invalid } = view.counts;
  const path = redacted?.path ?? view.traceFile.path;
  const { findings, total } = found;
  if (json) {
    const more = {
      findings: findings.map(findingJson),
      findingCount: total,
      notPrinted,
      ...(redacted !== null && { removed: redacted.removed }),
    };
    return printJson(JSON.stringify({ trace: path, rows, errors, invalid, errorGroups, fault, ...more }));
  }
  const counts = [
    formatQuantity(rows, 'row'),
    formatQuantity(errors, 'error'),
    `${formatCount(invalid)} not valid`,
    ...(total === 0 ? [] : [formatQuantity(total, 'finding')]),
    ...(redacted === null ? [] : [`${formatQuantity(redacted.removed, 'secret')} replaced`]),
  ];
  const left =
    notPrinted === 0 ? '' : `${formatQuantity(notPrinted, 'more row')} in the trace, not printed\n`;
  const repeated = errorGroups.filter(({ count }) => count > 1).slice(0, MAX_REPEATED);
  await print([`${left}${counts.join(', ')}`, ...repeated.map(groupLine), `trace: ${path}`].join('\n'));
}

/** Limit of repeated errors that are printed. */
const MAX_REPEATED = 5;

/** Equal errors as one line: `  3 × tools/call get, error -32602: No row … (#5 to #12)`. */
function groupLine({ kind, method, tool, status, code, text, count, rows, last }: ErrorGroup): string {
  const name = [method ?? kind, tool].filter(Boolean).join(' ');
  const outcome = [status, code].filter((fact) => fact !== null).join(' ');
  const said = text === null ? '' : `: ${text}`;
  const place = `${rowNumber(rows[0] ?? 0)} to ${rowNumber(last)}`;
  return visibleText(`  ${formatCount(count)} × ${name}, ${outcome}${said} (${place})`);
}
