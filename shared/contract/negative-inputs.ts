import { z } from 'zod';
import { defineArea } from './area.ts';

/** Ways in which an input can be wrong. */
export const negativeKinds = [
  'unknown-tool',
  'missing-argument',
  'wrong-type',
  'extra-argument',
  'path-traversal',
  'bad-cursor',
  'unknown-resource',
  'unknown-prompt',
  'missing-prompt-argument',
  'invalid-log-level',
  'huge-value',
] as const;
export type NegativeKind = (typeof negativeKinds)[number];

export const negativeInputSchema = z.object({
  /** Stable while the lists of the server stay the same. */
  id: z.string(),
  kind: z.enum(negativeKinds),
  method: z.string(),
  /** The tool or prompt; null for others. */
  target: z.string().nullable(),
  /** What is wrong with it, such as `without the required argument city`. */
  what: z.string(),
  /** What the specification expects of the response. */
  expected: z.string(),
  /** Whether it calls a tool that may be destructive by its annotations or their defaults. */
  mayDestroy: z.boolean(),
});
export type NegativeInput = z.infer<typeof negativeInputSchema>;

export const assessments = [
  'passed',
  /** The server refused it, but not as the specification says. */
  'warning',
  /** The input was accepted, or the server did not survive it. */
  'failed',
  /** There is no response that says anything. */
  'unknown',
] as const;

export const negativeOutcomeSchema = z.object({
  sessionId: z.string(),
  input: negativeInputSchema,
  assessment: z.enum(assessments),
  /** What came. */
  got: z.string(),
  /** Microseconds; null without a response. */
  duration: z.number().nullable(),
  /** Rows of the trace; null if nothing was sent. */
  requestRow: z.number().int().nullable(),
  responseRow: z.number().int().nullable(),
});
export type NegativeOutcome = z.infer<typeof negativeOutcomeSchema>;

const ofSession = z.object({ sessionId: z.string() });

export const negativeInputsArea = defineArea({
  commands: {
    /** The inputs that can be sent in a session, made from the lists of the server. Nothing is sent. */
    'negative-inputs/plan': { params: ofSession, result: z.array(negativeInputSchema) },
    /**
     * Sends these inputs of the plan one after the other; resolves when all have ended. The server may act on them, so
     * the user must have agreed.
     */
    'negative-inputs/run': {
      params: ofSession.extend({ ids: z.array(z.string()), consent: z.literal(true) }),
      result: z.array(negativeOutcomeSchema),
    },
    /** Ends the run of a session; the request that is under way is cancelled. */
    'negative-inputs/stop': { params: ofSession, result: z.null() },
  },
  events: {
    /** An input has its outcome. */
    'negative-inputs/ran': negativeOutcomeSchema,
  },
});
