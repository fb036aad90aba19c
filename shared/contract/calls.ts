import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';
import { millisecondsSchema } from './servers.ts';

export const callStates = [
  'running',
  'ok',
  /** The tool says it failed: a result with `isError: true`. */
  'tool-error',
  /** The server answered with a JSON-RPC error. */
  'protocol-error',
  'cancelled',
  'timed-out',
  /** The session ended before the answer came. */
  'lost',
] as const;

export const progressSchema = z.object({
  progress: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
  /** How many progress notifications came so far. */
  count: z.number().int(),
});
export type Progress = z.infer<typeof progressSchema>;

/** One call of a tool. */
export const callSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  tool: z.string(),
  /** The arguments as JSON text, exactly as they were sent. */
  arguments: z.string(),
  state: z.enum(callStates),
  /** Milliseconds since the Unix epoch. */
  startedAt: z.number(),
  /** Microseconds from the request's bytes to the answer's; null until there is one. */
  duration: z.number().nullable(),
  /** Bytes of the answer. */
  size: z.number().nullable(),
  progress: progressSchema.nullable(),
  /** The JSON-RPC id of the request. */
  requestId: z.number(),
  /** Rows of the trace. */
  requestRow: z.number().int(),
  responseRow: z.number().int().nullable(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }).nullable(),
  /** Why there is no answer. */
  fault: faultSchema.nullable(),
});
export type Call = z.infer<typeof callSchema>;

const ofCall = z.object({ sessionId: z.string(), callId: z.string() });

export const callsArea = defineArea({
  commands: {
    'calls/list': { params: z.object({ sessionId: z.string() }), result: z.array(callSchema) },
    'calls/start': {
      params: z.object({
        sessionId: z.string(),
        tool: z.string(),
        /** JSON text of an object. Sent as written, so numbers and key order survive. */
        arguments: z.string(),
        /** Milliseconds without an answer or progress; null is the server's setting. */
        timeout: millisecondsSchema.nullable(),
        /** Milliseconds in all, whatever progress comes; null is the server's setting. */
        maxTimeout: millisecondsSchema.nullable().optional(),
        /** Whether progress starts the time anew; it does unless this is false. */
        resetOnProgress: z.boolean().optional(),
      }),
      result: callSchema,
    },
    'calls/cancel': { params: ofCall.extend({ reason: z.string().optional() }), result: z.null() },
    /**
     * The `result` object of the answer as JSON text, or its part from a character on; `text` is null when there
     * is none. `truncated`: more follows.
     */
    'calls/result': {
      params: ofCall.extend({ from: z.number().int().nonnegative().optional() }),
      result: z.object({ text: z.string().nullable(), truncated: z.boolean() }),
    },
  },
  events: {
    'calls/changed': callSchema,
  },
});
