import { z } from 'zod';
import {
  directionSchema,
  httpConnectedRecordSchema,
  httpEndRecordSchema,
  httpRequestRecordSchema,
  httpResponseRecordSchema,
  processRecordSchema,
  sseEventSchema,
  traceHeaderSchema,
} from '../trace/record.ts';
import { traceRowSchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

/** A session: one of this run, or one opened from its trace file (`traces/open`). */
const ofSession = z.object({ sessionId: z.string() });
const row = z.number().int().nonnegative();

/** The most rows one answer carries. */
export const MAX_ROWS_PER_PAGE = 500;
/** The most characters of a unit that a detail carries at once; the rest comes by `trace/bytes`. */
export const MAX_DETAIL_CHARS = 1024 * 1024;
/** The most bytes one `trace/bytes` answer carries. */
export const MAX_BYTES_PER_READ = 256 * 1024;

/** The most characters of a note. */
export const MAX_NOTE = 2000;

/** The most rows that a detail lists as belonging to its row. */
export const MAX_CHILDREN = 200;

/** The most rows that can be picked one by one. */
export const MAX_SELECTED_ROWS = 10_000;

/** Which rows something is done with. */
export const rowChoiceSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('all') }),
  z.object({ of: z.literal('filter'), filterId: z.string() }),
  z.object({ of: z.literal('rows'), rows: z.array(row).min(1).max(MAX_SELECTED_ROWS) }),
]);
export type RowChoice = z.infer<typeof rowChoiceSchema>;

/** `frames`: every row, in wire order. `calls`: an answer, and the exchange that carried a call, folded into its request. */
export const traceViews = ['messages', 'calls'] as const;
export type TraceViewName = (typeof traceViews)[number];

/** What the words of a filter can be completed with: the most frequent first, at most some hundred each. */
export const vocabularySchema = z.object({
  methods: z.array(z.string()),
  /** Names of tools that were called. */
  tools: z.array(z.string()),
  /** What requests are about: tools, prompts, URIs. */
  names: z.array(z.string()),
  /** Rules that found something. */
  rules: z.array(z.string()),
});
export type Vocabulary = z.infer<typeof vocabularySchema>;

/** Calls of one method, or of one tool. Times are microseconds from request to answer; null without an answer. */
export const callStatisticsSchema = z.object({
  method: z.string(),
  /** The tool that was called; null for every other method. */
  tool: z.string().nullable(),
  direction: directionSchema,
  count: z.number().int(),
  /** Answered with an error, a failed tool or nothing. */
  errors: z.number().int(),
  pending: z.number().int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  longest: z.number().nullable(),
  /** On the wire: requests (or notifications), and their answers. */
  bytes: z.number(),
  responseBytes: z.number(),
});
export type CallStatistics = z.infer<typeof callStatisticsSchema>;

/** What the definition of a tool costs each reader of the list. */
export const toolSizeSchema = z.object({
  name: z.string(),
  bytes: z.number().int(),
  /** An estimate: four characters a token. */
  tokens: z.number().int(),
  /** The row of the list it was in last. */
  row,
});
export type ToolSize = z.infer<typeof toolSizeSchema>;

export const statisticsSchema = z.object({
  /** Rows looked at. */
  rows: z.number().int(),
  /** Microseconds from the first of them to the last. */
  span: z.number(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  calls: z.array(callStatisticsSchema),
  tools: z.array(toolSizeSchema),
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** An HTTP exchange as it is on record; what has not happened yet is null. Secrets are replaced. */
export const exchangeDetailSchema = z.object({
  /** The exchange's own row. */
  row: z.number().int(),
  request: httpRequestRecordSchema,
  connected: httpConnectedRecordSchema.nullable(),
  /** Informational responses, and the final one last. */
  responses: z.array(httpResponseRecordSchema),
  end: httpEndRecordSchema.nullable(),
  /** Rows of what it carried, in both directions; the first `MAX_CHILDREN`, the rest by `trace/relatives`. */
  carried: z.array(traceRowSchema),
  carriedCount: z.number().int(),
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
  /** Rows that belong to this one, such as the progress of a call; the first `MAX_CHILDREN`, the rest by `trace/relatives`. */
  children: z.array(traceRowSchema),
  childCount: z.number().int(),
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
        /** What was connected to. */
        server: traceHeaderSchema.shape.server,
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
    /**
     * Starts a filter in the filter language (`shared/trace/filter`), over frames or calls. Matches arrive by
     * `trace/filtered`; rows that change later come and go. Fails with `bad-filter` when it cannot be read.
     */
    'trace/filter': {
      params: ofSession.extend({ text: z.string(), view: z.enum(traceViews).default('messages') }),
      result: z.object({ filterId: z.string() }),
    },
    'trace/end-filter': { params: ofSession.extend({ filterId: z.string() }), result: z.null() },
    /** Where a row stands among a filter's matches: its place, or that of the nearest match before it. */
    'trace/place': {
      params: ofSession.extend({ filterId: z.string().nullable(), row: z.number().int() }),
      result: z.object({ place: z.number().int() }),
    },
    /** The next row after `from` (before it, with a step of -1) in the list that this filter matches too. */
    'trace/seek': {
      params: ofSession.extend({
        filterId: z.string().nullable(),
        from: z.number().int(),
        step: z.union([z.literal(1), z.literal(-1)]),
        text: z.string().min(1),
      }),
      result: z.object({ row: row.nullable() }),
    },
    /** The first row at or after an instant, in microseconds of the trace; null when all are before it. */
    'trace/at': {
      params: ofSession.extend({ at: z.number() }),
      result: z.object({ row: row.nullable() }),
    },
    /** These rows, in the order asked for. */
    'trace/rows-by-number': {
      params: ofSession.extend({ rows: z.array(row).max(MAX_ROWS_PER_PAGE) }),
      result: z.array(traceRowSchema),
    },
    'trace/vocabulary': { params: ofSession, result: vocabularySchema },
    'trace/statistics': { params: ofSession.extend({ rows: rowChoiceSchema }), result: statisticsSchema },
    /** Puts a mark on a row (a note, empty for a mere bookmark) in place of the one it has; null takes it away. */
    'trace/mark': {
      params: ofSession.extend({ row, note: z.string().max(MAX_NOTE).nullable() }),
      result: z.null(),
    },
    /** Every marked row, in the order of the rows. */
    'trace/marks': {
      params: ofSession,
      result: z.array(z.object({ row, note: z.string() })),
    },
    'trace/detail': { params: ofSession.extend({ row: z.number().int() }), result: rowDetailSchema },
    /** Rows that belong to a row as its children, or were carried by it as an exchange; and how many there are. */
    'trace/relatives': {
      params: ofSession.extend({
        row,
        by: z.enum(['parent', 'exchange']),
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_CHILDREN),
      }),
      result: z.object({ total: z.number().int(), rows: z.array(traceRowSchema) }),
    },
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
