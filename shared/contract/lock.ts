import { z } from 'zod';
import { defineArea } from './area.ts';
import { comparisonSchema } from './comparison.ts';

/** Limit of characters of a lock file. */
const MAX_LOCK_FILE = 64 * 1024 * 1024;

/** The text of a lock file, and its name to use in errors. */
const lockFileSchema = z.object({ name: z.string(), lock: z.string().max(MAX_LOCK_FILE) });

/** A session or opened trace, or a lock file. */
export const catalogSideSchema = z.union([z.object({ sessionId: z.string() }), lockFileSchema]);
export type CatalogSide = z.infer<typeof catalogSideSchema>;

export const lockArea = defineArea({
  commands: {
    /** What the server of a session or opened trace declares and lists, as the text of a lock file. */
    'lock/text': {
      params: z.object({
        sessionId: z.string(),
        /** The file to be replaced, which must be a lock file of this format. */
        replaces: lockFileSchema.nullable(),
      }),
      result: z.object({
        text: z.string(),
        /** Lists that were not read whole, so that the file does not have them. */
        missing: z.array(z.string()),
        /** Those of them that the file to be replaced has. */
        lost: z.array(z.string()),
      }),
    },
    /** Compares only what two servers declare and list; a recorded session brings the calls that prove a change. */
    'lock/compare': {
      params: z.object({ recorded: catalogSideSchema, other: catalogSideSchema }),
      result: comparisonSchema.pick({ catalog: true, uncomparedLists: true, lostLists: true }),
    },
  },
  events: {},
});
