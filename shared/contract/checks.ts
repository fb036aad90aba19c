import { z } from 'zod';
import { findingSeveritySchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

/** What a check found wrong, and the rows that show it. */
export const findingSchema = z.object({
  /** Place in the list of findings of the session, from 0. */
  id: z.number().int(),
  /** Stable name of the rule, such as `schema/invalid`. */
  rule: z.string(),
  severity: findingSeveritySchema,
  /** What kind of check found it. */
  source: z.enum(['envelope', 'schema']),
  /** What is wrong, in one sentence. May quote untrusted text. */
  text: z.string(),
  /** Where in the message (RFC 6901); null when it is about the whole. */
  pointer: z.string().nullable(),
  /** The revision that says so; null when every revision does. */
  revision: z.string().nullable(),
  /** Rows that it rests on, the one it is shown at first. */
  rows: z.array(z.number().int()).min(1),
});
export type Finding = z.infer<typeof findingSchema>;

const ofSession = z.object({ sessionId: z.string() });

/** The most findings one answer carries. */
export const MAX_FINDINGS_PER_PAGE = 500;

export const checksArea = defineArea({
  commands: {
    /** Findings of a session in the order they were made; `total` is how many there are. */
    'checks/findings': {
      params: ofSession.extend({
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_FINDINGS_PER_PAGE),
      }),
      result: z.object({ total: z.number().int(), findings: z.array(findingSchema) }),
    },
    /** Findings that rest on this row. */
    'checks/of-row': {
      params: ofSession.extend({ row: z.number().int() }),
      result: z.array(findingSchema),
    },
  },
  events: {},
});
