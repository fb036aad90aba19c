import { z } from 'zod';
import { logLevels } from '../protocol/log-levels.ts';
import { channelSchema, composedSchema, directionSchema } from './record.ts';

/**
 * One row of the trace table: a record, or one message of a record that turned out to be a batch.
 * Rows are derived from records and never stored.
 */

export const rowKinds = [
  'request',
  'notification',
  'result',
  'error',
  /** JSON that is not a JSON-RPC message. */
  'invalid',
  /** Bytes on a message channel that are not even JSON. */
  'noise',
  /** An HTTP exchange: one request and its response. */
  'http',
  /** A body that is not an MCP message. */
  'body',
  /** Content of an event stream other than messages: comments, ids, retry, events of other names. */
  'sse',
  'stderr',
  'process',
  'phase',
  /** Client switches were turned on or off. */
  'switches',
  /** The rest of a batch, beyond the messages that have rows of their own. */
  'held-back',
  /** A step of an authorization flow has ended. */
  'authorization',
  /** The server defines something else than at its last connection. */
  'definitions',
] as const;
export type RowKind = (typeof rowKinds)[number];

/** Rows that are JSON on a message channel. */
export const messageKinds: ReadonlySet<RowKind> = new Set([
  'request',
  'notification',
  'result',
  'error',
  'invalid',
] as const);

/** Rows of a message channel: messages, and units that should have been messages. */
export const channelKinds: ReadonlySet<RowKind> = new Set([...messageKinds, 'noise'] as const);

/**
 * Limit of messages of one batch that are parsed and get rows: a few megabytes can hold millions. The rest is
 * one more row, `held-back`.
 */
export const MAX_IN_BATCH = 10_000;

export const rowStatuses = [
  'none',
  /** A request without a response so far. */
  'pending',
  'ok',
  /** A JSON-RPC error, or an HTTP status of 400 and above. */
  'error',
  /** A result with `isError: true`: the tool failed, not the protocol. */
  'tool-error',
  'cancelled',
  /** The session ended before the response arrived. */
  'unanswered',
  /** A response that arrived after its request was cancelled, or after the session had failed. */
  'late',
  /** A response to an unknown request, or a second response. */
  'orphan',
  /** Not valid for its channel. */
  'invalid',
  /** The unit, or the body of an exchange, is still arriving. */
  'receiving',
  /** The process could not start or ended unexpectedly; an exchange or the session failed. */
  'failed',
  /** A result that requires input before the call can go on (MCP 2026-07-28, multi round-trip requests). */
  'input-required',
] as const;
export type RowStatus = (typeof rowStatuses)[number];

/** Why a unit is not JSON. */
export const noiseReasons = [
  'blank',
  'not-utf8',
  'half-json',
  'several-values',
  'not-json',
  'too-large',
] as const;
export type NoiseReason = (typeof noiseReasons)[number];

/** Severities of findings, the worst first. */
export const findingSeverities = ['error', 'warning', 'info'] as const;
export const findingSeveritySchema = z.enum(findingSeverities);
export type FindingSeverity = z.infer<typeof findingSeveritySchema>;

/** How an HTTP response carries messages: as one JSON body, or as events of a stream (MCP 2025-06-18 transports). */
export const responseModes = ['json', 'sse'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** What is folded into a row of the view of calls, besides its response and its exchange. */
export const foldSchema = z.object({
  /** Comments of a stream, or pings. */
  keepalives: z.number().int(),
  /** Ids and retries of a stream. */
  streamEvents: z.number().int(),
  phases: z.number().int(),
  /** The time of the last of them, in microseconds of the trace. */
  until: z.number(),
  /** Whether they are listed. */
  isOpen: z.boolean(),
});
export type Fold = z.infer<typeof foldSchema>;

export const traceRowSchema = z.object({
  /** Index in the unfiltered table, from 0. */
  row: z.number().int(),
  /** The record it was derived from. */
  seq: z.number().int(),
  /** Which message of a batch; 0 for everything else. */
  position: z.number().int(),
  /** How many messages the unit carried. */
  batch: z.number().int(),
  /** Microseconds of the engine's monotonic clock. */
  at: z.number(),
  kind: z.enum(rowKinds),
  direction: directionSchema.nullable(),
  /** The channel of a message or of noise; null for every other kind. */
  channel: channelSchema.nullable(),
  /** The method; for a response, that of its request; for an exchange, the HTTP method. */
  method: z.string().nullable(),
  /** A short text: the tool called, progress made, the log line, the noise itself. Untrusted text. */
  summary: z.string(),
  /** Of a request or a notification: the start of its arguments and other params, on one line. Untrusted text. */
  paramsPreview: z.string().optional(),
  /** The level of a log message; null if it is none of the eight, and for every other row. */
  level: z.enum(logLevels).nullable(),
  /** The logger of a log message; null without one. Untrusted text. */
  logger: z.string().nullable(),
  /** The id with its JSON type: `18` or `"s-4"`. */
  id: z.string().nullable(),
  status: z.enum(rowStatuses),
  /** The kind of noise; null for every other kind. */
  noise: z.enum(noiseReasons).nullable(),
  /** JSON-RPC error code; for an exchange, the HTTP status. */
  code: z.number().nullable(),
  /** Microseconds between request and response; for an exchange, to its end. */
  duration: z.number().nullable(),
  /** Bytes on the wire. */
  size: z.number(),
  /** Row of the other half: the response of a request, the request of a response. */
  pair: z.number().int().nullable(),
  /** Row this one belongs to: the request whose progress it reports or which it cancels. */
  parent: z.number().int().nullable(),
  /** Row of the HTTP exchange that carried it; for an exchange, the row itself. In records, `exchange` is an id instead. */
  exchange: z.number().int().nullable(),
  /** The session sent it automatically. */
  automatic: z.boolean(),
  /** Whether the message was sent to detect the era of the server, or is the response to it. */
  probe: z.boolean(),
  /** A message that came on a stream that was resumed after an event (`Last-Event-ID`). */
  replayed: z.boolean(),
  /** For an exchange: how its response carries messages; null for any other content type, and any other kind of row. */
  responseMode: z.enum(responseModes).nullable(),
  /** The user sent it from the composer, `anyway` although that warned of a broken rule; null for everything else. */
  composed: composedSchema.nullable(),
  /**
   * It counts as an error. Each error is counted on one row: a failed or lost call on the row of its request, invalid
   * bytes, a response to an unknown request, a failed process, exchange or session.
   */
  error: z.boolean(),
  /** The severity of its worst finding; null without findings. */
  finding: findingSeveritySchema.nullable(),
  /** The note of its mark, empty for a bookmark; null without a mark. */
  mark: z.string().nullable(),
  /** Of a request without a response: the error that the server printed, and how it ended. Untrusted text. */
  serverEnd: z.string().optional(),
  /** In a list of calls: what is folded into it. */
  fold: foldSchema.optional(),
  /** In a list of calls: it is listed because the fold that it belongs to is open. */
  isInFold: z.literal(true).optional(),
});
export type TraceRow = z.infer<typeof traceRowSchema>;

/** The number of a row as shown, from 1. */
export const rowNumber = (row: number): string => `#${row + 1}`;
