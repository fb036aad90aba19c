import { z } from 'zod';
import { defineArea } from './area.ts';
import { launchSchema } from './sessions.ts';

/** A command line that the user has approved. It runs without a question as long as nothing in it changes. */
export const approvalSchema = z.object({
  /** Fingerprint of all that was approved, the values of variables included. */
  id: z.string(),
  /** What was shown. */
  launch: launchSchema,
  /** The servers that run it; it is forgotten with the last of them. */
  serverIds: z.array(z.string()),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const approvalsArea = defineArea({
  commands: {
    'approvals/list': { params: z.object({}), result: z.array(approvalSchema) },
    /** Takes an approval back: what it allowed is asked for again before it runs. What runs already goes on. */
    'approvals/revoke': { params: z.object({ id: z.string() }), result: z.null() },
  },
  events: { 'approvals/changed': z.array(approvalSchema) },
});
