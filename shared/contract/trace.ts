import { z } from 'zod';
import {
  directionSchema,
  httpConnectedRecordSchema,
  httpEndRecordSchema,
  httpRequestRecordSchema,
  httpResponseRecordSchema,
  phaseNameSchema,
  processRecordSchema,
  sseEventSchema,
  traceHeaderSchema,
} from '../trace/record.ts';
import { rowKinds, rowStatuses, traceRowSchema } from '../trace/row.ts';
import { defineArea } from './area.ts';

/** A session of this run, or a trace opened by `traces/open`. */
const ofSession = z.object({ sessionId: z.string() });
const row = z.number().int().nonnegative();

/** Limit of rows in one response. */
export const MAX_ROWS_PER_PAGE = 500;
/** Limit of characters in the text of a detail; `trace/bytes` returns the rest. */
export const MAX_DETAIL_CHARS = 1024 * 1024;
/** Limit of bytes in one response of `trace/bytes`. */
export const MAX_BYTES_PER_READ = 256 * 1024;

/** Limit of characters of a note. */
export const MAX_NOTE = 2000;

/** Limit of related rows in a detail. */
export const MAX_CHILDREN = 200;

/** Limit of errors in statistics that are grouped, because each of them is read. */
export const MAX_GROUPED_ERRORS = 50_000;
/** Limit of groups of errors in statistics. */
export const MAX_ERROR_GROUPS = 200;
/** Limit of rows listed for each group of errors. */
export const MAX_ROWS_OF_GROUP = 100;

/** Limit of rows that can be selected one by one. */
export const MAX_SELECTED_ROWS = 10_000;

/** The rows to export or to compute statistics of. */
export const rowChoiceSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('all') }),
  z.object({ of: z.literal('filter'), filterId: z.string() }),
  z.object({ of: z.literal('rows'), rows: z.array(row).min(1).max(MAX_SELECTED_ROWS) }),
]);
export type RowChoice = z.infer<typeof rowChoiceSchema>;

/**
 * `messages`: every row, in the order received. `calls`: responses, HTTP exchanges, keepalives and other frames of the
 * transport folded into the row they belong to.
 */
export const traceViews = ['messages', 'calls'] as const;
export type TraceViewName = (typeof traceViews)[number];

/** The columns of the table by which rows can be sorted; a gap is one to the row before it in the trace. */
export const sortColumns = [
  'number',
  'time',
  'direction',
  'method',
  'name',
  'id',
  'status',
  'duration',
  'size',
  'transport',
  'finding',
  'mark',
  'waterfall',
] as const;
export type SortColumn = (typeof sortColumns)[number];

/** An order other than that of the trace. Rows without a value in the column are last, whatever the direction. */
export const rowSortSchema = z.object({ column: z.enum(sortColumns), isDescending: z.boolean() });
export type RowSort = z.infer<typeof rowSortSchema>;

/** How many rows of the whole trace some usual filters match. */
export const rowCountsSchema = z.object({
  /** `is:error` */
  errors: z.number().int(),
  /** `finding:any` */
  found: z.number().int(),
  /** `is:ask` */
  asks: z.number().int(),
});
export type RowCounts = z.infer<typeof rowCountsSchema>;

/** Completions for filters: the most frequent values first, at most some hundred each. */
export const vocabularySchema = z.object({
  methods: z.array(z.string()),
  /** Tools that were called. */
  tools: z.array(z.string()),
  /** Targets of requests: tools, prompts, URIs. */
  names: z.array(z.string()),
  /** Loggers of log messages. */
  loggers: z.array(z.string()),
  /** Rules with findings. */
  rules: z.array(z.string()),
});
export type Vocabulary = z.infer<typeof vocabularySchema>;

/** Responses from which a percentile says more than the longest of them. */
export const responsesFor = { p50: 2, p95: 20, p99: 100 } as const;

/** Calls of one method or tool. Times are microseconds from request to response; null without a response. */
export const callStatisticsSchema = z.object({
  method: z.string(),
  /** The tool; null for any other method. */
  tool: z.string().nullable(),
  direction: directionSchema,
  count: z.number().int(),
  /** Failed calls: an error, a tool error, or no response. */
  errors: z.number().int(),
  pending: z.number().int(),
  /** How many have a duration. A percentile is null if it takes more, as `responsesFor` says. */
  responses: z.number().int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  longest: z.number().nullable(),
  /** Bytes of requests (or notifications), and of their responses. */
  bytes: z.number(),
  responseBytes: z.number(),
});
export type CallStatistics = z.infer<typeof callStatisticsSchema>;

/** The size of a tool's definition, which every model that gets the list has to read. */
export const toolSizeSchema = z.object({
  name: z.string(),
  bytes: z.number().int(),
  /** An estimate: four characters per token. */
  tokens: z.number().int(),
  /** The row of the newest list with it. */
  row,
});
export type ToolSize = z.infer<typeof toolSizeSchema>;

/** Errors that say the same: equal facts, and the same text apart from numbers, ids and quoted strings. */
export const errorGroupSchema = z.object({
  kind: z.enum(rowKinds),
  method: z.string().nullable(),
  /** The tool; null for any other method. */
  tool: z.string().nullable(),
  status: z.enum(rowStatuses),
  /** JSON-RPC error code or HTTP status. */
  code: z.number().nullable(),
  /** What they say, with "…" for numbers, ids and quoted strings if there are several; null without a text. */
  text: z.string().nullable(),
  count: z.number().int(),
  /** The first `MAX_ROWS_OF_GROUP` of its rows. */
  rows: z.array(row),
  last: row,
});
export type ErrorGroup = z.infer<typeof errorGroupSchema>;

export const statisticsSchema = z.object({
  /** Rows scanned, and how many of them are messages; the others are exchanges, stderr, phases and the like. */
  rows: z.number().int(),
  requests: z.number().int(),
  responses: z.number().int(),
  notifications: z.number().int(),
  /** Microseconds from the first row to the last. */
  span: z.number(),
  bytesIn: z.number(),
  bytesOut: z.number(),
  /** How many requests took from so many to less than so many microseconds: classes that adjoin, in rising order. */
  durations: z.array(z.object({ from: z.number(), to: z.number(), count: z.number().int() })),
  /** Bytes of messages in equal parts of the span; `at` is when a part begins, in microseconds after the first row. */
  sizes: z.array(z.object({ at: z.number(), bytesIn: z.number(), bytesOut: z.number() })),
  calls: z.array(callStatisticsSchema),
  tools: z.array(toolSizeSchema),
  /** The first `MAX_ERROR_GROUPS` groups of errors, the most frequent first. */
  errorGroups: z.array(errorGroupSchema),
  /** Errors in none of these groups: beyond `MAX_GROUPED_ERRORS`, or of further groups. */
  ungroupedErrors: z.number().int(),
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** What crossed the connection so far. */
export const trafficSchema = z.object({
  /** Bytes of messages, and of what should have been messages; without HTTP headers. */
  bytesIn: z.number(),
  bytesOut: z.number(),
  /** How often each HTTP method got each status, in the order of first use; empty over stdio. */
  statuses: z.array(
    z.object({
      method: z.string(),
      /** Null without a response so far. */
      status: z.number().int().nullable(),
      count: z.number().int(),
      /** The newest exchange with it. */
      row: z.number().int(),
    }),
  ),
});
export type Traffic = z.infer<typeof trafficSchema>;

/** Limit of buckets of an overview. */
export const MAX_OVERVIEW_BUCKETS = 512;
/** Limit of phases in an overview. */
export const MAX_OVERVIEW_PHASES = 200;

/** The whole trace in equal stretches of time: what passed in each, and the phases of the session. Times are microseconds of the trace. */
export const overviewSchema = z.object({
  /** The first and the last row; both 0 without rows. */
  from: z.number(),
  to: z.number(),
  /** The length of a bucket; the first begins at `from`. */
  width: z.number(),
  /** For each bucket the rows that the server sent, those sent to it, and the errors. HTTP exchanges only frame other rows. */
  in: z.array(z.number().int()),
  out: z.array(z.number().int()),
  errors: z.array(z.number().int()),
  phases: z.array(z.object({ row, at: z.number(), phase: phaseNameSchema })),
});
export type Overview = z.infer<typeof overviewSchema>;

/** An HTTP exchange as recorded, with secrets replaced; null for what has not happened yet. */
export const exchangeDetailSchema = z.object({
  /** The exchange's own row. */
  row: z.number().int(),
  request: httpRequestRecordSchema,
  connected: httpConnectedRecordSchema.nullable(),
  /** Informational responses, and the final one last. */
  responses: z.array(httpResponseRecordSchema),
  end: httpEndRecordSchema.nullable(),
  /** Rows that it carried, in both directions; the first `MAX_CHILDREN`. `trace/relatives` returns the rest. */
  carried: z.array(traceRowSchema),
  carriedCount: z.number().int(),
});
export type ExchangeDetail = z.infer<typeof exchangeDetailSchema>;

/** How the process of a server ended, when nobody had asked it to. */
export const serverEndSchema = z.object({
  /** The row that says why: of its standard error, or of its end if it printed nothing. */
  row,
  /** Such as `exited with code 1`. */
  what: z.string(),
  /**
   * The error of the stack trace that it printed after the first request that it left without a response, or its last lines
   * since; null if it printed nothing. Untrusted text.
   */
  quote: z.string().nullable(),
  /** Its last lines of standard error. Untrusted text. */
  stderr: z.string(),
});
export type ServerEnd = z.infer<typeof serverEndSchema>;

export const rowDetailSchema = z.object({
  row: traceRowSchema,
  /** The exact text, up to `MAX_DETAIL_CHARS`; null for rows without text. */
  text: z.string().nullable(),
  truncated: z.boolean(),
  /** `base64` if the bytes are not valid UTF-8: `text` has replacement characters. */
  encoding: z.enum(['utf-8', 'base64']),
  /** Offset of the first byte that is not UTF-8. */
  badByteAt: z.number().int().nullable(),
  /** Why it is not a valid message, in one sentence. */
  error: z.string().nullable(),
  /** How the server ended, for a request without a response; null if its process did not end by itself. */
  serverEnd: serverEndSchema.nullable(),
  /** The change of the process, for a process row. */
  process: processRecordSchema.shape.change.nullable(),
  /** The phase and its reason, for a phase row. */
  phase: z.object({ phase: z.string(), reason: z.string().nullable() }).nullable(),
  /** The exchange that carried it; for an exchange, the row itself. */
  exchange: exchangeDetailSchema.nullable(),
  /** The fields of the SSE event besides its data. */
  sse: sseEventSchema.nullable(),
  pair: traceRowSchema.nullable(),
  parent: traceRowSchema.nullable(),
  /**
   * Rows that belong to this one, such as the progress of a call; the first `MAX_CHILDREN`. `trace/relatives` returns
   * the rest.
   */
  children: z.array(traceRowSchema),
  childCount: z.number().int(),
});
export type RowDetail = z.infer<typeof rowDetailSchema>;

/** A request of a trace with its response, as texts. */
export const tracedCallSchema = z.object({
  row,
  responseRow: row.nullable(),
  method: z.string(),
  /** `in`: a request of the server. */
  direction: z.enum(['in', 'out']),
  /** The tool, prompt or URI; null if the method has none. */
  target: z.string().nullable(),
  /** Its `params` without `_meta`, as written; null without any. */
  params: z.string().nullable(),
  /** `tool-error`: a result with `isError`. `none`: no response. */
  outcome: z.enum(['ok', 'tool-error', 'error', 'none']),
  /** The `result` or the `error` of the response, as written; null without a response, or if it is too large. */
  response: z.string().nullable(),
  /** Whether the response is too large to be read. */
  isTooLarge: z.boolean(),
  /** Microseconds of the trace. */
  at: z.number(),
  /** When it was sent, in milliseconds since the Unix epoch; missing if the trace does not have the time of day. */
  startedAt: z.number().exactOptional(),
  /** Microseconds; null without a response. */
  duration: z.number().nullable(),
  /**
   * Set if the server created a task for the call: the row of that response, and its `result` as written. The response and all that is
   * said of it is then that of the task.
   */
  task: z.object({ row, created: z.string() }).exactOptional(),
});
export type TracedCall = z.infer<typeof tracedCallSchema>;

/** Limit of calls in one response, and bytes of one response to a call. */
export const MAX_TRACED_CALLS = 1000;
export const MAX_TRACED_RESPONSE = 16 * 1024 * 1024;

export const traceArea = defineArea({
  commands: {
    /** How many rows there are, and how their times relate to the time of day. */
    'trace/summary': {
      params: ofSession,
      result: z.object({
        rows: z.number().int(),
        counts: rowCountsSchema,
        /** The first record: its microseconds in the trace, and milliseconds since the Unix epoch. */
        clock: z.object({ at: z.number(), wall: z.number() }),
        /** The server. */
        server: traceHeaderSchema.shape.server,
      }),
    },
    /** Rows `from` to `from + count` of the table, or of the matches of a filter. */
    'trace/rows': {
      params: ofSession.extend({
        filterId: z.string().nullable(),
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_ROWS_PER_PAGE),
      }),
      result: z.object({ total: z.number().int(), rows: z.array(traceRowSchema) }),
    },
    /**
     * Starts a filter in the filter language (`shared/trace/filter`), over messages or calls. Matches arrive with
     * `trace/filtered`; rows that change later are added or removed. With `sort`, the list is sorted again while it
     * changes, and what is folded into a row cannot be opened. Fails with `bad-filter` if it has a syntax error.
     */
    'trace/filter': {
      params: ofSession.extend({
        text: z.string(),
        view: z.enum(traceViews).default('messages'),
        /** Rows whose folds are open. */
        open: z.array(row).max(MAX_SELECTED_ROWS).optional(),
        sort: rowSortSchema.nullable().optional(),
      }),
      result: z.object({ filterId: z.string() }),
    },
    /** Opens or closes the fold of a row in a list of calls. */
    'trace/fold': {
      params: ofSession.extend({ filterId: z.string(), row, isOpen: z.boolean() }),
      result: z.null(),
    },
    'trace/end-filter': { params: ofSession.extend({ filterId: z.string() }), result: z.null() },
    /**
     * The index of a row among the matches of a filter, or of the match that it folds into; if there is none, of the nearest match
     * before it. `isListed`: there is one. A row that was not scanned yet is not listed.
     */
    'trace/place': {
      params: ofSession.extend({ filterId: z.string().nullable(), row: z.number().int() }),
      result: z.object({ place: z.number().int(), isListed: z.boolean() }),
    },
    /** Finds the next row after `from` (before it, with step -1) in the list that matches this filter too. */
    'trace/seek': {
      params: ofSession.extend({
        filterId: z.string().nullable(),
        from: z.number().int(),
        step: z.union([z.literal(1), z.literal(-1)]),
        text: z.string().min(1),
      }),
      result: z.object({ row: row.nullable() }),
    },
    /** The first row at or after an instant, in microseconds of the trace; null if all are before it. */
    'trace/at': {
      params: ofSession.extend({ at: z.number() }),
      result: z.object({ row: row.nullable() }),
    },
    /** Reads these rows, in the given order. */
    'trace/rows-by-number': {
      params: ofSession.extend({ rows: z.array(row).max(MAX_ROWS_PER_PAGE) }),
      result: z.array(traceRowSchema),
    },
    'trace/vocabulary': { params: ofSession, result: vocabularySchema },
    /** `filterId`: the list on screen, whose rows are counted as `listed`; without one, the rows themselves are. */
    'trace/statistics': {
      params: ofSession.extend({ rows: rowChoiceSchema, filterId: z.string().nullable().optional() }),
      result: statisticsSchema.extend({ listed: z.number().int() }),
    },
    'trace/traffic': { params: ofSession, result: trafficSchema },
    'trace/overview': { params: ofSession, result: overviewSchema },
    /** Sets the mark of a row: a note, empty for a bookmark; null removes it. */
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
    /** The children of a row, or the rows that an exchange carried, and their count. */
    'trace/relatives': {
      params: ofSession.extend({
        row,
        by: z.enum(['parent', 'exchange']),
        from: z.number().int().nonnegative(),
        count: z.number().int().positive().max(MAX_CHILDREN),
      }),
      result: z.object({ total: z.number().int(), rows: z.array(traceRowSchema) }),
    },
    /**
     * Requests with their responses from a row on, in both directions; without the handshake, pings, lists and what the app
     * sent by itself. `next` is the row to go on from, null at the end.
     */
    'trace/calls': {
      params: ofSession.extend({
        from: row,
        count: z.number().int().positive().max(MAX_TRACED_CALLS),
      }),
      result: z.object({ calls: z.array(tracedCallSchema), next: row.nullable() }),
    },
    /** Bytes of a unit as base64, for the hex view and for text beyond the limit of a detail. */
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
    /** The trace has `rows` rows; rows from `changedFrom` on may have changed. */
    'trace/grew': ofSession.extend({
      rows: z.number().int(),
      changedFrom: z.number().int(),
      counts: rowCountsSchema,
    }),
    'trace/filtered': ofSession.extend({
      filterId: z.string(),
      matches: z.number().int(),
      /** Rows scanned so far; `done` once it has caught up with the trace. */
      scanned: z.number().int(),
      done: z.boolean(),
      /** Incremented when rows have changed their places, because the list was sorted. */
      order: z.number().int(),
    }),
  },
});
