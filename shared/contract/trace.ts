import { z } from 'zod';
import {
  httpConnectedRecordSchema,
  httpEndRecordSchema,
  httpRequestRecordSchema,
  httpResponseRecordSchema,
  processRecordSchema,
  sseEventSchema,
} from '../trace/record.ts';
import { traceRowSchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

const ofSession = z.object({ sessionId: z.string() });

/** The most rows one answer carries. */
export const MAX_ROWS_PER_PAGE = 500;
/** The most characters of a unit that a detail carries at once; the rest comes by `trace/bytes`. */
export const MAX_DETAIL_CHARS = 1024 * 1024;
/** The most bytes one `trace/bytes` answer carries. */
export const MAX_BYTES_PER_READ = 256 * 1024;

/** The most rows that a detail lists as belonging to its row. */
export const MAX_CHILDREN = 200;

/** An HTTP exchange as it is on record; what has not happened yet is null. Secrets are replaced. */
export const exchangeDetailSchema = z.object({
  /** The exchange's own row. */
  row: z.number().int(),
  request: httpRequestRecordSchema,
  connected: httpConnectedRecordSchema.nullable(),
  /** Informational responses, and the final one last. */
  responses: z.array(httpResponseRecordSchema),
  end: httpEndRecordSchema.nullable(),
  /** Rows of what it carried, in both directions; the first `MAX_CHILDREN`. */
  carried: z.array(traceRowSchema),
});
export type ExchangeDetail = z.infer<typeof exchangeDetailSchema>;

export const rowDetailSchema = z.object({
  row: traceRowSchema,
  /** The text as on the wire, cut at `MAX_DETAIL_CHARS`; null for rows that carry none. */
  text: z.string().nullable(),
  truncated: z.boolean(),
  /** How `text` came about: `base64` when the bytes are not UTF-8, so that `text` shows replacements. */
  encoding: z.enum(['utf-8', 'base64']),
  /** First byte that is not UTF-8. */
  badByteAt: z.number().int().nullable(),
  /** Why it is no message, in one sentence. */
  problem: z.string().nullable(),
  /** What it is, when it is about the process. */
  process: processRecordSchema.shape.change.nullable(),
  /** The phase and its reason, for a phase row. */
  phase: z.object({ phase: z.string(), reason: z.string().nullable() }).nullable(),
  /** The exchange that carried it, or that it is. */
  exchange: exchangeDetailSchema.nullable(),
  /** How the event of a stream was written around its data. */
  sse: sseEventSchema.nullable(),
  pair: traceRowSchema.nullable(),
  parent: traceRowSchema.nullable(),
  /** Rows that belong to this one, such as the progress of a call; the first `MAX_CHILDREN`. */
  children: z.array(traceRowSchema),
});
export type RowDetail = z.infer<typeof rowDetailSchema>;

export const traceArea = defineArea({
  commands: {
    /** How many rows there are now, and what ties row times to the wall clock. */
    'trace/summary': {
      params: ofSession,
      result: z.object({
        rows: z.number().int(),
        /** The instant of the first record: microseconds of the trace, milliseconds since the epoch. */
        clock: z.object({ at: z.number(), wall: z.number() }),
      }),
    },
    /** Rows `from` to `from + count` of the table, or of a filter's matches. */
    'trace/rows': {
      params: ofSession.extend({
        filterId: z.string().nullable(),
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_ROWS_PER_PAGE),
      }),
      result: z.object({ total: z.number().int(), rows: z.array(traceRowSchema) }),
    },
    /** Starts a filter: rows that contain the text, whatever its case. Matches arrive by `trace/filtered`. */
    'trace/filter': {
      params: ofSession.extend({ text: z.string().min(1) }),
      result: z.object({ filterId: z.string() }),
    },
    'trace/end-filter': { params: ofSession.extend({ filterId: z.string() }), result: z.null() },
    /** Where a row stands among a filter's matches: its place, or that of the nearest match before it. */
    'trace/place': {
      params: ofSession.extend({ filterId: z.string().nullable(), row: z.number().int() }),
      result: z.object({ place: z.number().int() }),
    },
    'trace/detail': { params: ofSession.extend({ row: z.number().int() }), result: rowDetailSchema },
    /** Bytes of a unit as base64, for the hex view and for what a detail cut off. */
    'trace/bytes': {
      params: ofSession.extend({
        row: z.number().int(),
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_BYTES_PER_READ),
      }),
      result: z.object({ base64: z.string(), total: z.number().int() }),
    },
  },
  events: {
    /** There are `rows` rows now, and what was shown from row `changedFrom` on may have changed. */
    'trace/grew': ofSession.extend({ rows: z.number().int(), changedFrom: z.number().int() }),
    'trace/filtered': ofSession.extend({
      filterId: z.string(),
      matches: z.number().int(),
      /** Rows looked at so far; `done` once it has caught up with the trace. */
      scanned: z.number().int(),
      done: z.boolean(),
    }),
  },
});
