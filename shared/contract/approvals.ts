import { z } from 'zod';
import { defineArea } from './area.ts';
import { launchSchema, sentVariablesSchema } from './sessions.ts';

const anyApproval = {
  /** Fingerprint of everything that was approved. */
  id: z.string(),
  /** The servers that use it; it is deleted with the last one. */
  serverIds: z.array(z.string()),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
};

/** A command line that the user has approved, with the values of its variables. It runs without asking again until it changes. */
export const launchApprovalSchema = z.object({
  ...anyApproval,
  /** What the user was shown. */
  launch: launchSchema,
});
export type LaunchApproval = z.infer<typeof launchApprovalSchema>;

/** Variables that the user has approved to be sent to a host. They are sent without asking again until either changes. */
export const variablesApprovalSchema = z.object({
  ...anyApproval,
  /** What the user was shown. */
  sent: sentVariablesSchema,
});
export type VariablesApproval = z.infer<typeof variablesApprovalSchema>;

export const approvalSchema = z.union([launchApprovalSchema, variablesApprovalSchema]);
export type Approval = z.infer<typeof approvalSchema>;

/** Whether it is a command line that was approved. */
export const isLaunchApproval = (approval: Approval): approval is LaunchApproval => 'launch' in approval;

/** Whether it is variables that were approved. */
export const isVariablesApproval = (approval: Approval): approval is VariablesApproval => 'sent' in approval;

export const approvalsArea = defineArea({
  commands: {
    'approvals/list': { params: z.object({}), result: z.array(approvalSchema) },
    /** Revokes an approval: the user is asked again before the next run or connection. What runs goes on. */
    'approvals/revoke': { params: z.object({ id: z.string() }), result: z.null() },
  },
  events: { 'approvals/changed': z.array(approvalSchema) },
});
