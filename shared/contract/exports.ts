import { z } from 'zod';
import { defineArea } from './area.ts';
import { findingSchema } from './checks.ts';
import { rowChoiceSchema } from './trace.ts';

export const exportFormats = ['mcptrace', 'jsonl', 'har'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What is taken out of an export beside what never reached the record. */
export const redactionSchema = z.object({
  /** Tokens, cookies, credentials in headers, addresses, environment and members named like secrets. */
  isOn: z.boolean(),
  /** The user's own patterns: regular expressions, each match is replaced. */
  patterns: z.array(z.string().min(1)),
});
export type Redaction = z.infer<typeof redactionSchema>;

const exportParamsSchema = z.object({
  sessionId: z.string(),
  rows: rowChoiceSchema,
  format: z.enum(exportFormats),
  redaction: redactionSchema,
});

/** One thing that an export leaves out. */
export const removalSchema = z.object({
  /** What it is, such as `header Authorization`, `member access_token`, `pattern 1`. */
  kind: z.string(),
  /** How often. */
  count: z.number().int(),
  /** The row where it stands first, and what stands around it there, itself as a placeholder. */
  row: z.number().int(),
  sample: z.string(),
});
export type Removal = z.infer<typeof removalSchema>;

/** What the checks found in the chosen rows, the first of it without its secrets, and how much there is. */
const findingsOfRows = {
  findings: z.array(findingSchema),
  findingCount: z.number().int(),
};

export const exportsArea = defineArea({
  commands: {
    /** What an export would hold and what it would leave out, nothing written. */
    'exports/preview': {
      params: exportParamsSchema,
      result: z.object({
        /** Records, messages or exchanges, by the format. */
        entries: z.number().int(),
        /** Chosen rows that this format has no place for, such as noise in JSONL. */
        leftOut: z.number().int(),
        removals: z.array(removalSchema),
        /** How many values are left out in all. */
        removed: z.number().int(),
        ...findingsOfRows,
      }),
    },
    /** A path where an export may go. */
    'exports/suggest': {
      params: z.object({ sessionId: z.string(), format: z.enum(exportFormats) }),
      result: z.object({ path: z.string() }),
    },
    /** Writes an export to a new file; never over one that is there. */
    'exports/write': {
      params: exportParamsSchema.extend({ path: z.string().min(1) }),
      result: z.object({
        path: z.string(),
        entries: z.number().int(),
        leftOut: z.number().int(),
        bytes: z.number(),
        removed: z.number().int(),
        ...findingsOfRows,
      }),
    },
  },
  events: {},
});
