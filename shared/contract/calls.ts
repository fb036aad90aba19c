import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';
import { headerEntrySchema, millisecondsSchema } from './servers.ts';

export const callStates = [
  /** Not sent yet: the session is still being opened (MCP 2025-06-18 lifecycle, initialization). */
  'waiting',
  /** No result yet: the request was sent, waits for an answer in the inbox, or its task is not done. */
  'running',
  'ok',
  /** The tool reported an error: a result with `isError: true`. */
  'tool-error',
  /** The server responded with a JSON-RPC error. */
  'protocol-error',
  'cancelled',
  'timed-out',
  /** The session ended before the response arrived. */
  'lost',
] as const;

export const progressSchema = z.object({
  progress: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
  /** Progress notifications received so far. */
  count: z.number().int(),
});
export type Progress = z.infer<typeof progressSchema>;

/** One violation of a JSON Schema. */
export const validationErrorSchema = z.object({
  /** Where in the value (RFC 6901); for a missing member, where it belongs. */
  pointer: z.string(),
  /** The keyword of JSON Schema that is violated. */
  keyword: z.string(),
  message: z.string(),
});
export type ValidationError = z.infer<typeof validationErrorSchema>;

/** The result of validating a value against a schema of the server. It informs the user and blocks nothing. */
export const validationSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('valid') }),
  z.object({ state: z.literal('invalid'), errors: z.array(validationErrorSchema) }),
  /** Not validated: the schema is missing, is invalid, or refers to another document, which is never fetched. */
  z.object({ state: z.literal('unknown'), reason: z.string() }),
]);
export type Validation = z.infer<typeof validationSchema>;

/**
 * One request of a call. A call takes several if the server requests more input (MCP 2026-07-28), or if a request is sent again
 * after an authorization.
 */
export const roundSchema = z.object({
  /** The JSON-RPC id of the request. */
  requestId: z.number(),
  requestRow: z.number().int(),
  /** Row of the response; null while it is under way, and if it was an HTTP status that demanded an authorization. */
  responseRow: z.number().int().nullable(),
});
export type Round = z.infer<typeof roundSchema>;

/** A longer result does not travel with its call. */
export const MAX_INLINE_RESULT = 16 * 1024;

/** A request that the user sent: a tool call, or any other method. */
export const callSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  method: z.string(),
  /** The tool; null for any other method. */
  tool: z.string().nullable(),
  /** The arguments of a tool, or the params of any other request, as JSON text exactly as sent. */
  arguments: z.string(),
  state: z.enum(callStates),
  /** Milliseconds since the Unix epoch: when it was sent, or while it waits, when the user started it. */
  startedAt: z.number(),
  /** Microseconds from the bytes of the request to those of the response; null before it. */
  duration: z.number().nullable(),
  /** Bytes of the response. */
  size: z.number().nullable(),
  progress: progressSchema.nullable(),
  /** The JSON-RPC id of the request; null if it was not sent. */
  requestId: z.number().nullable(),
  /** Rows of the trace; null if it was not sent, or has no response. */
  requestRow: z.number().int().nullable(),
  responseRow: z.number().int().nullable(),
  /** All its requests in order. `requestId` and `responseRow` are those of the last one, `requestRow` of the first. */
  rounds: z.array(roundSchema),
  /** Inbox entries that this call waits for; at most a hundred. */
  inboxEntryIds: z.array(z.string()),
  /** The task that the server created for it; see the tasks area. */
  taskId: z.string().nullable(),
  /** The arguments against the tool's `inputSchema`; null for other methods and for tools that are not listed. */
  argumentsValidation: validationSchema.nullable(),
  /** `structuredContent` against the tool's `outputSchema`; null if there is no such schema. */
  outputValidation: validationSchema.nullable(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }).nullable(),
  /**
   * The `result` as JSON text, in the event that reports the end of the call. Null in all else, and if it has more than
   * `MAX_INLINE_RESULT` characters: `calls/result` returns it.
   */
  result: z.string().nullable(),
  /** Why there is no response. Set besides `error` only if the server demands authorization. */
  fault: faultSchema.nullable(),
});
export type Call = z.infer<typeof callSchema>;

/** Whether a call has no outcome yet. */
export const isUnderWay = ({ state }: Pick<Call, 'state'>): boolean =>
  state === 'waiting' || state === 'running';

const RECORDED = /^row-(\d+)$/;

/** The id of a call that was read from the trace, by the row of its request. */
export const recordedCallId = (row: number): string => `row-${row}`;

/** The row of the request of a call that was read from the trace; null for a call that the session holds. */
export function rowOfRecordedCall(id: string): number | null {
  const [, row] = RECORDED.exec(id) ?? [];
  return row === undefined ? null : Number(row);
}

/** Limit of calls in one page of a history. */
export const MAX_HISTORY = 100;

/** Lines that frame the request: the transport writes them. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** A header of the HTTP requests of one call. */
export const callHeaderSchema = z.object({
  name: headerEntrySchema.shape.name.refine((name) => !framing.has(name.toLowerCase()), {
    error: 'it is set by the transport',
  }),
  /** Characters are bytes (RFC 9110 section 5.5). */
  value: z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'it holds a character that no header may hold'),
  /** Kept out of the trace, wherever it occurs. */
  secret: z.boolean(),
});
export type CallHeader = z.infer<typeof callHeaderSchema>;

/** Options of one call. */
const callOptions = {
  /** Milliseconds without a response or progress; null for the server's setting. */
  timeout: millisecondsSchema.nullable(),
  /** Milliseconds in total, despite progress; null for the server's setting. */
  maxTimeout: millisecondsSchema.nullable().optional(),
  /** Whether progress restarts the timeout; true by default. */
  resetOnProgress: z.boolean().optional(),
  /** Members for `_meta` as JSON text of an object; they override those of the session. */
  meta: z.string().optional(),
  /** Header lines, which replace those of the session with the same names; only over HTTP. */
  headers: z.array(callHeaderSchema).optional(),
  /** Request a task (MCP 2025-11-25 tasks). `ttl`: milliseconds; null leaves it to the server. */
  task: z.object({ ttl: millisecondsSchema.nullable() }).optional(),
};

/** How long a request may still take. Null where there is no limit. */
export const timeLeftSchema = z.object({
  /** Milliseconds until it times out, unless progress restarts the timeout before. */
  left: z.number().nullable(),
  /** Milliseconds until it times out whatever the progress; equals `left` if progress does not restart the timeout. */
  atMost: z.number().nullable(),
  /** The timeout is paused: the server waits for us, such as for an answer of the user. */
  isPaused: z.boolean(),
});
export type TimeLeft = z.infer<typeof timeLeftSchema>;

const ofCall = z.object({ sessionId: z.string(), callId: z.string() });

/** Codes of the faults of `calls/start` that ask for a confirmation. */
export const mustConfirmCodes = ['confirm-destructive', 'confirm-first-run'] as const;
export type MustConfirmCode = (typeof mustConfirmCodes)[number];

export const callsArea = defineArea({
  commands: {
    'calls/list': { params: z.object({ sessionId: z.string() }), result: z.array(callSchema) },
    /**
     * The calls of a tool in the trace, newest first, also those that were composed or are no longer in `calls/list`. Fewer
     * than `count` are the last ones.
     */
    'calls/history': {
      params: z.object({
        sessionId: z.string(),
        tool: z.string(),
        /** Only calls whose request is in an earlier row; null for the newest. */
        before: z.number().int().nullable(),
        count: z.number().int().positive().max(MAX_HISTORY),
      }),
      result: z.array(callSchema),
    },
    /**
     * The call that a row belongs to, by its request or its response; null for other rows, and for methods other than
     * `tools/call`, `resources/read` and `prompts/get`.
     */
    'calls/of-row': {
      params: z.object({ sessionId: z.string(), row: z.number().int() }),
      result: callSchema.nullable(),
    },
    /**
     * Calls a tool, once the session is ready if it is being opened. Fails with one of `mustConfirmCodes`, and sends nothing, if the settings of the server want the user
     * to confirm this run and `isConfirmed` is not set.
     */
    'calls/start': {
      params: z.object({
        sessionId: z.string(),
        tool: z.string(),
        /** The user has confirmed this run. */
        isConfirmed: z.boolean().optional(),
        /** JSON text of an object. Sent as written, so numbers and key order survive. */
        arguments: z.string(),
        ...callOptions,
      }),
      result: callSchema,
    },
    /** Validates a value against a JSON Schema; both are JSON text. */
    'calls/validate': {
      params: z.object({ schema: z.string(), value: z.string() }),
      result: validationSchema,
    },
    /** Sends a request of any method, once the session is ready if it is being opened, even one without a declared capability or unknown to the revision. */
    'calls/request': {
      params: z.object({
        sessionId: z.string(),
        method: z.string(),
        /** JSON text of an object, sent as written; null for no params. */
        params: z.string().nullable(),
        ...callOptions,
      }),
      result: callSchema,
    },
    /**
     * Cancels any request of ours that waits for its response, by its row: sends `notifications/cancelled`, or closes its
     * stream in the modern era. Fails with `not-cancellable` for `initialize`, which must not be cancelled (MCP 2025-06-18
     * cancellation), and for requests of the server.
     */
    'calls/cancel-request': {
      params: z.object({ sessionId: z.string(), row: z.number().int(), reason: z.string().optional() }),
      result: z.null(),
    },
    'calls/cancel': { params: ofCall.extend({ reason: z.string().optional() }), result: z.null() },
    /**
     * The `result` of the response as JSON text, from a character offset on; `text` is null if there
     * is none. `truncated`: there is more.
     */
    'calls/result': {
      params: ofCall.extend({ from: z.number().int().nonnegative().optional() }),
      result: z.object({ text: z.string().nullable(), truncated: z.boolean() }),
    },
    /** How long the request in a row may still take; null unless it waits for its response. */
    'calls/time-left': {
      params: z.object({ sessionId: z.string(), row: z.number().int() }),
      result: timeLeftSchema.nullable(),
    },
  },
  events: {
    'calls/changed': callSchema,
  },
});
