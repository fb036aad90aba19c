import { z } from 'zod';
import { defineArea } from './area.ts';
import { latencySteps } from './comparison.ts';
import { faultSchema } from './fault.ts';

/** Limits of one load: calls, calls at a time, and calls a second. */
export const MAX_LOAD_COUNT = 10_000_000;
export const MAX_LOAD_CONCURRENCY = 256;
export const MAX_LOAD_RATE = 10_000;

/** The variable of a load that is the number of the run, from 1: `${n}` in an argument. */
export const RUN_VARIABLE = 'n';

/** How long calls took at one step, in microseconds. */
export const stepLatencySchema = z.object({
  step: z.enum(latencySteps),
  /** How many calls were measured. */
  count: z.number().int(),
  p50: z.number(),
  p90: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  /** How many calls took less than `below` and not less than the bucket before; empty ones at both ends are left out. */
  buckets: z.array(z.object({ below: z.number(), count: z.number().int() })),
});
export type StepLatency = z.infer<typeof stepLatencySchema>;

export const loadReportSchema = z.object({
  /** Runs of the call, or of the whole file. */
  requested: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  /** Calls that were sent; a run of a file sends several. */
  calls: z.number().int(),
  /** Calls that were not sent, because they may write. */
  skipped: z.number().int(),
  /** Milliseconds from the first request to the last response. */
  elapsed: z.number(),
  /** Runs that ended, a second. */
  throughput: z.number(),
  /** The most runs under way at a time. */
  mostAtOnce: z.number().int(),
  /** How often a run was due and had to wait, because too many were under way. */
  waits: z.number().int(),
  /** What went wrong, the most frequent first. May quote untrusted text. */
  errors: z.array(z.object({ kind: z.string(), count: z.number().int() })),
  steps: z.array(stepLatencySchema),
  /** The rows of the first and the last request; null if none was sent. */
  rows: z.object({ first: z.number().int(), last: z.number().int() }).nullable(),
  /** The row of the request that was waited longest for its response; null without a response. */
  slowest: z.number().int().nullable(),
  isStopped: z.boolean(),
  /** Why it ended early; null if it did not. */
  fault: faultSchema.nullable(),
});
export type LoadReport = z.infer<typeof loadReportSchema>;

export const loadArea = defineArea({
  commands: {
    /** Makes a call, or runs the calls of a test file in their order, many times in a session that is ready. */
    'load/run': {
      params: z.object({
        sessionId: z.string(),
        what: z.discriminatedUnion('kind', [
          /** `arguments`: JSON text of an object, in whose strings `RUN_VARIABLE` is replaced. */
          z.object({ kind: z.literal('tool'), tool: z.string(), arguments: z.string() }),
          /**
           * `name`: of one of its calls; null for all. `variables`: JSON texts that override those of the file; the values of
           * those named in `secrets` are replaced in the trace.
           */
          z.object({
            kind: z.literal('file'),
            path: z.string().min(1),
            name: z.string().nullable(),
            variables: z.record(z.string(), z.string()),
            secrets: z.array(z.string()).optional(),
          }),
        ]),
        count: z.number().int().positive().max(MAX_LOAD_COUNT),
        schedule: z.discriminatedUnion('kind', [
          /** So many at a time, each followed by the next. */
          z.object({
            kind: z.literal('concurrency'),
            concurrency: z.number().int().positive().max(MAX_LOAD_CONCURRENCY),
          }),
          /** So many a second, whether the ones before have ended or not. */
          z.object({ kind: z.literal('rate'), rate: z.number().positive().max(MAX_LOAD_RATE) }),
        ]),
        /** Whether to call tools that are not read-only by their annotations. */
        allowWrites: z.boolean(),
      }),
      result: loadReportSchema,
    },
    /** Starts no further call; those under way are waited for. */
    'load/stop': { params: z.object({ sessionId: z.string() }), result: z.null() },
  },
  events: {
    'load/advanced': z.object({
      sessionId: z.string(),
      done: z.number().int(),
      failed: z.number().int(),
      total: z.number().int(),
      /** False once, in the last event of a load. */
      isRunning: z.boolean(),
    }),
  },
});
