import { z } from 'zod';
import { defineArea } from './area.ts';
import { replayRunSchema } from './replay.ts';
import { tracedCallSchema } from './trace.ts';

/** How the values at a path are compared. Without a rule, known noise is ignored and all else must be equal. */
export const comparisonRuleSchema = z.object({
  /** A JSON path (RFC 9535) of names, indexes, `*` and `..`, into the `result` or the `error` of a response. */
  path: z.string(),
  /**
   * `exact`: equal, noise too. `type`: of the same type. `regex`: the other one matches `pattern`. `tolerance`: numbers that
   * differ by at most `tolerance`. `unordered`: an array with the same elements. `ignore`: not compared.
   */
  compare: z.enum(['exact', 'type', 'regex', 'tolerance', 'unordered', 'ignore']),
  pattern: z.string().optional(),
  tolerance: z.number().nonnegative().optional(),
  /** Further members of the object at the path are allowed. */
  subset: z.boolean().optional(),
});
export type ComparisonRule = z.infer<typeof comparisonRuleSchema>;

/**
 * What is ignored without a rule. `secret`: replaced in both traces. `meta`: a value inside `_meta`. `era`: what only one of
 * the eras of the protocol has in a result, if the two sides speak different ones.
 */
export const noiseKinds = ['id', 'time', 'cursor', 'secret', 'meta', 'era'] as const;
export type NoiseKind = (typeof noiseKinds)[number];

export const valueDifferenceSchema = z.object({
  /** A JSON path. */
  path: z.string(),
  /**
   * `order`: the same elements in another order. `type`: of another JSON type. `not-compared`: the texts differ, and comparing
   * them takes more than its budget.
   */
  kind: z.enum(['removed', 'added', 'changed', 'type', 'order', 'not-compared']),
  /** JSON text, truncated; null if the value is only on the other side. Untrusted. */
  recorded: z.string().nullable(),
  other: z.string().nullable(),
});
export type ValueDifference = z.infer<typeof valueDifferenceSchema>;

/** What became of a value, behind its path. */
export const differenceTexts: Readonly<Record<ValueDifference['kind'], string>> = {
  removed: 'removed',
  added: 'added',
  changed: 'changed',
  type: 'has another type',
  order: 'in another order',
  'not-compared': 'not compared: too large',
};

/** `replaced`: a value of a replay that takes the place of a recorded one. `rule`: a rule says so. */
export const ignoredPathSchema = z.object({
  path: z.string(),
  why: z.enum([...noiseKinds, 'replaced', 'rule']),
  /** JSON texts, truncated; null if the value is only on the other side. Untrusted. */
  recorded: z.string().nullable(),
  other: z.string().nullable(),
});
export type IgnoredPath = z.infer<typeof ignoredPathSchema>;

/**
 * How two responses to a call differ, the worst first. `breaking`: the response lost what the recorded output schema promises.
 * `flipped`: a result became an error, or an error a result. `missing`, `extra`: only one side has the call. `unclear`: a
 * response is missing or too large to compare, as a whole or in part. `skipped`: was not replayed. `noise`: only what is ignored differs.
 */
export const callClasses = [
  'breaking',
  'flipped',
  'missing',
  'extra',
  'behavior',
  'unclear',
  'skipped',
  'noise',
  'same',
] as const;
export type CallClass = (typeof callClasses)[number];

/** How many calls are of each class. */
export function countClasses(calls: readonly { readonly class: CallClass }[]): Record<CallClass, number> {
  const counts = {
    breaking: 0,
    flipped: 0,
    missing: 0,
    extra: 0,
    behavior: 0,
    unclear: 0,
    skipped: 0,
    noise: 0,
    same: 0,
  };
  for (const call of calls) counts[call.class]++;
  return counts;
}

/** A request of one side, with its response. */
export const comparedCallSchema = tracedCallSchema.pick({
  row: true,
  responseRow: true,
  outcome: true,
  duration: true,
});
export type ComparedCall = z.infer<typeof comparedCallSchema>;

export const callComparisonSchema = z.object({
  class: z.enum(callClasses),
  method: z.string(),
  /** The tool, prompt or URI; null if the method has none. */
  target: z.string().nullable(),
  /** The start of its other params in one line, as recorded if both sides have the call; empty without any. Untrusted. */
  paramsPreview: z.string(),
  /** `in`: a request of the server. */
  direction: z.enum(['in', 'out']),
  recorded: comparedCallSchema.nullable(),
  other: comparedCallSchema.nullable(),
  differences: z.array(valueDifferenceSchema),
  ignored: z.array(ignoredPathSchema),
  /** What differs, in a few words; empty if nothing does. */
  summary: z.string(),
  /** Whether the recorded side is a response that was accepted since. */
  isAccepted: z.boolean(),
});
export type CallComparison = z.infer<typeof callComparisonSchema>;

/** `unknown` counts as breaking: what a change of a schema means could not be decided. */
export const changeClasses = ['breaking', 'unknown', 'behavior', 'compatible'] as const;
export type ChangeClass = (typeof changeClasses)[number];

/** A change of what the server declares or lists. */
export const catalogChangeSchema = z.object({
  /** Stable name, such as `argument-required`. */
  rule: z.string(),
  class: z.enum(changeClasses),
  of: z.enum(['tool', 'resource', 'template', 'prompt', 'server']),
  /** Name or URI of the entry; for the server, of the capability. */
  name: z.string(),
  /** Where in the entry (RFC 6901); empty for the whole. */
  pointer: z.string(),
  /** One sentence. May quote untrusted text. */
  text: z.string(),
  /** JSON texts, truncated; null where there is nothing. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Recorded calls of the entry, and those of them that the change breaks. */
  calls: z.object({
    count: z.number().int(),
    broken: z.number().int(),
    /** Rows of the broken ones, the first 100. */
    rows: z.array(z.number().int()),
  }),
});
export type CatalogChange = z.infer<typeof catalogChangeSchema>;

const percentilesSchema = z.object({ p50: z.number(), p95: z.number(), max: z.number() });

export const comparisonSchema = z.object({
  calls: z.array(callComparisonSchema),
  /** How many calls are of each class. */
  counts: z.record(z.enum(callClasses), z.number().int()),
  catalog: z.array(catalogChangeSchema),
  /** Lists that one side did not read, so that they were not compared. */
  uncomparedLists: z.array(z.string()),
  /** Those of them that only the other side did not read. They fail a gate: an entry may be gone. */
  lostLists: z.array(z.string()),
  /** Microseconds from request to response of the calls that both sides have; null without any. */
  latency: z
    .object({ recorded: percentilesSchema, other: percentilesSchema, calls: z.number().int() })
    .nullable(),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** What must be equal for a comparison to pass. */
export const gates = ['breaking', 'behavior', 'any'] as const;
export type Gate = (typeof gates)[number];

/** The classes of differences that a gate lets through. */
const passing = {
  breaking: {
    calls: ['missing', 'extra', 'behavior', 'skipped', 'noise', 'same'],
    catalog: ['behavior', 'compatible'],
  },
  behavior: { calls: ['skipped', 'noise', 'same'], catalog: ['compatible'] },
  any: { calls: ['skipped', 'noise', 'same'], catalog: [] },
} as const satisfies Record<
  Gate,
  { readonly calls: readonly CallClass[]; readonly catalog: readonly ChangeClass[] }
>;

/** Whether a difference of this class makes a gate fail. */
export const failsGate = (gate: Gate, of: 'calls' | 'catalog', name: CallClass | ChangeClass): boolean =>
  !passing[gate][of].some((one) => one === name);

/** Classes of calls that differ. */
export const differingClasses: readonly CallClass[] = callClasses.filter((name) =>
  failsGate('any', 'calls', name),
);

/** Steps of a call over HTTP, each measured from its start; `end`, the whole response, is known of every transport. */
export const latencySteps = ['queued', 'connected', 'first-byte', 'end'] as const;
export const latencyStepLabels: Readonly<Record<(typeof latencySteps)[number], string>> = {
  queued: 'Queued',
  connected: 'Connected',
  'first-byte': 'First byte',
  end: 'Response',
};

/** The 95th percentile of each step, in microseconds; null where a side does not have the step. */
const stepLatenciesSchema = z.array(
  z.object({
    step: z.enum(latencySteps),
    recorded: z.number().nullable(),
    other: z.number().nullable(),
  }),
);

/** A comparison with the latency of each step. */
export const steppedComparisonSchema = comparisonSchema.extend({ steps: stepLatenciesSchema });
export type SteppedComparison = z.infer<typeof steppedComparisonSchema>;

/** A comparison that the engine keeps, without its calls. */
export const openComparisonSchema = comparisonSchema.omit({ calls: true }).extend({
  id: z.string(),
  /** The class of each call, and the row of its recorded request; null for a call of the other side only. */
  classes: z.array(z.enum(callClasses)),
  recordedRows: z.array(z.number().int().nullable()),
  steps: stepLatenciesSchema,
  /** How many entries of each list are equal on both sides. */
  unchanged: z.object({ tool: z.number(), resource: z.number(), template: z.number(), prompt: z.number() }),
});
export type OpenComparison = z.infer<typeof openComparisonSchema>;

/** Formats of a report. */
export const reportFormats = ['junit', 'sarif', 'json'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Limits of one response: calls, and characters of a response to a call. */
export const MAX_COMPARED_CALLS = 200;
export const MAX_SHOWN_RESPONSE = 512 * 1024;

const comparisonId = z.string();
const place = z.number().int().nonnegative();
const sides = {
  recorded: z.string(),
  other: z.string(),
  /** What a replay did, if the other side is one: which calls belong together, and which values. */
  replay: replayRunSchema.nullable().default(null),
};

export const comparisonArea = defineArea({
  commands: {
    /** Compares two sessions or opened traces: the calls in the order of the first, and what both servers list. */
    'comparison/compare': {
      params: z.object({ ...sides, rules: z.array(comparisonRuleSchema).max(1000) }),
      result: steppedComparisonSchema,
    },
    /**
     * Compares by the rules that are saved for the server, and with the responses that were accepted for the recording. The engine
     * keeps the comparison, so that its calls can be read in parts; of many it forgets the oldest.
     */
    'comparison/open': { params: z.object(sides), result: openComparisonSchema },
    /** Calls of a kept comparison, by their index. */
    'comparison/calls': {
      params: z.object({ comparisonId, places: z.array(place).max(MAX_COMPARED_CALLS) }),
      result: z.array(callComparisonSchema),
    },
    /** The two responses to a call, their `result` or `error`, as JSON texts; truncated, and null if there is none. */
    'comparison/responses': {
      params: z.object({ comparisonId, place }),
      result: z.object({
        recorded: z.string().nullable(),
        other: z.string().nullable(),
        isTruncated: z.boolean(),
      }),
    },
    /** A kept comparison as a file for other programs. */
    'comparison/report': {
      params: z.object({ comparisonId, format: z.enum(reportFormats), gate: z.enum(gates) }),
      result: z.object({ text: z.string() }),
    },
    'comparison/close': { params: z.object({ comparisonId }), result: z.null() },
    /** Expects the other response to this call from now on, in comparisons with this recording; or the recorded one again. */
    'comparison/accept': {
      params: z.object({ comparisonId, place, isAccepted: z.boolean() }),
      result: z.null(),
    },
    /** The rules that are saved for the server of a session or an opened trace. */
    'comparison/rules': {
      params: z.object({ sessionId: z.string() }),
      result: z.array(comparisonRuleSchema),
    },
    'comparison/save-rules': {
      params: z.object({ sessionId: z.string(), rules: z.array(comparisonRuleSchema).max(1000) }),
      result: z.array(comparisonRuleSchema),
    },
  },
  events: {},
});
