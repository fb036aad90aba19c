import { z } from 'zod';

/**
 * The trace file: JSON Lines, a header and then one record a line. A record is what happened once, never
 * what it means. A change of this file that old readers cannot follow raises `TRACE_VERSION`, freezes this
 * shape beside it and adds an upgrade.
 */
export const TRACE_FORMAT = 'mcptrace';
export const TRACE_VERSION = 1;

/** Pieces of a unit are at most this many bytes, so that no unit ever has to be one string. */
export const PIECE_BYTES = 1024 * 1024;

/** Microseconds of the engine's monotonic clock. */
const at = z.number().int().nonnegative();
const seq = z.number().int().nonnegative();
const size = z.number().int().nonnegative();

/** Seen from us: `out` went to the server, `in` came from it. */
export const directionSchema = z.enum(['in', 'out']);
export type Direction = z.infer<typeof directionSchema>;

const channelSchema = z.enum(['stdin', 'stdout']);
export type Channel = z.infer<typeof channelSchema>;

/** Why we sent a unit: the user asked for it, or the session did it by itself. */
const originSchema = z.enum(['user', 'automatic']);
export type Origin = z.infer<typeof originSchema>;

export const phaseNameSchema = z.enum(['connecting', 'initializing', 'ready', 'closing', 'closed', 'failed']);
export type PhaseName = z.infer<typeof phaseNameSchema>;

/** Bytes as text when they are valid UTF-8, as base64 when not; `size` counts the bytes on the wire. */
const bytes = {
  text: z.string().optional(),
  base64: z.string().optional(),
  size,
  /** Further pieces follow as `chunk` records. */
  more: z.literal(true).optional(),
  /** The stream ended inside this unit: its terminator never came. */
  cut: z.literal(true).optional(),
};

const unitRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('unit'),
  direction: directionSchema,
  channel: channelSchema,
  origin: originSchema.optional(),
  ...bytes,
});

const chunkRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('chunk'),
  /** `seq` of the record this is a further piece of. */
  of: seq,
  ...bytes,
});

const stderrRecordSchema = z.object({ seq, at, kind: z.literal('stderr'), ...bytes });

/** What happened to the server's process. Environment variables appear by name only. */
export const processRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('process'),
  change: z.discriminatedUnion('what', [
    z.object({
      what: z.literal('spawn'),
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      env: z.array(z.string()),
      pid: z.number().int(),
    }),
    z.object({
      what: z.literal('spawn-failed'),
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      code: z.string(),
      message: z.string(),
    }),
    z.object({ what: z.literal('stdin-failed'), message: z.string() }),
    /** The process lives but will never say anything again on its output. */
    z.object({ what: z.literal('stdout-closed') }),
    z.object({ what: z.literal('shutdown'), step: z.enum(['close-stdin', 'sigterm', 'sigkill']) }),
    z.object({ what: z.literal('exit'), code: z.number().int().nullable(), signal: z.string().nullable() }),
  ]),
});

const phaseRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('phase'),
  phase: phaseNameSchema,
  reason: z.string().optional(),
});

/** Ties the monotonic clock to the wall clock, which keeps running while the machine sleeps. */
const anchorRecordSchema = z.object({
  seq,
  at,
  kind: z.literal('anchor'),
  /** Milliseconds since the Unix epoch. */
  wall: z.number(),
});

export const traceRecordSchema = z.discriminatedUnion('kind', [
  unitRecordSchema,
  chunkRecordSchema,
  stderrRecordSchema,
  processRecordSchema,
  phaseRecordSchema,
  anchorRecordSchema,
]);

export type TraceRecord = z.infer<typeof traceRecordSchema>;
export type ProcessRecord = z.infer<typeof processRecordSchema>;
export type ProcessChange = ProcessRecord['change'];
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;

export const traceHeaderSchema = z.object({
  format: z.literal(TRACE_FORMAT),
  version: z.literal(TRACE_VERSION),
  app: z.object({ name: z.string(), version: z.string() }),
  /** ISO 8601, wall clock. */
  createdAt: z.string(),
  /** The same instant on both clocks: microseconds monotonic, milliseconds since the Unix epoch. */
  clock: z.object({ at, wall: z.number() }),
  /** What was connected to, without secrets. */
  server: z.object({
    name: z.string(),
    transport: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()),
  }),
});

export type TraceHeader = z.infer<typeof traceHeaderSchema>;
