import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { FlowExportFormat } from '#shared/contract/exports.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import type { CliOption } from './command.ts';
import { type ExitCode, exitCodes } from './exit.ts';
import type { HeadlessSession } from './headless-session.ts';
import { existingFolder } from './option-values.ts';
import { faultText, say } from './output.ts';
import { writeNamed } from './write-named.ts';

/** The options by which `auth` writes its flows to files. */
export const flowFileOptions: readonly CliOption[] = [
  ['--report <file>', 'write the flows as a report in Markdown: each step, its verdict, every finding'],
  ['--har <file>', 'write the exchanges of the flows as an HTTP archive, with their steps and findings'],
];

export const flowFileSchema = z.object({ report: z.string().optional(), har: z.string().optional() });
type FlowFiles = z.infer<typeof flowFileSchema>;

const units: Readonly<Record<FlowExportFormat, string>> = { md: 'step', har: 'exchange' };

/** The files to write, with their formats. @throws UsageError if the folder of one does not exist */
export function flowFiles({ report, har }: FlowFiles): readonly (readonly [FlowExportFormat, string])[] {
  const named = [
    ['md', '--report', report],
    ['har', '--har', har],
  ] as const;
  return named.flatMap(([format, option, file]) => {
    if (file === undefined) return [];
    const path = resolve(file);
    existingFolder(option, dirname(path));
    return [[format, path] as const];
  });
}

/** Runs the work of a command, and writes the flows of its session in the end, whatever came of them. */
export async function withFlowFiles(
  session: HeadlessSession,
  files: ReturnType<typeof flowFiles>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  let isWritten = false;
  let exitCode: ExitCode;
  try {
    exitCode = await work();
  } finally {
    isWritten = await writeFlowFiles(session, files);
  }
  return isWritten || exitCode !== exitCodes.fine ? exitCode : exitCodes.unavailable;
}

/** Says what was written, or why it was not; returns whether every file was written. */
async function writeFlowFiles(
  session: HeadlessSession,
  files: ReturnType<typeof flowFiles>,
): Promise<boolean> {
  if (files.length === 0) return true;
  const { redactionPatterns: patterns } = await session.request('settings/read', {});
  let isWritten = true;
  for (const [format, file] of files) {
    try {
      const { path, entries, removed, bytes } = await writeNamed(file, format, (own) =>
        session.request('exports/write-flow', { flowId: null, format, patterns, path: own }),
      );
      say(
        `${formatQuantity(entries, units[format])}, ${formatQuantity(removed, 'secret')} replaced, ${formatCount(bytes)} bytes: ${path}`,
      );
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      isWritten = false;
    }
  }
  return isWritten;
}
