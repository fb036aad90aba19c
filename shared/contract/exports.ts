import { z } from 'zod';
import { defineArea } from './area.ts';
import { findingSchema } from './checks.ts';
import { rowChoiceSchema } from './trace.ts';

export const exportFormats = ['mcptrace', 'jsonl', 'har', 'md'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What an export replaces, besides the secrets that the record never had. */
export const redactionSchema = z.object({
  /** Tokens, cookies, and credentials in headers, URLs, environment variables and members with names of secrets. */
  isOn: z.boolean(),
  /** Regular expressions of the user; each match is replaced. */
  patterns: z.array(z.string().min(1)),
});
export type Redaction = z.infer<typeof redactionSchema>;

/** Whether a trace file of chosen rows has the standard error during their calls; `if-failed`: when one of these failed. */
export const stderrChoiceSchema = z.enum(['with', 'without', 'if-failed']);
export type StderrChoice = z.infer<typeof stderrChoiceSchema>;

/** What an authorization flow can be exported to: a report for people, and its HTTP exchanges. */
export const flowExportFormats = ['md', 'har'] as const;
export type FlowExportFormat = (typeof flowExportFormats)[number];

const exportParamsSchema = z.object({
  sessionId: z.string(),
  rows: rowChoiceSchema,
  format: z.enum(exportFormats),
  redaction: redactionSchema,
  /** Whether to add the rest of the exchanges of these rows, the handshake and the lists. */
  isWhole: z.boolean().exactOptional(),
  /** By default `without`. Other formats ignore it. */
  stderr: stderrChoiceSchema.exactOptional(),
});

/** One kind of value that an export replaces. */
export const removalSchema = z.object({
  /** Such as `header Authorization`, `member access_token`, `pattern 1`. */
  kind: z.string(),
  /** How often. */
  count: z.number().int(),
  /** The first row with it, and its surroundings there, with the placeholder in its place. */
  row: z.number().int(),
  sample: z.string(),
});
export type Removal = z.infer<typeof removalSchema>;

/** How the rows of the file relate to those that were asked for. */
const rowsOfFile = {
  /** Rows that the page listed, or that were selected. */
  listed: z.number().int(),
  /** These, and what is folded into them. */
  chosen: z.number().int(),
  /** Further rows in the file, because calls and exchanges are exported whole, or for the standard error during them. */
  added: z.number().int(),
  /** How many of the added ones are messages, which a filter may have meant to leave out. */
  addedMessages: z.number().int(),
  /** How many of the added ones are lines of standard error. */
  addedStderr: z.number().int(),
};
export type RowsOfFile = z.infer<z.ZodObject<typeof rowsOfFile>>;

/** Findings in the chosen rows: the first ones, redacted, and the count of all. */
const findingsOfRows = {
  findings: z.array(findingSchema),
  findingCount: z.number().int(),
};

export const exportsArea = defineArea({
  commands: {
    /** What an export would contain and replace. Writes nothing. */
    'exports/preview': {
      params: exportParamsSchema,
      result: z.object({
        /** Records, messages or exchanges, by the format. */
        entries: z.number().int(),
        /** Chosen rows that this format cannot hold, such as noise in JSONL. */
        leftOut: z.number().int(),
        removals: z.array(removalSchema),
        /** Whether the standard error during the chosen calls is included. */
        hasStderr: z.boolean(),
        /** Count of all replaced values. */
        removed: z.number().int(),
        ...rowsOfFile,
        ...findingsOfRows,
      }),
    },
    /** A free path for an export. */
    'exports/suggest': {
      params: z.object({
        sessionId: z.string(),
        format: z.enum(exportFormats),
        /** Number of the authorization flow that is exported; without it the trace is. */
        flow: z.number().int().exactOptional(),
      }),
      result: z.object({ path: z.string() }),
    },
    /** Writes an export to a new file. Never overwrites an existing one. */
    'exports/write': {
      params: exportParamsSchema.extend({ path: z.string().min(1) }),
      result: z.object({
        path: z.string(),
        entries: z.number().int(),
        leftOut: z.number().int(),
        bytes: z.number(),
        removed: z.number().int(),
        ...rowsOfFile,
        ...findingsOfRows,
      }),
    },
    /** Writes an authorization flow to a new file, without secrets. Never overwrites an existing one. */
    'exports/write-flow': {
      params: z.object({
        sessionId: z.string(),
        /** Null for all flows of the session. */
        flowId: z.string().nullable(),
        format: z.enum(flowExportFormats),
        /** Regular expressions of the user; each match is replaced, as the secrets are. */
        patterns: z.array(z.string().min(1)),
        path: z.string().min(1),
      }),
      result: z.object({
        path: z.string(),
        /** Steps of a report, exchanges of a HAR. */
        entries: z.number().int(),
        bytes: z.number(),
        /** Count of all replaced values. */
        removed: z.number().int(),
      }),
    },
  },
  events: {},
});
