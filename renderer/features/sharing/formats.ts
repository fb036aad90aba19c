import type { ExportFormat, RowsOfFile } from '#shared/contract/exports.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import type { ExportSubject } from '#model/exports.ts';

interface FormatLabels {
  readonly label: string;
  /** One line. */
  readonly purpose: string;
  /** What is not in the file. One line. */
  readonly omits: string;
  /** What it contains: singular and plural. */
  readonly entry: readonly [one: string, many: string];
  /** Why it may contain messages that were not chosen; null if it never does. */
  readonly completes: string | null;
  /** Why it is unavailable for a trace; null when it is available. */
  readonly unavailableReason: (subject: Pick<ExportSubject, 'transport'>) => string | null;
}

const alwaysAvailable = () => null;

/** The label of each format. */
export const formatLabels: Readonly<Record<ExportFormat, FormatLabels>> = {
  mcptrace: {
    label: 'Trace file (.mcptrace)',
    purpose: 'Everything that was recorded, with secrets replaced. Can be opened in Sightglass again.',
    omits: 'Of chosen rows: without the rest, such as standard error.',
    entry: ['row', 'rows'],
    completes: 'a call is exported whole',
    unavailableReason: alwaysAvailable,
  },
  jsonl: {
    label: 'JSON Lines (.jsonl)',
    purpose: 'Only the messages, one per line, for scripts and comparisons.',
    omits: 'Without standard error, processes, phases, HTTP, non-JSON text.',
    entry: ['message', 'messages'],
    completes: null,
    unavailableReason: alwaysAvailable,
  },
  md: {
    label: 'Report (.md)',
    purpose: 'What was connected, what you did, and what went wrong, as text for an issue.',
    omits: 'Without whole messages, HTTP and phases; long lists are cut.',
    entry: ['step', 'steps'],
    completes: 'a failed step is reported with its response',
    unavailableReason: alwaysAvailable,
  },
  har: {
    label: 'HTTP archive (.har)',
    purpose: 'The HTTP exchanges with headers and timings, for network panels and HAR viewers.',
    omits: 'Without standard error, processes and phases: HTTP only.',
    entry: ['exchange', 'exchanges'],
    completes: 'an exchange is exported whole',
    unavailableReason: ({ transport }) =>
      transport === 'stdio' ? 'This session used stdio, so it has no HTTP exchanges.' : null,
  },
};

/** What a file contains: rows of a trace file, counted as the trace counts them, or the entries of its format. */
export const contentOf = (
  format: ExportFormat,
  { entries, chosen, added }: RowsOfFile & { readonly entries: number },
): string => formatQuantity(format === 'mcptrace' ? chosen + added : entries, ...formatLabels[format].entry);

/** How the rows of a file differ from those that were asked for, in words; null if they do not. */
export function rowsInWords(
  format: ExportFormat,
  choice: RowChoice['of'],
  { listed, chosen, added, addedStderr }: RowsOfFile,
): string | null {
  const completing = added - addedStderr;
  const folded = Math.max(0, chosen - listed);
  const { completes } = formatLabels[format];
  if (choice === 'all' || folded + added === 0) return null;
  const parts = [
    formatQuantity(listed, choice === 'rows' ? 'selected row' : 'listed row'),
    folded > 0 && `${formatCount(folded)} folded into ${listed === 1 ? 'it' : 'them'}`,
    completing > 0 && `${formatCount(completing)} more because ${completes ?? 'they belong together'}`,
    addedStderr > 0 &&
      `${formatQuantity(addedStderr, 'line')} of standard error during ${format === 'md' ? 'failed steps' : 'these calls'}`,
  ];
  return parts.filter(Boolean).join(', ');
}
