import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { kindOf } from '#files/file-kinds.ts';
import { readNamedText } from '#files/named-file.ts';
import type { Engine } from '#main/platform.ts';
import { type ForeignFormat, foreignFormats } from '#shared/contract/convert.ts';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import { formatQuantity } from '#shared/format.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { exitCodeOf, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { OpenedFile } from '#hosts/cli/opened-file.ts';
import { existingFolder, quoted } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';

const optionsSchema = z.object({
  out: z.string().min(1, 'wants the name of a file or a folder').optional(),
  json: z.boolean().default(false),
});

const argsSchema = z.tuple([z.array(z.string()).min(1)]);

/** A file to convert, and where the new one goes, without its ending. */
interface Source {
  readonly file: string;
  readonly target: string;
}

/** What became of a file. */
type Converted =
  | ({ readonly file: string } & Pick<Result<'convert/text'>, 'format' | 'entries' | 'lacks' | 'unsupported'>)
  | { readonly source: string; readonly fault: Fault };

/** Converts files of other tools. */
export const convertCommand: CliCommand = {
  usage: 'convert <paths...>',
  summary:
    'convert recordings and logs of other tools to traces, and assertions of mcp-assert to saved calls',
  options: [
    [
      '-o, --out <path>',
      'the new file, or of several the folder; by default beside the other one, as NAME.mcptest.yaml or NAME.mcptrace',
    ],
    [
      '--json',
      'print one JSON object: "file", "format", "entries", what the file does not say as "lacks", and "unsupported"; of several all in "files"',
    ],
  ],
  notes: `These become traces: cassettes of mcp-recorder and of mcp-cassette (npm, PyPI), session logs of mcpsnoop, the history that the MCP
Inspector exports, HAR files, bare messages (JSON Lines, as "sightglass export --to jsonl" writes them), logs of Claude Desktop
(mcp-server-NAME.log) and the MCP logs of VS Code. Such a trace is marked "rebuilt", with what it lacks; secrets are replaced as in an
export. A line that is no message is kept as one. Assertions of mcp-assert become a test file.
A folder stands for all .yaml, .yml, .json, .jsonl, .ndjson, .har and mcp*.log files in it and below, except ${TEST_FILE_END} files. What a new file does not have is named as
FILE:LINE:COLUMN. A file with an error is refused with the line of the error, and the others are converted. Nothing is ever
overwritten. {{fixture}} becomes the variable fixture: sightglass test FILE --var fixture=FOLDER.

Examples: sightglass convert evals/search.yaml -o search${TEST_FILE_END}
          sightglass convert evals -o tests
          sightglass convert cassettes/golden.json && sightglass replay cassettes/golden.mcptrace -- node server.js`,
  ends: {
    1: 'converted, but not all of it is supported',
    2: 'wrong usage, or a file has an error or is of another kind',
    3: 'a file could not be read, or the new one not written',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('convert wants files, and no server');
    const [paths] = argsSchema.parse(args);
    const { out, json } = parseOptions(optionsSchema, options);
    const isSingle = paths.length === 1 && !isFolder(paths[0] ?? '');
    const sources = isSingle ? [sourceOf(paths[0] ?? '', out)] : sourcesOf(paths, out ?? null);
    const done: Converted[] = [];
    await OpenedFile.inEngine(async (engine) => {
      for (const source of sources) {
        const one = await convert(engine, source, isSingle ? out : undefined);
        done.push(one);
        if ('fault' in one) say(faultText(one.fault));
        else if (!json) {
          for (const { line, column, message } of one.unsupported)
            say(visibleText(`${source.file}:${line}:${column}: ${message}`));
          if (one.lacks.length > 0)
            say(visibleText(`${one.file} is rebuilt; it lacks ${one.lacks.join('; ')}`));
        }
      }
    });
    await report(done, { json, isSingle });
    const faults = done.flatMap((one) => ('fault' in one ? [exitCodeOf(one.fault)] : []));
    if (faults.length > 0)
      return faults.includes(exitCodes.unavailable) ? exitCodes.unavailable : exitCodes.usage;
    return done.some((one) => 'file' in one && one.unsupported.length > 0)
      ? exitCodes.findings
      : exitCodes.fine;
  },
};

/** @throws FaultError if nothing that can be read is there */
const isFolder = (path: string): boolean => kindOf(path, 'a file of another tool') === 'folder';

const withoutEnding = (file: string): string => join(dirname(file), basename(file).replace(/\.[^.]+$/, ''));

/** @throws UsageError if there is no such file, or no folder for the new one */
function sourceOf(file: string, out: string | undefined): Source {
  if (out !== undefined) existingFolder('--out', dirname(resolve(out)));
  return { file, target: withoutEnding(file) };
}

/** The files of several paths, in the order of their names in each folder. @throws UsageError */
function sourcesOf(paths: readonly string[], out: string | null): Source[] {
  if (out !== null) existingFolder('--out', out);
  const sources = paths.flatMap((path) => {
    if (!isFolder(path))
      return [{ file: path, target: withoutEnding(out === null ? path : join(out, basename(path))) }];
    return foreignFilesIn(path).map((name) => ({
      file: join(path, name),
      target: withoutEnding(join(out ?? path, name)),
    }));
  });
  if (sources.length === 0)
    throw new UsageError(
      `there is no .yaml, .yml, .json, .jsonl, .ndjson, .har or mcp*.log file in ${paths.map(quoted).join(', ')}`,
    );
  return sources;
}

const foreignFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        (/\.(?:ya?ml|json|jsonl|ndjson|har)$/i.test(name) || /^mcp.*\.log$/i.test(basename(name))) &&
        !name.endsWith(TEST_FILE_END) &&
        !name.split(sep).some((part) => part === 'node_modules' || part.startsWith('.')),
    )
    .toSorted();

/** Never rejects for a fault. @param out the name of the new file, if it was given */
async function convert(engine: Engine, { file, target }: Source, out?: string): Promise<Converted> {
  try {
    const text = await readNamedText(resolve(file), 'file of another tool');
    const { format, entries, lacks, unsupported, ending, ...converted } = await request(
      engine,
      'convert/text',
      {
        name: file,
        text,
      },
    );
    const path = resolve(out ?? `${target}${ending}`);
    write(path, converted.text);
    return { file: path, format, entries, lacks, unsupported };
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return { source: file, fault: error.fault };
  }
}

async function report(
  done: readonly Converted[],
  { json, isSingle }: { readonly json: boolean; readonly isSingle: boolean },
): Promise<void> {
  const converted = done.flatMap((one) => ('file' in one ? [one] : []));
  const [first] = converted;
  if (json) {
    if (!isSingle) await printJson(JSON.stringify({ files: done }));
    else if (first !== undefined) await printJson(JSON.stringify(first));
    return;
  }
  const unsupported = converted.reduce((sum, one) => sum + one.unsupported.length, 0);
  const refused = done.length - converted.length;
  const countOf = (format: ForeignFormat) =>
    converted.filter((one) => one.format === format).reduce((sum, { entries }) => sum + entries, 0);
  const what = foreignFormats
    .filter((format) => converted.some((one) => one.format === format))
    .map((format) => {
      const entries = formatQuantity(countOf(format), format === 'mcp-assert' ? 'call' : 'message');
      return `${entries} of ${format}`;
    });
  if (isSingle && first !== undefined)
    await print(`${what.join()} converted, ${unsupported} not supported: ${first.file}`);
  else if (!isSingle)
    await print(
      [
        `${formatQuantity(converted.length, 'file')} converted${what.length === 0 ? '' : `: ${what.join(', ')}`}`,
        `${unsupported} not supported`,
        `${formatQuantity(refused, 'file')} refused`,
      ].join('; '),
    );
}

/** @throws FaultError if the file exists or cannot be written */
function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new FaultError({
      code: existsSync(path) ? 'export-exists' : 'export-not-written',
      what: existsSync(path) ? `There is already a file ${path}.` : `${path} cannot be written.`,
      ...(!existsSync(path) && { why: messageOf(error) }),
      next: existsSync(path)
        ? 'Choose another name with --out, or move that file away.'
        : `Check that you may write to ${dirname(path)}.`,
    });
  }
}
