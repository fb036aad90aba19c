import { z } from 'zod';
import { findingSeveritySchema } from '../trace/row.ts';
import { defineArea } from './area.ts';
import { unitBytesSchema } from './sessions.ts';

/** A rule that a message would break if it were sent. It informs the user and blocks nothing. */
export const warningSchema = z.object({
  /** Stable name of the rule, such as `jsonrpc/id-reused`; null for a rule without one. */
  rule: z.string().nullable(),
  severity: findingSeveritySchema,
  /** One sentence, without the full stop. */
  text: z.string(),
  /** Where in the text (RFC 6901), in a batch with the index of the message; null for all of it. */
  pointer: z.string().nullable(),
  /** The row of the trace that it concerns. */
  row: z.number().int().nullable(),
});
export type Warning = z.infer<typeof warningSchema>;

const ofSession = z.object({ sessionId: z.string() });

export const composerArea = defineArea({
  commands: {
    /** What the composer needs to know of a session to make a message. */
    'composer/context': {
      params: ofSession,
      result: z.object({
        /** An id that no request of this session has used or gets later, unless the user makes it up. */
        nextId: z.number().int(),
        /** Members of `_meta` that the era demands in every request, as JSON text; null for none. */
        meta: z.string().nullable(),
      }),
    },
    /** The JSON Schemas of the params of every method that a client may send in a revision; empty for an unknown one. */
    'composer/schemas': {
      params: z.object({ revision: z.string() }),
      result: z.record(z.string(), z.record(z.string(), z.unknown())),
    },
    /**
     * Tells which rules a message would break by the revision in force, or by another one; and the header lines of its
     * HTTP request, secrets replaced (null on stdio).
     */
    'composer/check': {
      params: ofSession.extend({ bytes: unitBytesSchema, revision: z.string().nullable() }),
      result: z.object({
        warnings: z.array(warningSchema),
        headers: z.array(z.tuple([z.string(), z.string()])).nullable(),
      }),
    },
  },
  events: {},
});
