import { z } from 'zod';
import { defineArea } from './area.ts';

const row = z.number().int().nonnegative();

/**
 * Why a recorded call was not sent. `writes`: its tool is not read-only by its annotations. `secret`: its params held a secret,
 * which the recording does not have. `declined`: the user left it out.
 */
export const skipReasons = ['writes', 'declined', 'secret', 'no-response', 'not-listed', 'stopped'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** What to do with a call that a run by steps asks about. `stop`: sends neither it nor any after it. */
export const stepAnswerSchema = z.enum(['send', 'skip', 'stop']);
export type StepAnswer = z.infer<typeof stepAnswerSchema>;

/** Calls of a replay that may be under way at the same time. */
export const MAX_REPLAY_CONCURRENCY = 256;

/** What became of a recorded call. */
export const replayedCallSchema = z.object({
  /** Row of the request in the recording. */
  recordedRow: row,
  method: z.string(),
  target: z.string().nullable(),
  /** Row of the request in the session; null if it was skipped. */
  row: row.nullable(),
  skipped: z.enum(skipReasons).nullable(),
  /** JSON paths in its params whose values were taken from earlier responses of this run. */
  replaced: z.array(z.string()),
});
export type ReplayedCall = z.infer<typeof replayedCallSchema>;

export const replayRunSchema = z.object({
  calls: z.array(replayedCallSchema),
  /** Values of the recording with those that took their place, both as JSON texts. */
  values: z.array(z.tuple([z.string(), z.string()])),
  /** Requests of the server that were answered as in the recording, and those for which it has no answer. */
  answered: z.number().int(),
  declined: z.number().int(),
  /** Milliseconds from the start of the run to the end of its last call. */
  duration: z.number(),
});
export type ReplayRun = z.infer<typeof replayRunSchema>;

/** Calls of one tool, prompt or URI. */
const replayTargetSchema = z.object({ method: z.string(), target: z.string().nullable() });
export type ReplayTarget = z.infer<typeof replayTargetSchema>;

/** Which calls of a recording to replay. `rows` may name responses too. `from`: this call and all after it. */
export const replayScopeSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('all') }),
  z.object({ of: z.literal('rows'), rows: z.array(row) }),
  z.object({ of: z.literal('from'), row }),
]);
export type ReplayScope = z.infer<typeof replayScopeSchema>;

/**
 * What calls of a tool may do by the annotations of the session's server. `reads`: nothing is changed. `destructive`: it may
 * destroy. `unannotated`: it does not say what it does. `request`: not a tool.
 */
export const replayEffects = ['request', 'reads', 'writes', 'destructive', 'unannotated'] as const;
export type ReplayEffect = (typeof replayEffects)[number];

export const plannedCallsSchema = replayTargetSchema.extend({
  count: z.number().int(),
  /** Those of them that cannot be sent, because they have no response in the recording. */
  unsendable: z.number().int(),
  /** Those of the others that are sent only with the values of these secrets. */
  withSecrets: z.array(z.object({ placeholders: z.array(z.string()), count: z.number().int() })),
  effect: z.enum(replayEffects),
  /** False for a tool that the server does not list. */
  isListed: z.boolean(),
  /** The hints of the tool that are set, such as `readOnlyHint: true`. */
  hints: z.array(z.string()),
});
export type PlannedCalls = z.infer<typeof plannedCallsSchema>;

/** A secret that a recording has only a placeholder of. */
const plannedSecretSchema = z.object({
  /** As the recording has it, which is also its name in `variables` of a run. */
  placeholder: z.string(),
  /** What it is, such as `member password`. */
  kind: z.string(),
});
export type PlannedSecret = z.infer<typeof plannedSecretSchema>;

/** Characters of the shortest value of a secret that can be kept out of the trace of a run. */
export const MIN_REPLAY_SECRET = 4;

export const replayArea = defineArea({
  commands: {
    /** What a replay would send to a session, by tool, prompt or URI, in the order of the recording. Sends nothing. */
    'replay/plan': {
      params: z.object({ recorded: z.string(), sessionId: z.string(), scope: replayScopeSchema }),
      result: z.object({
        /** Rows of the calls in the scope. */
        rows: z.array(row),
        calls: z.array(plannedCallsSchema),
        /** The secrets of these calls, and of the answers to what the server asked. */
        secrets: z.array(plannedSecretSchema),
      }),
    },
    /**
     * Sends the calls of a recording to a session that is ready, in their order. The handshake, ids and progress tokens are the
     * session's own. Values that come from earlier responses are replaced by those of this run, and requests of the server are
     * answered as in the recording.
     */
    'replay/run': {
      params: z.object({
        /** The opened trace, or another session of this run of the app. */
        recorded: z.string(),
        sessionId: z.string(),
        /** Rows of the calls to send; null for all. */
        rows: z.array(row).nullable(),
        /** Whether to call tools that are not read-only by their annotations. */
        allowWrites: z.boolean(),
        /** The recorded time between two calls is divided by this; null to wait for nothing. */
        speed: z.number().positive().nullable(),
        /** Calls that may be under way at the same time, 1 by default; one that uses a value of an earlier response waits for it. */
        concurrency: z.number().int().positive().max(MAX_REPLAY_CONCURRENCY).exactOptional(),
        /** Calls to leave out; they count as skipped. */
        leaveOut: z.array(replayTargetSchema).exactOptional(),
        /** Whether to wait for `replay/step` before each call. */
        isStepped: z.boolean().exactOptional(),
        /** Values of secrets that the recording has placeholders of: JSON texts by a name of the secret. */
        variables: z.record(z.string(), z.string()).exactOptional(),
      }),
      result: replayRunSchema,
    },
    /** Answers `replay/waiting`. Does nothing if that call does not wait any more. */
    'replay/step': {
      params: z.object({ sessionId: z.string(), recordedRow: row, answer: stepAnswerSchema }),
      result: z.null(),
    },
    /** Sends no further call; those under way are waited for. */
    'replay/stop': { params: z.object({ sessionId: z.string() }), result: z.null() },
  },
  events: {
    /** A call of a run ended or was skipped; reported a few times a second. */
    'replay/advanced': z.object({
      sessionId: z.string(),
      done: z.number().int(),
      total: z.number().int(),
    }),
    /** A run by steps waits for `replay/step` before it sends this call. */
    'replay/waiting': replayTargetSchema.extend({
      sessionId: z.string(),
      /** Row of the request in the recording. */
      recordedRow: row,
      /** What would be sent, as JSON text with placeholders for secrets. Untrusted. */
      params: z.string(),
    }),
  },
});
