import { z } from 'zod';
import {
  expectedStates,
  jsonTypes,
  pathSchema,
  patternSchema,
  resultRuleSchema,
  valueCheckSchema,
} from '#shared/contract/saved-calls.ts';
import { inboxMethods } from '#shared/contract/inbox.ts';
import { snapshotName } from './snapshot-files.ts';

/** The version of the format; a file of another one is refused. */
export const FORMAT_VERSION = 1;

const durationSchema = z.union([
  z.number().positive(),
  z.string().regex(/^\d+(\.\d+)?(ms|s|m)$/, 'wants milliseconds, or a time such as 500ms, 2s, 1m'),
]);

const checkSchema = z
  .strictObject({
    path: valueCheckSchema.shape.path,
    equals: z.unknown().optional(),
    type: z.enum(jsonTypes).optional(),
    matches: patternSchema.optional(),
    exists: z.boolean().optional(),
  })
  .refine(
    (check) => Object.keys(check).length === 2,
    'wants a path and one of equals, type, matches and exists',
  );
export type WrittenCheck = z.infer<typeof checkSchema>;

/** An empty member of YAML is null. */
const object = z.record(z.string(), z.unknown()).nullish();

const answerSchema = z
  .strictObject({
    /** The method of the request that it answers. */
    to: z.enum(inboxMethods),
    contains: z.string().min(1).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.strictObject({ code: z.number().int(), message: z.string() }).optional(),
    /** What its schema or the settings suggest. */
    defaults: z.literal(true).optional(),
    decline: z.literal(true).optional(),
    cancel: z.literal(true).optional(),
  })
  .refine(
    ({ to: _, contains: __, ...answer }) => Object.keys(answer).length === 1,
    'wants one of result, error, defaults, decline and cancel',
  );
export type WrittenAnswer = z.infer<typeof answerSchema>;

const expectSchema = z
  .strictObject({
    status: z.enum(expectedStates).optional(),
    code: z.number().int().optional(),
    values: z.array(checkSchema).nullish(),
    schema: z.union([z.literal('output'), z.record(z.string(), z.unknown())]).optional(),
    duration: durationSchema.optional(),
    /** The whole result. */
    result: z.record(z.string(), z.unknown()).optional(),
    snapshot: z.string().regex(snapshotName, 'wants the name of a .json file in __snapshots__').optional(),
    compare: z.array(z.strictObject(resultRuleSchema.shape)).nullish(),
    messages: z.array(z.string().min(1)).nullish(),
    progress: z
      .strictObject({
        atLeast: z.number().int().nonnegative().optional(),
        every: durationSchema.optional(),
      })
      .optional(),
    silence: durationSchema.optional(),
  })
  .refine(
    ({ result, snapshot }) => result === undefined || snapshot === undefined,
    'wants either result or snapshot',
  );

const stepSchema = z
  .strictObject({
    name: z.string().min(1),
    /** The tool to call. */
    call: z.string().min(1).optional(),
    arguments: object,
    /** The method of any other request. */
    request: z.string().min(1).optional(),
    params: object,
    /** A text that is sent as it is: a line on stdio, the body of a POST over HTTP. */
    raw: z.string().min(1).optional(),
    /** The method of a notification to wait for. */
    wait: z.string().min(1).optional(),
    cancelAfter: durationSchema.optional(),
    answers: z.array(answerSchema).nullish(),
    capture: z.record(z.string().regex(/^[\p{L}_][\p{L}\p{N}_.-]*$/u), pathSchema).nullish(),
    expect: expectSchema.nullish(),
  })
  .refine(
    ({ call, request, raw, wait }) =>
      [call, request, raw, wait].filter((one) => one !== undefined).length === 1,
    'wants one of call, request, raw and wait',
  )
  .refine(
    ({ call, request, ...step }) =>
      (call !== undefined || !('arguments' in step)) && (request !== undefined || !('params' in step)),
    'arguments belong to call, params to request',
  )
  .superRefine(({ raw, wait, ...step }, context) => {
    const kind = raw !== undefined ? 'raw' : 'wait';
    if (raw === undefined && wait === undefined) return;
    const refuse = (path: readonly string[]): void =>
      context.addIssue({
        code: 'custom',
        path: [...path],
        message: `belongs to call and request, not to ${kind}`,
      });
    for (const name of ['cancelAfter', 'answers'] as const) if (name in step) refuse([name]);
    for (const name of ['messages', 'progress', 'silence', ...(kind === 'wait' ? ['code'] : [])])
      if (Object.hasOwn(step.expect ?? {}, name)) refuse(['expect', name]);
  });
export type WrittenStep = z.infer<typeof stepSchema>;

const targetSchema = z
  .strictObject({
    server: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    command: z.array(z.string()).min(1).optional(),
  })
  .refine((target) => Object.keys(target).length === 1, 'wants one of server, url and command');
export type WrittenTarget = z.infer<typeof targetSchema>;

/** A test file as written (docs/testing-servers.md). */
export const testFileShape = z.strictObject({
  version: z.literal(FORMAT_VERSION),
  target: targetSchema.optional(),
  variables: object,
  steps: z.array(stepSchema).nullish(),
});

const units = { ms: 1, s: 1000, m: 60_000 } as const;

/** Milliseconds of a time as written. */
export function millisecondsOf(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  const [, number, unit] = /^([\d.]+)(ms|s|m)$/.exec(duration) ?? [];
  return Number(number) * (unit === 'm' || unit === 's' ? units[unit] : units.ms);
}
