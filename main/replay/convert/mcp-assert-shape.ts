import { z } from 'zod';
import type { PathStep } from '#shared/json/path-pattern.ts';

const texts = z.array(z.string()).nullish();
const count = z.number().int().nonnegative().nullish();
const object = z.record(z.string(), z.unknown()).nullish();

const expectShape = z.looseObject({
  contains: texts,
  contains_any: texts,
  not_contains: texts,
  equals: z.string().nullish(),
  json_path: object,
  not_empty: z.boolean().nullish(),
  not_error: z.boolean().nullish(),
  is_error: z.boolean().nullish(),
  matches_regex: texts,
  net_delta: z.number().int().nullish(),
  in_order: texts,
  min_progress: count,
});
export type Expect = z.infer<typeof expectShape>;

const toolShape = z.looseObject({
  tool: z.string().min(1),
  args: object,
  capture: z.record(z.string(), z.string()).nullish(),
});

/** A file of mcp-assert, as far as it is converted. */
export const fileShape = z.looseObject({
  name: z.string().nullish(),
  server: z.looseObject({ command: z.string().nullish(), args: texts, url: z.string().nullish() }).nullish(),
  setup: z.array(toolShape).nullish(),
  assert: toolShape
    .extend({ expect: expectShape.nullish(), capture_progress: z.boolean().nullish() })
    .nullish(),
  assert_resources: z
    .looseObject({ list: object, read: z.string().nullish(), expect: expectShape.nullish() })
    .nullish(),
  assert_prompts: z
    .looseObject({
      list: object,
      get: z.looseObject({ name: z.string(), arguments: object }).nullish(),
      expect: expectShape.nullish(),
    })
    .nullish(),
  assert_sampling: toolShape
    .extend({ mock_text: z.string(), mock_model: z.string().nullish(), expect: expectShape.nullish() })
    .nullish(),
  assert_notifications: toolShape
    .extend({ expect: z.looseObject({ methods: texts, min_count: count }).nullish() })
    .nullish(),
  assert_logging: z
    .looseObject({
      set_level: z.string().nullish(),
      tool: z.string().nullish(),
      args: object,
      expect: z.looseObject({ min_messages: count }).nullish(),
    })
    .nullish(),
  timeout: z.string().nullish(),
});
export type Suite = z.infer<typeof fileShape>;

/** The members of each part that become something. What else a file has is named. */
export const converted = {
  file: [
    'name',
    'server',
    'setup',
    'assert',
    'assert_resources',
    'assert_prompts',
    'assert_sampling',
    'assert_notifications',
    'assert_logging',
    'timeout',
  ],
  setup: ['tool', 'args', 'capture'],
  assert: ['tool', 'args', 'expect', 'capture_progress'],
  assert_resources: ['list', 'read', 'expect'],
  assert_prompts: ['list', 'get', 'expect'],
  assert_sampling: ['tool', 'args', 'mock_text', 'mock_model', 'expect'],
  assert_notifications: ['tool', 'args', 'expect'],
  assert_logging: ['set_level', 'tool', 'args', 'expect'],
  server: ['command', 'args', 'url', 'transport'],
  expect: Object.keys(expectShape.shape),
} as const;

/** What is checked of a result, as one text; a list is its whole result. */
export const textPaths = {
  tool: ['content', 0, 'text'],
  resource: ['contents', 0, 'text'],
  prompt: ['messages', 0, 'content', 'text'],
  list: [],
} as const satisfies Record<string, readonly PathStep[]>;
