import { z } from 'zod';
import { traceRowSchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

/** A session of this run, or an opened trace. */
const ofSession = z.object({ sessionId: z.string() });

const countSchema = z.object({
  /** Log messages so far. */
  count: z.number().int(),
  /** Messages per second over the last 10 s; of an opened trace, over its last 10 s. */
  perSecond: z.number(),
});

/** The messages of one logger. */
export const loggerCountSchema = countSchema.extend({
  /** Null for the messages that name no logger. */
  logger: z.string().nullable(),
});
export type LoggerCount = z.infer<typeof loggerCountSchema>;

export const logCountsSchema = countSchema.extend({
  /** The most frequent first, at most some hundred. */
  loggers: z.array(loggerCountSchema),
  /** Messages of loggers that are not listed. */
  unlisted: z.number().int(),
});
export type LogCounts = z.infer<typeof logCountsSchema>;

/** A request without a response so far. */
export const runningRequestSchema = z.object({
  row: traceRowSchema,
  /** The newest progress of it; null without any. */
  progress: traceRowSchema.nullable(),
});
export type RunningRequest = z.infer<typeof runningRequestSchema>;

/** Limits of rows in one `logs/activity`. */
export const MAX_RUNNING = 200;
export const MAX_LIST_CHANGES = 100;

export const activitySchema = z.object({
  /** Requests of both sides without a response, the oldest first; the first `MAX_RUNNING`. */
  running: z.array(runningRequestSchema),
  runningCount: z.number().int(),
  /** Notifications that a list has changed, the newest first; the first `MAX_LIST_CHANGES`. */
  listChanges: z.array(traceRowSchema),
  listChangeCount: z.number().int(),
});
export type Activity = z.infer<typeof activitySchema>;

export const logsArea = defineArea({
  commands: {
    'logs/counts': { params: ofSession, result: logCountsSchema },
    'logs/activity': { params: ofSession, result: activitySchema },
  },
  events: {},
});
