import { z } from 'zod';
import { parsePath } from '../json/path.ts';
import { parsePattern } from '../json/path-pattern.ts';
import { defineArea } from './area.ts';
import { comparisonRuleSchema, ignoredPathSchema } from './comparison.ts';
import type { Fault } from './fault.ts';
import { inboxRuleSchema } from './inbox.ts';

/** The end of the name of a test file. */
export const TEST_FILE_END = '.mcptest.yaml';

/** How a saved call may be expected to end; see `callStates`. */
export const expectedStates = ['ok', 'tool-error', 'protocol-error', 'timed-out', 'cancelled'] as const;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

const isPattern = (source: string): boolean => {
  try {
    // Variables are replaced before it is used.
    return (
      new RegExp(
        source.replaceAll(/\$\{[^}]*(?:\}|$)/g, (found) => (found.endsWith('}') ? 'x' : found)),
        'u',
      ) instanceof RegExp
    );
  } catch {
    return false;
  }
};

/** A regular expression, which may contain `${variables}`. */
export const patternSchema = z.string().refine(isPattern, 'not a regular expression');

/** A JSON path that names one value (RFC 9535, singular queries). It may go on inside a string that holds JSON. */
export const pathSchema = z
  .string()
  .refine((path) => parsePath(path) !== null, 'not a JSON path such as $.content[0].text');

/** A rule for comparing the whole result, whose path can be parsed. */
export const resultRuleSchema = comparisonRuleSchema.extend({
  path: z
    .string()
    .refine((path) => parsePattern(path) !== null, 'not a JSON path such as $.items[*].id or $..id'),
  pattern: patternSchema.optional(),
});

/** What is expected of one value of the result. */
export const valueCheckSchema = z.object({
  path: pathSchema,
  check: z.discriminatedUnion('kind', [
    /** JSON text of the value. */
    z.object({ kind: z.literal('equals'), value: z.string() }),
    z.object({ kind: z.literal('type'), type: z.enum(jsonTypes) }),
    /** A regular expression that matches somewhere in a string. */
    z.object({ kind: z.literal('matches'), pattern: patternSchema }),
    z.object({ kind: z.literal('exists'), exists: z.boolean() }),
  ]),
});
export type ValueCheck = z.infer<typeof valueCheckSchema>;

export const expectationsSchema = z.object({
  status: z.enum(expectedStates),
  /** The code of the JSON-RPC error; null for any. */
  code: z.number().int().nullable(),
  values: z.array(valueCheckSchema),
  /**
   * `output`: the structured content is valid by the `outputSchema` of the tool. Any other text is a JSON Schema for the
   * structured content, or for the whole result of a method other than `tools/call`. Null for none.
   */
  schema: z.string().nullable(),
  /** Milliseconds the call may take; null for any. */
  duration: z.number().positive().nullable(),
  /** The whole result as JSON text, compared by structure; null if it is not compared, or kept in a snapshot. */
  result: z.string().nullable(),
  /** The name of the file in `__snapshots__/` that holds the whole result; null if there is none. */
  snapshot: z.string().nullable(),
  /** How values of the whole result are compared. */
  compare: z.array(resultRuleSchema),
  /** Methods of messages that the server sends before the response, in this order; others may come between. */
  messages: z.array(z.string().min(1)),
  /** Progress before the response: how many notifications at least, and the longest pause in milliseconds. */
  progress: z
    .object({ atLeast: z.number().int().nonnegative(), every: z.number().positive().nullable() })
    .nullable(),
  /** Milliseconds after the call has ended in which nothing about it may come; null for none. */
  silence: z.number().positive().nullable(),
});
export type Expectations = z.infer<typeof expectationsSchema>;

/** Expects a result, and nothing of it. */
export const anyResult: Expectations = {
  status: 'ok',
  code: null,
  values: [],
  schema: null,
  duration: null,
  result: null,
  snapshot: null,
  compare: [],
  messages: [],
  progress: null,
  silence: null,
};

export const savedCallSchema = z.object({
  name: z.string().min(1),
  /** Of a step that is no call. `raw`: sends a text as it is. `wait`: waits for a notification. Left out for calls. */
  kind: z.enum(['raw', 'wait']).exactOptional(),
  /** `tools/call`, or any other method; of `wait`, that of the notification; of `raw`, `raw`. */
  method: z.string().min(1),
  /** Null for any other method than `tools/call`. */
  tool: z.string().nullable(),
  /** The arguments of the tool, or the params of the request: JSON text of an object; of `raw`, the text. It may refer to `${variables}`. */
  arguments: z.string(),
  /** Milliseconds after which the call is cancelled; null for not at all. */
  cancelAfter: z.number().positive().nullable(),
  /** Answers to what the server asks during the call, each used once. JSON texts may refer to `${variables}`. */
  answers: z.array(inboxRuleSchema.omit({ delay: true })),
  /** JSON paths of values of the result that become variables, by name. */
  capture: z.record(z.string(), pathSchema),
  expect: expectationsSchema,
});
export type SavedCall = z.infer<typeof savedCallSchema>;

/** What most calls need nothing of. */
export const plainCall = { cancelAfter: null, answers: [], capture: {} } satisfies Partial<SavedCall>;

/** A place in a file, from 1. */
const place = { line: z.number().int(), column: z.number().int() };

export const fileErrorSchema = z.object({ ...place, message: z.string() });
export type FileError = z.infer<typeof fileErrorSchema>;

/** What was not as expected, at the place in the file that says so. */
export const callFailureSchema = z.object({
  ...place,
  /** On one line, with the words of the server. */
  message: z.string(),
  /** What was expected, and what came; left out where the message says all. */
  expected: z.string().exactOptional(),
  received: z.string().exactOptional(),
  /**
   * All that the server said about it: the text of a tool error, the data of a JSON-RPC error, or its last lines of standard
   * error. Untrusted text.
   */
  quote: z.string().exactOptional(),
});
export type CallFailure = z.infer<typeof callFailureSchema>;

/** The server that a file names for the terminal; a command line names it, too, and wins. */
export const fileTargetSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), name: z.string() }),
  z.object({ kind: z.literal('http'), url: z.string() }),
  z.object({ kind: z.literal('stdio'), command: z.string(), args: z.array(z.string()) }),
]);
export type FileTarget = z.infer<typeof fileTargetSchema>;

export const testFileSchema = z.object({
  path: z.string(),
  /** Whether the file exists; a call that is saved creates it. */
  exists: z.boolean(),
  /** JSON texts by name. */
  variables: z.record(z.string(), z.string()),
  target: fileTargetSchema.nullable(),
  /** Empty if the file has an error. */
  calls: z.array(savedCallSchema.extend({ ...place, end: z.object(place) })),
  errors: z.array(fileErrorSchema),
});
export type TestFile = z.infer<typeof testFileSchema>;

/** How a saved call ended against what was expected. */
export const callOutcomeSchema = z.object({
  path: z.string(),
  /** Its index in the file, and its name at that time. */
  index: z.number().int(),
  name: z.string(),
  sessionId: z.string(),
  /** `flaky`: at least one attempt passed, and at least one failed. */
  state: z.enum(['passed', 'failed', 'flaky', 'skipped']),
  /** Each time it was sent: in which round of the repeated file, and how that ended. */
  attempts: z.array(
    z.object({
      round: z.number().int(),
      state: z.enum(['passed', 'failed']),
      duration: z.number().nullable(),
    }),
  ),
  /** What was not as expected, each with the place in the file that says so. Of the first attempt that failed. */
  failures: z.array(callFailureSchema),
  /** What fails no call: answers of the file that the server did not ask for. Of the attempt that `failures` is of, or the last one. */
  warnings: z.array(callFailureSchema),
  /** Why it was skipped. */
  reason: z.string().nullable(),
  /** Values of the whole result that differ and were not compared. */
  ignored: z.array(ignoredPathSchema),
  /** What was changed in the file, in words. */
  updated: z.array(z.string()),
  /** Why nothing was changed in the file although the run was asked to; null otherwise. */
  notUpdated: z.string().nullable(),
  /** Whether the last answer can be accepted as what is expected. */
  canAccept: z.boolean(),
  /** Microseconds; null if there was no response. */
  duration: z.number().nullable(),
  /** Rows of the trace; null if nothing was sent. */
  requestRow: z.number().int().nullable(),
  responseRow: z.number().int().nullable(),
  /** When it ended: milliseconds since the Unix epoch. */
  at: z.number(),
});
export type CallOutcome = z.infer<typeof callOutcomeSchema>;

/**
 * Whether a call fails a run. A call that failed in a round of its own does; one that passed when it was tried again does not.
 */
export const failsRun = ({ state, attempts }: Pick<CallOutcome, 'state' | 'attempts'>): boolean =>
  state === 'failed' ||
  (state === 'flaky' &&
    attempts.some((one, index) => one.state === 'failed' && attempts[index + 1]?.round !== one.round));

/**
 * What a run writes to the file. `changed`: answers that are not as expected. `missing`: answers where none is expected. `all`:
 * both. Patterns, types, schemas and times are never changed.
 */
export const updateChoices = ['none', 'changed', 'missing', 'all'] as const;
export type UpdateChoice = (typeof updateChoices)[number];

/** Limits of how often a file is run, and a call tried again. */
export const MAX_REPEATS = 1000;
export const MAX_RETRIES = 100;

/** Limit of files of a folder that are listed. */
export const MAX_LISTED_FILES = 200;

const ofFile = z.object({ path: z.string().min(1) });

/** A call of a file as the page knows it; the file may have changed since. */
const knownCall = z.object({ index: z.number().int().nonnegative(), name: z.string() });

/** Limit of characters of a test file that a page hands over. */
export const MAX_TEST_FILE = 16_000_000;

/** A step that was removed from a test file: its place, and the text of the file before and after. */
export const removedCallSchema = ofFile.extend({
  index: z.number().int(),
  name: z.string(),
  before: z.string(),
  after: z.string(),
});
export type RemovedCall = z.infer<typeof removedCallSchema>;

export const savedCallsArea = defineArea({
  commands: {
    /**
     * Keeps a test file of which the page knows only its name and text, in the data folder. Never overwrites another file: it
     * gets a numbered name. Returns its path.
     */
    'saved-calls/receive': {
      params: z.object({ name: z.string().min(1).max(200), text: z.string().max(MAX_TEST_FILE) }),
      result: z.object({ path: z.string() }),
    },
    /** Reads a test file. Its path must be absolute in all these commands. */
    'saved-calls/read': { params: ofFile, result: testFileSchema },
    /** The names of the test files in the folder of a file, sorted; the first `MAX_LISTED_FILES`. */
    'saved-calls/files': { params: ofFile, result: z.array(z.string()) },
    /** Adds a call to the file, or replaces one if it is still there. Creates the file; keeps comments. */
    'saved-calls/save': {
      params: ofFile.extend({ call: savedCallSchema, replaces: knownCall.nullable() }),
      result: testFileSchema,
    },
    /** Removes a call if it is still there. */
    'saved-calls/remove': { params: ofFile.extend(knownCall.shape), result: testFileSchema },
    /** The last outcomes of the calls of a file in this run of the app. */
    'saved-calls/outcomes': { params: ofFile, result: z.array(callOutcomeSchema) },
    /**
     * Runs calls of a file one after the other in a session; resolves when all have ended, and what a run writes is in the
     * file. `indexes`: null for all.
     * `variables`: JSON texts that override those of the file. Without `allowWrites`, tools that are not read-only by
     * their annotations are skipped.
     */
    'saved-calls/run': {
      params: ofFile.extend({
        sessionId: z.string(),
        indexes: z.array(z.number().int().nonnegative()).nullable(),
        variables: z.record(z.string(), z.string()),
        /** The names of those that are secret: their values are replaced in the trace, in outcomes and in files. */
        secrets: z.array(z.string()).optional(),
        allowWrites: z.boolean(),
        /** How often to run all of them, one round after the other; 1 by default. */
        repeat: z.number().int().min(1).max(MAX_REPEATS).optional(),
        /** How often to send a call again that failed; 0 by default. */
        retries: z.number().int().min(0).max(MAX_RETRIES).optional(),
        /** End after the first round of a call that failed. */
        bail: z.boolean().optional(),
        update: z.enum(updateChoices).optional(),
        /** Write a rule that ignores each value of an expected result that differs between the rounds. */
        learns: z.boolean().optional(),
      }),
      result: z.array(callOutcomeSchema),
    },
    /**
     * Writes a test file with the calls of a recorded session: its answers become what is expected, its answers to what the server
     * asked are given again, and values that came out of earlier answers become variables. Never overwrites a file.
     */
    'saved-calls/from-trace': {
      params: ofFile.extend({ sessionId: z.string() }),
      result: z.object({
        calls: z.number().int(),
        /** Variables that stand for secrets, which the recording does not have: they must be set to run the file. */
        variables: z.array(z.string()),
        /** How many secrets were replaced that the recording has. */
        replaced: z.number().int(),
        /** Calls that are not in the file, by the row of their request, with the reason. */
        leftOut: z.array(z.object({ row: z.number().int(), method: z.string(), reason: z.string() })),
      }),
    },
    /** Makes the last answer to a call what is expected of it, as a run with `update: 'all'` would. Nothing is sent. */
    'saved-calls/accept': { params: ofFile.extend(knownCall.shape), result: testFileSchema },
  },
  events: {
    /** A saved call has ended. */
    'saved-calls/ran': callOutcomeSchema,
  },
});

/** A fault of a file that cannot be read as a test file, at its first error. */
export const testFileFault = (path: string, errors: readonly FileError[]): Fault => {
  const [first] = errors;
  return {
    code: 'bad-test-file',
    what: `${path}:${first?.line ?? 1}:${first?.column ?? 1}: ${first?.message ?? 'the file cannot be read'}`,
    ...(errors.length > 1 && {
      evidence: errors.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`).join('\n'),
    }),
    next: 'Correct the file.',
  };
};
