import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { endOfFault, OpenedFile } from '#hosts/cli/opened-file.ts';
import { existingFolder, wholeNumber } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';
import { writeNamed } from '#hosts/cli/write-named.ts';

const rowNumber = wholeNumber(1, 1_000_000_000).optional();

const optionsSchema = z.object({
  out: z.string({ error: 'is needed: the name of the new file' }).min(1, 'wants the name of a file'),
  only: z.string().optional(),
  from: rowNumber,
  to: rowNumber,
  redact: z.boolean().default(false),
  force: z.boolean().default(false),
  json: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string()]);

/** Writes a smaller trace with some exchanges of a trace. */
export const trimCommand: CliCommand = {
  usage: 'trim <file>',
  summary: 'write a smaller trace with only some exchanges of a trace file',
  options: [
    ['-o, --out <file>', 'the new trace file'],
    ['--only <filter>', 'the rows to keep, in the filter language of the trace'],
    ['--from <row>', 'keep this row and those after it, by the number that the trace shows'],
    ['--to <row>', 'keep this row and those before it'],
    ['--redact', 'replace tokens, cookies, passwords and the like by placeholders, as "export" does'],
    ['--force', 'replace the new file if it exists'],
    ['--json', 'print what was kept and left out as one JSON object'],
  ],
  notes: `The handshake, the lists of tools, resources, templates and prompts, and how the session went are kept whatever is chosen. An exchange is
kept as a whole: request, response, progress, what the server asked during it, and its HTTP exchange. The original stays as it is.

Examples: sightglass trim session.mcptrace --only tool:pay -o pay.mcptrace
          sightglass trim session.mcptrace --from 120 --to 180 --redact -o bug.mcptrace`,
  ends: {
    1: 'nothing was chosen',
    2: 'wrong usage, the file is no trace, or the new file exists',
    3: 'the new file could not be written',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('trim wants a trace file, and no server');
    const [file] = argsSchema.parse(args);
    const parsed = parseOptions(optionsSchema, options);
    const filter = filterOf(parsed);
    const out = resolve(parsed.out);
    existingFolder('--out', dirname(out));
    if (out === resolve(file)) throw new UsageError('--out wants another file than the trace itself');
    try {
      return await OpenedFile.inEngine(async (engine, interruption) => {
        const open = async (path: string): Promise<OpenedFile> => {
          const { file: trace, opened } = await OpenedFile.openIn(engine, path, interruption);
          for (const fault of opened.faults) say(faultText(fault));
          return trace;
        };
        const trace = await open(resolve(file));
        const written = await write(trace, filter, out, parsed);
        if (written !== null) return report(trace, await open(out), { ...written, out }, parsed);
        say('nothing matches; no file was written');
        return exitCodes.findings;
      });
    } catch (error) {
      return endOfFault(error);
    }
  },
};

/** The filter for the options. @throws UsageError */
function filterOf({ only, from, to }: Options): string {
  if (only === undefined && from === undefined && to === undefined)
    throw new UsageError('trim wants --only, or --from and --to: what to keep');
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
  const range = [
    ...(from === undefined ? [] : [`row:>=${from}`]),
    ...(to === undefined ? [] : [`row:<=${to}`]),
  ];
  return [...(only === undefined ? [] : [`(${only})`]), ...range].join(' ');
}

/** Writes the new file; returns null if nothing is chosen. */
async function write(
  trace: OpenedFile,
  filter: string,
  out: string,
  { redact, force }: Options,
): Promise<{ bytes: number; removed: number } | null> {
  const rows = await trace.matching(filter);
  const chosen = await trace.request('trace/rows', { filterId: rows.filterId, from: 0, count: 1 });
  if (chosen.total === 0) return null;
  const { redactionPatterns } = await trace.request('settings/read', {});
  const redaction = { isOn: redact, patterns: redact ? redactionPatterns : [] };
  const params = { rows, format: 'mcptrace', redaction, isWhole: true } as const;
  return writeNamed(out, 'mcptrace', (path) => trace.request('exports/write', { ...params, path }), force);
}

async function report(
  trace: OpenedFile,
  trimmed: OpenedFile,
  { out, bytes, removed }: { out: string; bytes: number; removed: number },
  { json, redact }: Options,
): Promise<ExitCode> {
  const [before, after] = await Promise.all([countsOf(trace), countsOf(trimmed)]);
  const calls = [...before.calls]
    .map(([name, count]) => ({ name, count: count - (after.calls.get(name) ?? 0) }))
    .filter(({ count }) => count > 0);
  const leftOut = { rows: before.rows - after.rows, calls };
  if (json) {
    await printJson(JSON.stringify({ file: out, rows: after.rows, bytes, removed, leftOut }));
  } else {
    await print(
      [
        `${formatQuantity(after.rows, 'row')} of ${formatCount(before.rows)} kept: ${out}`,
        ...(redact ? [`${formatQuantity(removed, 'secret')} replaced`] : []),
        ...calls.map(({ name, count }) => visibleText(`left out: ${formatCount(count)} × ${name}`)),
      ].join('\n'),
    );
  }
  return exitCodes.fine;
}

/** How many rows a trace has, and how many requests and notifications of each method and tool. */
async function countsOf(trace: OpenedFile): Promise<{ rows: number; calls: Map<string, number> }> {
  const { rows } = await trace.request('trace/summary', {});
  const { calls } = await trace.request('trace/statistics', { rows: { of: 'all' } });
  const named = calls.map(
    ({ method, tool, count }) => [[method, tool ?? ''].join(' ').trim(), count] as const,
  );
  const counts = new Map<string, number>();
  for (const [name, count] of named) counts.set(name, (counts.get(name) ?? 0) + count);
  return { rows, calls: counts };
}
