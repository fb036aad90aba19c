import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** The two ways to do tasks: of the revision 2025-11-25, and the extension of 2026-07-28. */
export const taskKinds = ['core', 'extension'] as const;

/** One task, as far as it is known here. Status and texts are the server's, and untrusted. */
export const taskSchema = z.object({
  /** As its owner calls it. */
  id: z.string(),
  sessionId: z.string(),
  kind: z.enum(taskKinds),
  /** Who works on it: the server on a request of ours, or we on one of the server's. */
  owner: z.enum(['server', 'client']),
  /** The method that it is about; null when it was found in a list or resumed by its id. */
  method: z.string().nullable(),
  /** The call that it came of; null when there is none. */
  callId: z.string().nullable(),
  /** working, input_required, completed, failed, cancelled, or whatever the server says. */
  status: z.string(),
  statusMessage: z.string().nullable(),
  /** Milliseconds that it is kept after it was made; null for ever, or when nothing is said. */
  ttl: z.number().nullable(),
  /** Milliseconds between two questions after it; null when nothing is said. */
  pollInterval: z.number().nullable(),
  createdAt: z.string().nullable(),
  lastUpdatedAt: z.string().nullable(),
  /** How many times it was asked after. */
  polls: z.number().int(),
  /** It is asked after by itself until it has ended. */
  isFollowed: z.boolean(),
  /** Row that said its status last. */
  row: z.number().int(),
  /** Row that holds its result or error; null while there is none. */
  resultRow: z.number().int().nullable(),
  /** Why it is not asked after any longer, when that is not its end. */
  fault: faultSchema.nullable(),
});
export type Task = z.infer<typeof taskSchema>;

const ofSession = z.object({ sessionId: z.string() });
const ofTask = ofSession.extend({ taskId: z.string() });

export const tasksArea = defineArea({
  commands: {
    /** The tasks known here, in the order they became known. */
    'tasks/known': { params: ofSession, result: z.array(taskSchema) },
    /** Asks the server which tasks it has; the extension has no such list. */
    'tasks/refresh': { params: ofSession, result: z.null() },
    /** Follows a task by its id until it has ended, also one of an earlier session. */
    'tasks/follow': { params: ofTask, result: taskSchema },
    'tasks/cancel': { params: ofTask, result: z.null() },
    /** The result of a task that has ended as JSON text; null when it has none. */
    'tasks/result': { params: ofTask, result: z.object({ text: z.string().nullable() }) },
  },
  events: {
    'tasks/changed': taskSchema,
  },
});
