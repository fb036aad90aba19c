import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** Tasks of revision 2025-11-25 (`core`), and the extension of 2026-07-28. */
export const taskKinds = ['core', 'extension'] as const;

/** One task, as far as it is known. Status and texts come from the server and are untrusted. */
export const taskSchema = z.object({
  /** The id that its owner assigned. */
  id: z.string(),
  sessionId: z.string(),
  kind: z.enum(taskKinds),
  /** Who executes it: the server for our request, or we for a request of the server. */
  owner: z.enum(['server', 'client']),
  /** The method of its request; null if it was found in a list or followed by its id. */
  method: z.string().nullable(),
  /** The call that created it; null if there is none. */
  callId: z.string().nullable(),
  /** working, input_required, completed, failed, cancelled, or another value of the server. */
  status: z.string(),
  statusMessage: z.string().nullable(),
  /** Milliseconds that it is kept after its creation; null if unlimited or not stated. */
  ttl: z.number().nullable(),
  /** Milliseconds between two polls; null if not stated. */
  pollInterval: z.number().nullable(),
  createdAt: z.string().nullable(),
  lastUpdatedAt: z.string().nullable(),
  /** How often it was polled. */
  polls: z.number().int(),
  /** It is polled until it has ended. */
  isFollowed: z.boolean(),
  /** Row that reported its status last. */
  row: z.number().int(),
  /** Row of its result or error; null before it. */
  resultRow: z.number().int().nullable(),
  /** Why it is no longer polled, if it has not ended. */
  fault: faultSchema.nullable(),
});
export type Task = z.infer<typeof taskSchema>;

const ofSession = z.object({ sessionId: z.string() });
const ofTask = ofSession.extend({ taskId: z.string() });

export const tasksArea = defineArea({
  commands: {
    /** The known tasks, in the order in which they became known. */
    'tasks/known': { params: ofSession, result: z.array(taskSchema) },
    /** Sends `tasks/list`; the extension has no such list. */
    'tasks/refresh': { params: ofSession, result: z.null() },
    /** Polls a task by its id until it has ended; it may be of an earlier session. */
    'tasks/follow': { params: ofTask, result: taskSchema },
    'tasks/cancel': { params: ofTask, result: z.null() },
    /** The result of an ended task as JSON text; null if it has none. */
    'tasks/result': { params: ofTask, result: z.object({ text: z.string().nullable() }) },
  },
  events: {
    'tasks/changed': taskSchema,
  },
});
