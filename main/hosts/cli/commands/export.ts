import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import {
  type ExportFormat,
  exportFormats,
  type Redaction,
  type Removal,
  type StderrChoice,
} from '#shared/contract/exports.ts';
import type { Finding } from '#shared/contract/checks.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { faultText, print, printBytes, printJson, say } from '#hosts/cli/output.ts';
import { findingJson, sayFindings } from '#hosts/cli/findings.ts';
import { existingFolder } from '#hosts/cli/option-values.ts';
import { Interrupted } from '#hosts/cli/headless-session.ts';
import { endOfFault, OpenedFile } from '#hosts/cli/opened-file.ts';
import { writeNamed } from '#hosts/cli/write-named.ts';

const optionsSchema = z.object({
  to: z.enum(exportFormats),
  out: z.string().min(1, 'wants the name of a file').optional(),
  filter: z.string().optional(),
  withStderr: z.boolean().default(false),
  redact: z.enum(['default', 'off']).default('default'),
  redactPattern: z.array(z.string().min(1, 'wants a regular expression')).default([]),
  preview: z.boolean().default(false),
  json: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string()]);

interface ExportParams {
  readonly rows: RowChoice;
  readonly format: ExportFormat;
  readonly redaction: Redaction;
  readonly stderr: StderrChoice;
}

/** Exports a trace without its secrets. */
export const exportCommand: CliCommand = {
  usage: 'export <file>',
  summary: 'export a trace file to share it, without its secrets',
  options: [
    ['--to <format>', `the format: ${exportFormats.join(', ')}`],
    [
      '-o, --out <file>',
      'write to this new file, named exactly so; by default to stdout, a .mcptrace to a new file beside the trace',
    ],
    ['--filter <text>', 'only the rows that match, in the filter language of the trace'],
    ['--with-stderr', 'with --filter, add the standard error during the matching calls to a .mcptrace'],
    [
      '--redact <what>',
      '"default" replaces tokens, cookies, passwords and the like by placeholders; "off" does not',
    ],
    ['--redact-pattern <regex>', 'replace what matches this regular expression too', 'repeatable'],
    ['--preview', 'write nothing, and list what would be replaced'],
    ['--json', 'print what was written, or would be, as one JSON object; with -o or --preview'],
  ],
  notes: `mcptrace: a trace file again. jsonl: bare messages, one a line. har: the HTTP exchanges, for browsers and other viewers.
md: a report for an issue: what was connected, on what, the steps, the errors, the findings, the last standard error.
Patterns from the app's settings also apply, unless --redact off is given. Nothing is ever overwritten.
Findings in the exported rows are printed on stderr, and included in --json; "--filter is:found" exports only those.

Examples: sightglass export session.mcptrace --to jsonl
          sightglass export session.mcptrace --to har -o session.har --filter 'method:tools/call'
          sightglass export session.mcptrace --to mcptrace --redact-pattern 'ACME-[0-9]+' --preview`,
  ends: {
    1: 'the trace could not be read to its end',
    2: 'wrong usage, or the file is no trace',
    3: 'the export could not be written',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('export wants a trace file, and no server');
    const [file] = argsSchema.parse(args);
    const parsed = parseOptions(optionsSchema, options);
    const isToStdout = parsed.out === undefined && parsed.to !== 'mcptrace';
    if (parsed.json && isToStdout && !parsed.preview) {
      throw new UsageError('--json goes with -o or --preview, because the export itself is printed');
    }
    if (parsed.withStderr && (parsed.to !== 'mcptrace' || parsed.filter === undefined)) {
      throw new UsageError('--with-stderr goes with --to mcptrace and --filter: a whole trace has it anyway');
    }
    try {
      return await OpenedFile.use(resolve(file), async (trace, { faults, unfinished }) => {
        for (const fault of faults) say(faultText(fault));
        if (unfinished > 0 && !faults.some(({ code }) => code === 'trace-torn'))
          say(unfinishedText(unfinished));
        const params = await exportParams(trace, parsed);
        if (parsed.preview) return preview(trace, params, parsed.json);
        if (isToStdout) return toStdout(trace, params);
        return toFile(trace, params, parsed.out ?? freePathBeside(file), parsed.json);
      });
    } catch (error) {
      return endOfFault(error);
    }
  },
};

/** A file that changed recently may still be growing. */
const unfinishedText = (bytes: number): string =>
  `the last line of the file is no whole record and is left out (${formatQuantity(bytes, 'byte')}): ` +
  'it is torn, or is still being written';

async function exportParams(
  trace: OpenedFile,
  { to, filter, withStderr, redact, redactPattern }: Options,
): Promise<ExportParams> {
  const isOn = redact === 'default';
  const { redactionPatterns } = await trace.request('settings/read', {});
  const patterns = isOn ? [...redactPattern, ...redactionPatterns] : redactPattern;
  const rows = filter === undefined ? ({ of: 'all' } as const) : await trace.matching(filter);
  const stderr = withStderr ? 'with' : 'without';
  return { rows, format: to, redaction: { isOn, patterns }, stderr };
}

async function preview(trace: OpenedFile, params: ExportParams, json: boolean): Promise<ExitCode> {
  const found = await trace.request('exports/preview', params);
  if (json) await printJson(withFindings(found));
  else {
    const head = `${summary(params.format, found)}${found.removals.length === 0 ? '' : ':'}`;
    await print([head, ...found.removals.flatMap(removalLines)].join('\n'));
    sayFindings(found.findings, found.findingCount);
  }
  return exitCodes.fine;
}

const withFindings = (exported: { readonly findings: readonly Finding[] }): string =>
  JSON.stringify({ ...exported, findings: exported.findings.map(findingJson) });

const removalLines = ({ kind, count, row, sample }: Removal): string[] => [
  `  ${kind}: ${formatCount(count)}, first in row ${rowNumber(row)}`,
  `    ${sample.replaceAll(/\s+/g, ' ')}`,
];

async function toFile(
  trace: OpenedFile,
  params: ExportParams,
  out: string,
  json: boolean,
): Promise<ExitCode> {
  const path = resolve(out);
  existingFolder('--out', dirname(path));
  const written = await writeTo(trace, params, path);
  if (json) await printJson(withFindings(written));
  else {
    await print(`${summary(params.format, written)}, ${formatCount(written.bytes)} bytes: ${written.path}`);
    sayFindings(written.findings, written.findingCount);
  }
  return exitCodes.fine;
}

/** Through a temporary file: the thread that reads the trace writes the export. */
async function toStdout(trace: OpenedFile, params: ExportParams): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-export-'));
  try {
    const written = await trace.request('exports/write', {
      ...params,
      path: join(folder, `out.${params.format}`),
    });
    const content = createReadStream(written.path);
    // Control characters are shown as escapes.
    if (process.stdout.isTTY) for await (const line of createInterface(content)) await printJson(line);
    else for await (const bytes of content) await printBytes(z.instanceof(Buffer).parse(bytes));
    say(summary(params.format, written));
    sayFindings(written.findings, written.findingCount);
    return exitCodes.fine;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Leaves no incomplete file behind on interruption. */
async function writeTo(trace: OpenedFile, params: ExportParams, path: string) {
  const ending = `.${params.format}`;
  if (!path.toLowerCase().endsWith(ending)) {
    return writeNamed(path, params.format, (own) => trace.request('exports/write', { ...params, path: own }));
  }
  const wasThere = existsSync(path);
  try {
    return await trace.request('exports/write', { ...params, path });
  } catch (error) {
    if (error instanceof Interrupted && !wasThere) await rm(path, { force: true });
    throw error;
  }
}

const units: Readonly<Record<ExportFormat, string>> = {
  mcptrace: 'record',
  jsonl: 'message',
  har: 'exchange',
  md: 'step',
};

function summary(
  format: ExportFormat,
  {
    entries,
    leftOut,
    removed,
    addedMessages,
    addedStderr,
  }: { entries: number; leftOut: number; removed: number; addedMessages: number; addedStderr: number },
): string {
  return [
    formatQuantity(entries, units[format]),
    ...(addedMessages === 0
      ? []
      : [
          `with ${formatQuantity(addedMessages, 'message')} that ${addedMessages === 1 ? 'was' : 'were'} not chosen, to complete the chosen ones`,
        ]),
    ...(addedStderr === 0
      ? []
      : [`with ${formatQuantity(addedStderr, 'line')} of standard error during the chosen calls`]),
    ...(leftOut === 0
      ? []
      : [
          `${formatQuantity(leftOut, 'row')} left out that ${leftOut === 1 ? 'is' : 'are'} no ${units[format]}`,
        ]),
    `${formatQuantity(removed, 'secret')} replaced`,
  ].join(', ');
}

/** A name for a copy of the trace, beside it. */
function freePathBeside(file: string): string {
  const name = basename(file).replace(/\.mcptrace$/i, '');
  const path = (count: number) =>
    join(dirname(resolve(file)), `${name}-shared${count === 1 ? '' : `-${count}`}.mcptrace`);
  let count = 1;
  while (existsSync(path(count))) count++;
  return path(count);
}
