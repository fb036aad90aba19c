import { z } from 'zod';
import { parsePath } from '../json/path.ts';
import { defineArea } from './area.ts';
import type { Fault } from './fault.ts';

/** The end of the name of a test file. */
export const TEST_FILE_END = '.mcptest.yaml';

/** How a saved call may be expected to end; see `callStates`. */
export const expectedStates = ['ok', 'tool-error', 'protocol-error', 'timed-out'] as const;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

const isPattern = (source: string): boolean => {
  try {
    // Variables are replaced before it is used.
    return new RegExp(source.replaceAll(/\$\{[^}]*\}/g, 'x'), 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

/** A regular expression, which may contain `${variables}`. */
export const patternSchema = z.string().refine(isPattern, 'not a regular expression');

/** What is expected of one value of the result. `path`: a JSON path that names one value (RFC 9535, singular queries). */
export const valueCheckSchema = z.object({
  path: z.string().refine((path) => parsePath(path) !== null, 'not a JSON path such as $.content[0].text'),
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
});
export type Expectations = z.infer<typeof expectationsSchema>;

export const savedCallSchema = z.object({
  name: z.string().min(1),
  /** `tools/call`, or any other method. */
  method: z.string().min(1),
  /** Null for any other method than `tools/call`. */
  tool: z.string().nullable(),
  /** The arguments of the tool, or the params of the request: JSON text of an object. It may refer to `${variables}`. */
  arguments: z.string(),
  expect: expectationsSchema,
});
export type SavedCall = z.infer<typeof savedCallSchema>;

/** A place in a file, from 1. */
const place = { line: z.number().int(), column: z.number().int() };

export const fileErrorSchema = z.object({ ...place, message: z.string() });
export type FileError = z.infer<typeof fileErrorSchema>;

export const testFileSchema = z.object({
  path: z.string(),
  /** Whether the file exists; a call that is saved creates it. */
  exists: z.boolean(),
  /** JSON texts by name. */
  variables: z.record(z.string(), z.string()),
  /** Empty if the file has an error. */
  calls: z.array(savedCallSchema.extend(place)),
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
  state: z.enum(['passed', 'failed', 'skipped']),
  /** What was not as expected, each with the place in the file that says so. */
  failures: z.array(z.object({ ...place, message: z.string() })),
  /** Why it was skipped. */
  reason: z.string().nullable(),
  /** Microseconds; null if there was no response. */
  duration: z.number().nullable(),
  /** Rows of the trace; null if nothing was sent. */
  requestRow: z.number().int().nullable(),
  responseRow: z.number().int().nullable(),
  /** When it ended: milliseconds since the Unix epoch. */
  at: z.number(),
});
export type CallOutcome = z.infer<typeof callOutcomeSchema>;

const ofFile = z.object({ path: z.string().min(1) });

/** A call of a file as the page knows it; the file may have changed since. */
const knownCall = z.object({ index: z.number().int().nonnegative(), name: z.string() });

/** Limit of characters of a test file that a page hands over. */
export const MAX_TEST_FILE = 16_000_000;

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
     * Runs calls of a file one after the other in a session; resolves when all have ended. `indexes`: null for all.
     * `variables`: JSON texts that override those of the file. Without `allowWrites`, tools that are not read-only by
     * their annotations are skipped.
     */
    'saved-calls/run': {
      params: ofFile.extend({
        sessionId: z.string(),
        indexes: z.array(z.number().int().nonnegative()).nullable(),
        variables: z.record(z.string(), z.string()),
        allowWrites: z.boolean(),
      }),
      result: z.array(callOutcomeSchema),
    },
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
