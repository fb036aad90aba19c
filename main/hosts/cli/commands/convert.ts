import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { exitCodeOf, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { OpenedFile } from '#hosts/cli/opened-file.ts';
import { existingFolder, quoted } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';

const optionsSchema = z.object({
  out: z.string().min(1, 'wants the name of a file').optional(),
  json: z.boolean().default(false),
});

const argsSchema = z.tuple([z.string()]);

/** Converts a file of another tool. */
export const convertCommand: CliCommand = {
  usage: 'convert <file>',
  summary: 'convert an assertion of mcp-assert to saved calls, or a cassette of mcp-recorder to a trace',
  options: [
    [
      '-o, --out <file>',
      'the new file; by default beside the other one, as NAME.mcptest.yaml or NAME.mcptrace',
    ],
    ['--json', 'print what was converted and what is not supported as one JSON object'],
  ],
  notes: `What the new file does not have is named as FILE:LINE:COLUMN. A file with an error is refused with the line of the error. Nothing is
ever overwritten. {{fixture}} becomes the variable fixture: sightglass test FILE --var fixture=FOLDER.

Examples: sightglass convert evals/search.yaml -o search.mcptest.yaml
          sightglass convert cassettes/golden.json && sightglass replay cassettes/golden.mcptrace -- node server.js`,
  ends: {
    1: 'converted, but not all of it is supported',
    2: 'wrong usage, or the file has an error or is of another kind',
    3: 'the file could not be read, or the new one not written',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('convert wants a file, and no server');
    const [file] = argsSchema.parse(args);
    const { out, json } = parseOptions(optionsSchema, options);
    try {
      const text = read(file);
      const converted = await OpenedFile.inEngine((engine) =>
        request(engine, 'convert/text', { name: file, text }),
      );
      const path = resolve(
        out ?? join(dirname(file), basename(file).replace(/\.[^.]+$/, '') + converted.ending),
      );
      existingFolder('--out', dirname(path));
      write(path, converted.text);
      const { format, entries, unsupported } = converted;
      if (json) await printJson(JSON.stringify({ file: path, format, entries, unsupported }));
      else {
        for (const { line, column, message } of unsupported)
          say(visibleText(`${file}:${line}:${column}: ${message}`));
        const what = formatQuantity(entries, converted.ending === '.mcptrace' ? 'message' : 'call');
        await print(`${what} of ${format} converted, ${unsupported.length} not supported: ${path}`);
      }
      return unsupported.length > 0 ? exitCodes.findings : exitCodes.fine;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      return exitCodeOf(error.fault);
    }
  },
};

/** @throws FaultError */
function read(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') throw new UsageError(`there is no file ${quoted(file)}`);
    throw new FaultError({
      code: 'test-file-not-read',
      what: `${file} cannot be read.`,
      why: messageOf(error),
      next: 'Check that it is a file that you may read.',
    });
  }
}

/** @throws FaultError if the file exists or cannot be written */
function write(path: string, text: string): void {
  try {
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
