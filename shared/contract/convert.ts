import { z } from 'zod';
import { defineArea } from './area.ts';
import { fileErrorSchema } from './saved-calls.ts';

/** Limit of characters of a file of another tool. */
const MAX_FOREIGN_FILE = 64 * 1024 * 1024;

/** The tools whose files can be converted, and what becomes of them. */
export const foreignFormats = [
  'mcp-assert',
  'mcp-recorder',
  'mcp-cassette-npm',
  'mcp-cassette-pypi',
  'mcpsnoop',
  'inspector',
  'har',
  'jsonl',
  'claude-desktop',
  'vscode',
] as const;
export type ForeignFormat = (typeof foreignFormats)[number];

export const convertedSchema = z.object({
  format: z.enum(foreignFormats),
  /** The ending of the name that the text should get. */
  ending: z.enum(['.mcptest.yaml', '.mcptrace']),
  text: z.string(),
  /** Calls of a test file, or messages of a trace. */
  entries: z.number().int(),
  /** What the file does not say, so that a trace made of it lacks it; empty for a test file. */
  lacks: z.array(z.string()),
  /** What the text does not have, each with its place in the file. */
  unsupported: z.array(fileErrorSchema),
});
export type Converted = z.infer<typeof convertedSchema>;

export const convertArea = defineArea({
  commands: {
    /** Converts the text of a file of another tool. Fails with `bad-foreign-file` at its first error, by line. */
    'convert/text': {
      params: z.object({ name: z.string(), text: z.string().max(MAX_FOREIGN_FILE) }),
      result: convertedSchema,
    },
  },
  events: {},
});
