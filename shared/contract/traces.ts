import { z } from 'zod';
import { traceHeaderSchema } from '../trace/record.ts';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';
import { sessionSchema } from './sessions.ts';

/** A trace file in the app's data folder. */
export const traceFileSchema = z.object({
  path: z.string(),
  /** The file's name without its extension. */
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Milliseconds since the Unix epoch: its start, from the header; without a header, its last change. */
  createdAt: z.number(),
  /** The server; null if the file cannot be read as a trace. */
  server: z.string().nullable(),
  transport: z.enum(['stdio', 'http']).nullable(),
  /** Whether it has only some rows of a recording. */
  isExcerpt: z.boolean(),
  /** Rows, and how many of them are errors; null until they are counted. */
  rows: z.number().int().nullable(),
  errors: z.number().int().nullable(),
  /** The session of this run that writes it, if any. */
  sessionId: z.string().nullable(),
  /** Why it cannot be opened. */
  fault: faultSchema.nullable(),
});
export type TraceFileView = z.infer<typeof traceFileSchema>;

/** A trace opened from a file: an ended session, or one that another process records. */
export const openedTraceSchema = z.object({
  /** Its id in `trace/*` and `checks/*`. */
  sessionId: z.string(),
  path: z.string(),
  name: z.string(),
  header: traceHeaderSchema,
  /** Bytes of the file, and how many of them were read. */
  size: z.number(),
  read: z.number(),
  /** Bytes at the end that are not a complete record: truncated, or still being written. */
  unfinished: z.number().int(),
  /** The whole file was read. Another process may still append to it. */
  isRead: z.boolean(),
  /** Whether the file has grown since it was opened, or is being written. */
  isGrowing: z.boolean(),
  /** Every message was checked. */
  isChecked: z.boolean(),
  counts: z.object({ rows: z.number(), messages: z.number(), errors: z.number(), invalid: z.number() }),
  findings: z.object({ error: z.number().int(), warning: z.number().int(), info: z.number().int() }),
  medianDuration: z.number().nullable(),
  /** What is wrong with the file: a truncated last line, lines that are not records. The rest is shown. */
  faults: z.array(faultSchema),
});
export type OpenedTrace = z.infer<typeof openedTraceSchema>;

/** Limit of bytes in one `traces/receive`. */
export const MAX_RECEIVED_BYTES = 256 * 1024;

export const tracesArea = defineArea({
  commands: {
    /** Trace files of the data folder, newest first. */
    'traces/list': {
      params: z.object({}),
      result: z.object({ folder: z.string(), files: z.array(traceFileSchema) }),
    },
    /** Opens a trace file, or returns it if it is open. Rows arrive with `trace/grew`. */
    'traces/open': { params: z.object({ path: z.string().min(1) }), result: openedTraceSchema },
    /** Closes an opened trace; the file stays. */
    'traces/close': { params: z.object({ sessionId: z.string() }), result: z.null() },
    'traces/opened': { params: z.object({}), result: z.array(openedTraceSchema) },
    /**
     * The session in an opened trace, derived from its records; it is never open. `catalog/*`, `calls/list`,
     * `calls/result`, `tasks/list`, `tasks/result` and `subscriptions/list` take the id of an opened trace, too.
     */
    'traces/session': { params: z.object({ sessionId: z.string() }), result: sessionSchema },
    /** Renames a file of the data folder (without extension). Fails while a session writes it. */
    'traces/rename': {
      params: z.object({ path: z.string(), name: z.string().min(1).max(200) }),
      result: traceFileSchema,
    },
    /** Deletes a file of the data folder permanently. Fails while a session writes it. */
    'traces/delete': { params: z.object({ path: z.string() }), result: z.null() },
    /**
     * Receives a file that was dropped on a page without access to its path, piece by piece in order. The last response
     * has its path in the data folder.
     */
    'traces/receive': {
      params: z.object({
        /** Null starts a transfer. */
        transferId: z.string().nullable(),
        name: z.string(),
        base64: z.base64(),
        isLast: z.boolean(),
      }),
      result: z.object({ transferId: z.string(), path: z.string().nullable() }),
    },
  },
  events: {
    /** Files of the data folder were added, removed or changed. */
    'traces/changed': z.object({}),
    'traces/opened-changed': openedTraceSchema,
    'traces/closed': z.object({ sessionId: z.string() }),
    /** A file was opened from outside the page (command line, double click): show it. */
    'traces/show': z.object({ sessionId: z.string() }),
  },
});
