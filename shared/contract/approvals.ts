import { z } from 'zod';
import { defineArea } from './area.ts';
import { launchSchema } from './sessions.ts';

/** A command line that the user has approved. It runs without asking again until it changes. */
export const approvalSchema = z.object({
  /** Fingerprint of everything that was approved, including the values of variables. */
  id: z.string(),
  /** What the user was shown. */
  launch: launchSchema,
  /** The servers that use it; it is deleted with the last one. */
  serverIds: z.array(z.string()),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const approvalsArea = defineArea({
  commands: {
    'approvals/list': { params: z.object({}), result: z.array(approvalSchema) },
    /** Revokes an approval: the command asks again before its next run. Running processes go on. */
    'approvals/revoke': { params: z.object({ id: z.string() }), result: z.null() },
  },
  events: { 'approvals/changed': z.array(approvalSchema) },
});
