import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** Tasks of revision 2025-11-25 (`core`), and the extension of 2026-07-28. */
export const taskKinds = ['core', 'extension'] as const;

/** A status of a task, and the message that reported it first. */
export const taskStepSchema = z.object({
  status: z.string(),
  statusMessage: z.string().nullable(),
  row: z.number().int(),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
});
export type TaskStep = z.infer<typeof taskStepSchema>;

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
  /** The tool that it runs; null for any other method, and if its request is unknown. */
  tool: z.string().nullable(),
  /** Row of the request that created it; null if that is not in this session. */
  requestRow: z.number().int().nullable(),
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
  /**
   * When it was created, in milliseconds since the Unix epoch: when we received that, else what `createdAt` says; null
   * if neither is known.
   */
  startedAt: z.number().nullable(),
  /** Changes of status or message in order: the first, and the newest up to `MAX_STEPS` in all. */
  history: z.array(taskStepSchema),
  /** How often it was polled. */
  polls: z.number().int(),
  /** Whether the task is polled until it has ended. */
  isFollowed: z.boolean(),
  /** Row that reported its status last. */
  row: z.number().int(),
  /** Row of its result or error; null before it. */
  resultRow: z.number().int().nullable(),
  /** The JSON-RPC error it ended with; null if there is none. */
  error: z.object({ code: z.number(), message: z.string() }).nullable(),
  /** Why it is no longer polled, if it has not ended. */
  fault: faultSchema.nullable(),
});
export type Task = z.infer<typeof taskSchema>;

/** Limit of steps in the history of one task. */
export const MAX_STEPS = 50;

/** A task that had not ended when an earlier session with the same server ended. */
export const unfinishedTaskSchema = taskSchema
  .pick({ id: true, kind: true, method: true, tool: true, status: true, startedAt: true, ttl: true })
  .extend({
    /** When its status was reported last, in milliseconds since the Unix epoch. */
    seenAt: z.number(),
  });
export type UnfinishedTask = z.infer<typeof unfinishedTaskSchema>;

/** The tasks of earlier sessions that a session can resume. */
export const resumableTasksSchema = z.object({
  sessionId: z.string(),
  tasks: z.array(unfinishedTaskSchema),
});
export type ResumableTasks = z.infer<typeof resumableTasksSchema>;

const ofSession = z.object({ sessionId: z.string() });
const ofTask = ofSession.extend({ taskId: z.string() });

export const tasksArea = defineArea({
  commands: {
    /** The known tasks, in the order in which they became known. */
    'tasks/list': { params: ofSession, result: z.array(taskSchema) },
    /** Sends `tasks/list`; the extension has no such list. */
    'tasks/refresh': { params: ofSession, result: z.null() },
    /** Polls a task by its id until it has ended; it may be of an earlier session. */
    'tasks/follow': { params: ofTask, result: taskSchema },
    /** Unfinished tasks of earlier sessions with the same HTTP server, the newest first. */
    'tasks/resumable': { params: ofSession, result: resumableTasksSchema },
    /** No longer suggests to resume a task. */
    'tasks/forget': { params: ofTask, result: z.null() },
    'tasks/cancel': { params: ofTask, result: z.null() },
    /** The result of an ended task as JSON text; null if it has none. */
    'tasks/result': { params: ofTask, result: z.object({ text: z.string().nullable() }) },
  },
  events: {
    'tasks/changed': taskSchema,
    'tasks/resumable-changed': resumableTasksSchema,
  },
});
