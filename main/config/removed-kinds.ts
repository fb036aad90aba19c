import { z } from 'zod';
import { approvalSchema } from '#shared/contract/approvals.ts';
import { serverSchema } from '#shared/contract/servers.ts';

/** A removed server as it was kept, its place in the file, and what it was approved to run. */
export const removedServerSchema = z.object({
  server: serverSchema,
  index: z.number(),
  approvals: z.array(approvalSchema),
});
export type RemovedServer = z.infer<typeof removedServerSchema>;

/** A revoked approval. */
export const removedApprovalSchema = z.object({ approval: approvalSchema });
export type RemovedApproval = z.infer<typeof removedApprovalSchema>;
