import type { ExportFormat } from '#shared/contract/exports.ts';
import type { ExportSubject } from '#model/exports.ts';

interface FormatLabels {
  readonly label: string;
  /** What it is for, in one line. */
  readonly purpose: string;
  /** One thing in it, and several. */
  readonly entry: readonly [one: string, many: string];
  /** Why a trace cannot be written in it; null when it can. */
  readonly unavailableReason: (subject: Pick<ExportSubject, 'transport'>) => string | null;
}

const alwaysAvailable = () => null;

/** What people are told of each format. */
export const formatLabels: Readonly<Record<ExportFormat, FormatLabels>> = {
  mcptrace: {
    label: 'Trace file (.mcptrace)',
    purpose: 'Everything as it was recorded, to be opened in Sightglass again.',
    entry: ['record', 'records'],
    unavailableReason: alwaysAvailable,
  },
  jsonl: {
    label: 'JSON Lines (.jsonl)',
    purpose: 'The bare messages, one a line, for scripts and for comparing.',
    entry: ['message', 'messages'],
    unavailableReason: alwaysAvailable,
  },
  har: {
    label: 'HTTP archive (.har)',
    purpose: 'The HTTP exchanges with headers and times, for network panels and HAR viewers.',
    entry: ['exchange', 'exchanges'],
    unavailableReason: ({ transport }) =>
      transport === 'stdio' ? 'This session went over stdio: there are no HTTP exchanges in it.' : null,
  },
};
