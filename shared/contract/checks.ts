import { z } from 'zod';
import { findingSeveritySchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

/** A rule that a message breaks, and the rows that show it. */
export const findingSchema = z.object({
  /** Index in the session's list of findings, from 0. */
  id: z.number().int(),
  /** Stable name of the rule, such as `schema/invalid`. */
  rule: z.string(),
  severity: findingSeveritySchema,
  /** The kind of check. */
  /** `schema` for the rules that start with `schema/`; `envelope` for all others. */
  source: z.enum(['envelope', 'schema']),
  /** What is wrong, in one sentence. May quote untrusted text. */
  text: z.string(),
  /** Where in the message (RFC 6901); null for the whole message. */
  pointer: z.string().nullable(),
  /** The revision that has the rule; null if every revision has it. */
  revision: z.string().nullable(),
  /** The rows that show it; it is shown at the first one. */
  rows: z.array(z.number().int()).min(1),
});
export type Finding = z.infer<typeof findingSchema>;

const ofSession = z.object({ sessionId: z.string() });

/** Limit of findings in one response. */
export const MAX_FINDINGS_PER_PAGE = 500;

export const checksArea = defineArea({
  commands: {
    /** Findings of a session in the order in which they were found; `total` counts all. */
    'checks/findings': {
      params: ofSession.extend({
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_FINDINGS_PER_PAGE),
      }),
      result: z.object({ total: z.number().int(), findings: z.array(findingSchema) }),
    },
    /** Findings of this row. */
    'checks/of-row': {
      params: ofSession.extend({ row: z.number().int() }),
      result: z.array(findingSchema),
    },
  },
  events: {},
});
