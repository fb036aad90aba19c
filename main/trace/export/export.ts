import type { Removal } from '#shared/contract/exports.ts';
import type { ExportFormat } from '#shared/contract/exports.ts';
import { writeHar } from './har/har.ts';
import { writeMessages } from './jsonl.ts';
import { writeTrace } from './mcptrace.ts';
import type { Counts, Output } from './output.ts';
import type { Source } from './source.ts';

/** How each format is written. */
const writers: Readonly<Record<ExportFormat, (source: Source, output: Output) => Promise<Counts>>> = {
  mcptrace: writeTrace,
  jsonl: writeMessages,
  har: writeHar,
};

/** What an export held, and what it left out. */
export interface Exported extends Counts {
  readonly removals: Removal[];
  readonly removed: number;
}

/** Writes what a source holds. @throws FaultError when it cannot be read, written or be of this format */
export async function exportTo(source: Source, format: ExportFormat, output: Output): Promise<Exported> {
  const counts = await writers[format](source, output);
  return { ...counts, removals: source.removals.list, removed: source.removals.count };
}
