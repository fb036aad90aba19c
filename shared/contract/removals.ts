import { z } from 'zod';
import { defineArea } from './area.ts';

/** What can be removed and brought back. */
export const removalKinds = [
  'server',
  'trace',
  'saved-call',
  'approval',
  'credentials',
  'model-key',
] as const;

/** Something that was removed, and can be brought back until it is deleted for good. */
export const removalSchema = z.object({
  id: z.string(),
  kind: z.enum(removalKinds),
  /** What the user calls it, such as the name of the server. */
  name: z.string(),
  /** When it was removed, and when it is deleted for good: milliseconds since the Unix epoch. */
  at: z.number(),
  until: z.number(),
});
export type Removal = z.infer<typeof removalSchema>;
export type RemovalKind = Removal['kind'];

export const removalsArea = defineArea({
  commands: {
    /** What can be brought back, the oldest first. */
    'removals/list': { params: z.object({}), result: z.array(removalSchema) },
    /** Brings back what was removed. */
    'removals/restore': { params: z.object({ id: z.string() }), result: z.null() },
  },
  events: {
    /** All that can be brought back, whenever that changes. */
    'removals/changed': z.array(removalSchema),
  },
});
