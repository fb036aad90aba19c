import type { ExportFormat } from '#shared/contract/exports.ts';
import type { ExportSubject } from '#model/exports.ts';

interface FormatLabels {
  readonly label: string;
  /** One line. */
  readonly purpose: string;
  /** What it contains: singular and plural. */
  readonly entry: readonly [one: string, many: string];
  /** Why it is unavailable for a trace; null when it is available. */
  readonly unavailableReason: (subject: Pick<ExportSubject, 'transport'>) => string | null;
}

const alwaysAvailable = () => null;

/** The label of each format. */
export const formatLabels: Readonly<Record<ExportFormat, FormatLabels>> = {
  mcptrace: {
    label: 'Trace file (.mcptrace)',
    purpose: 'Everything as it was recorded. Can be opened in Sightglass again.',
    entry: ['record', 'records'],
    unavailableReason: alwaysAvailable,
  },
  jsonl: {
    label: 'JSON Lines (.jsonl)',
    purpose: 'Only the messages, one per line, for scripts and comparisons.',
    entry: ['message', 'messages'],
    unavailableReason: alwaysAvailable,
  },
  md: {
    label: 'Report (.md)',
    purpose: 'What was connected, what you did, and what went wrong, as text for an issue.',
    entry: ['step', 'steps'],
    unavailableReason: alwaysAvailable,
  },
  har: {
    label: 'HTTP archive (.har)',
    purpose: 'The HTTP exchanges with headers and timings, for network panels and HAR viewers.',
    entry: ['exchange', 'exchanges'],
    unavailableReason: ({ transport }) =>
      transport === 'stdio' ? 'This session used stdio, so it has no HTTP exchanges.' : null,
  },
};
