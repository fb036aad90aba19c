import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';
import { millisecondsSchema } from './servers.ts';

export const callStates = [
  /** Without an answer so far: it is under way, waits for an answer in the inbox, or its task is not done. */
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

/** What is wrong with a value by a JSON Schema. */
export const validationErrorSchema = z.object({
  /** Where in the value (RFC 6901); a missing member is named where it belongs. */
  pointer: z.string(),
  /** The keyword of JSON Schema that is violated. */
  keyword: z.string(),
  message: z.string(),
});
export type ValidationError = z.infer<typeof validationErrorSchema>;

/** What a JSON Schema says of a value that the protocol lets a server describe. Information, never a gate. */
export const validationSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('valid') }),
  z.object({ state: z.literal('invalid'), errors: z.array(validationErrorSchema) }),
  /** It could not be validated: the schema is missing, is invalid, or refers to something that is never fetched. */
  z.object({ state: z.literal('unknown'), reason: z.string() }),
]);
export type Validation = z.infer<typeof validationSchema>;

/** One request of a call: a call that the server wants more input for takes several (MCP 2026-07-28). */
export const roundSchema = z.object({
  /** The JSON-RPC id of the request. */
  requestId: z.number(),
  requestRow: z.number().int(),
  /** Row of what came back; null while it is under way. */
  responseRow: z.number().int().nullable(),
});
export type Round = z.infer<typeof roundSchema>;

/** A longer result does not travel with its call. */
export const MAX_INLINE_RESULT = 16 * 1024;

/** One request of the user: a call of a tool, or any other. */
export const callSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  method: z.string(),
  /** The tool; null when another method is called. */
  tool: z.string().nullable(),
  /** The arguments of a tool as JSON text, exactly as they were sent; the params of any other request. */
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
  /** All its requests in order; of the last of them are the id and rows above but for `requestRow`. */
  rounds: z.array(roundSchema),
  /** Ids of inbox entries that wait in its course; the first hundred of them. */
  inboxEntryIds: z.array(z.string()),
  /** The task that the server made of it; see the tasks area. */
  taskId: z.string().nullable(),
  /** The arguments by the tool's `inputSchema`; null for other methods and tools that are not listed. */
  argumentsValidation: validationSchema.nullable(),
  /** `structuredContent` by the tool's `outputSchema`; null when there is no such schema. */
  outputValidation: validationSchema.nullable(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }).nullable(),
  /**
   * The `result` as JSON text, in the event that reports the end of the call. Null in all else, and if it has more than
   * `MAX_INLINE_RESULT` characters: `calls/result` returns it.
   */
  result: z.string().nullable(),
  /** Why there is no answer; beside an `error` only when the server says what it wants before it takes the request. */
  fault: faultSchema.nullable(),
});
export type Call = z.infer<typeof callSchema>;

/** What may be set for one call, whatever it calls. */
const callOptions = {
  /** Milliseconds without an answer or progress; null is the server's setting. */
  timeout: millisecondsSchema.nullable(),
  /** Milliseconds in all, whatever progress comes; null is the server's setting. */
  maxTimeout: millisecondsSchema.nullable().optional(),
  /** Whether progress restarts the timeout; it does unless this is false. */
  resetOnProgress: z.boolean().optional(),
  /** Members for `_meta` as JSON text of an object; they win over those the session sets. */
  meta: z.string().optional(),
  /** Ask for a task of this many milliseconds to live (MCP 2025-11-25 tasks); `ttl` null leaves that to the server. */
  task: z.object({ ttl: millisecondsSchema.nullable() }).optional(),
};

const ofCall = z.object({ sessionId: z.string(), callId: z.string() });

export const callsArea = defineArea({
  commands: {
    'calls/list': { params: z.object({ sessionId: z.string() }), result: z.array(callSchema) },
    /** Calls a tool. */
    'calls/start': {
      params: z.object({
        sessionId: z.string(),
        tool: z.string(),
        /** JSON text of an object. Sent as written, so numbers and key order survive. */
        arguments: z.string(),
        ...callOptions,
      }),
      result: callSchema,
    },
    /** Validates a value, which is JSON text, against a JSON Schema that is JSON text too. */
    'calls/check': { params: z.object({ schema: z.string(), value: z.string() }), result: validationSchema },
    /** Sends a request of any method, also of one that the server did not announce or the revision does not have. */
    'calls/request': {
      params: z.object({
        sessionId: z.string(),
        method: z.string(),
        /** JSON text of an object, sent as written; null for none. */
        params: z.string().nullable(),
        ...callOptions,
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
