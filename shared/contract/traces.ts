import { z } from 'zod';
import { traceHeaderSchema } from '../trace/record.ts';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** A trace file in the app's data folder. */
export const traceFileSchema = z.object({
  path: z.string(),
  /** The file's name without its extension. */
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Milliseconds since the Unix epoch: when it was begun, by its header; else when it was changed last. */
  createdAt: z.number(),
  /** What was connected to; null when the file cannot be read as a trace. */
  server: z.string().nullable(),
  transport: z.enum(['stdio', 'http']).nullable(),
  /** Rows, and how many of them are errors; null while they were not counted yet. */
  rows: z.number().int().nullable(),
  errors: z.number().int().nullable(),
  /** The session of this run that writes it. */
  sessionId: z.string().nullable(),
  /** Why it cannot be opened. */
  fault: faultSchema.nullable(),
});
export type TraceFileView = z.infer<typeof traceFileSchema>;

/** A trace opened from a file: a session that is over, or that another process records. */
export const openedTraceSchema = z.object({
  /** What `trace/*` and `checks/*` know it by. */
  sessionId: z.string(),
  path: z.string(),
  name: z.string(),
  header: traceHeaderSchema,
  /** Bytes of the file, and how many of them were read. */
  size: z.number(),
  read: z.number(),
  /** Bytes at its end that are no whole record: torn, or still being written. */
  unfinished: z.number().int(),
  /** All there is was read. More may come while another process writes it. */
  isRead: z.boolean(),
  /** It has grown since it was opened, or is being written. */
  isGrowing: z.boolean(),
  /** Every message was looked at for findings. */
  isChecked: z.boolean(),
  counts: z.object({ rows: z.number(), messages: z.number(), errors: z.number(), invalid: z.number() }),
  findings: z.object({ error: z.number().int(), warning: z.number().int(), info: z.number().int() }),
  medianDuration: z.number().nullable(),
  /** What is wrong with the file: a torn last line, lines that are no records. What could be read is there. */
  faults: z.array(faultSchema),
});
export type OpenedTrace = z.infer<typeof openedTraceSchema>;

/** The most bytes one `traces/receive` carries. */
export const MAX_RECEIVED_BYTES = 256 * 1024;

export const tracesArea = defineArea({
  commands: {
    /** Trace files of the data folder, the newest first. */
    'traces/list': {
      params: z.object({}),
      result: z.object({ folder: z.string(), files: z.array(traceFileSchema) }),
    },
    /** Opens a trace file, or comes back to it when it is open. Rows arrive by `trace/grew`. */
    'traces/open': { params: z.object({ path: z.string().min(1) }), result: openedTraceSchema },
    /** Lets an opened trace go; the file stays. */
    'traces/close': { params: z.object({ sessionId: z.string() }), result: z.null() },
    'traces/opened': { params: z.object({}), result: z.array(openedTraceSchema) },
    /** Gives a file of the data folder another name (without extension). Refused while a session writes it. */
    'traces/rename': {
      params: z.object({ path: z.string(), name: z.string().min(1).max(200) }),
      result: traceFileSchema,
    },
    /** Deletes a file of the data folder for good. Refused while a session writes it. */
    'traces/delete': { params: z.object({ path: z.string() }), result: z.null() },
    /**
     * Takes in a file that was dropped on a page that cannot tell its path, piece by piece in order; the last answer
     * is the path it was kept at in the data folder.
     */
    'traces/receive': {
      params: z.object({
        /** Null begins one. */
        transferId: z.string().nullable(),
        name: z.string(),
        base64: z.base64(),
        isLast: z.boolean(),
      }),
      result: z.object({ transferId: z.string(), path: z.string().nullable() }),
    },
  },
  events: {
    /** Files of the data folder came, went or changed. */
    'traces/changed': z.object({}),
    'traces/opened-changed': openedTraceSchema,
    'traces/closed': z.object({ sessionId: z.string() }),
    /** A file named outside the page (on the command line, by a double click) was opened: show it. */
    'traces/show': z.object({ sessionId: z.string() }),
  },
});
