import { z } from 'zod';
import { type RevisionSchema, discriminatedBy } from '../definitions.ts';
import { anyObject, flag, list, oneOrMore, text } from '../kit.ts';

/** Sampling of MCP 2025-11-25: the model may use tools, and a message may hold several parts. */
export const sampling: RevisionSchema['types'] = {
  ToolUseContent: () =>
    z.looseObject({
      type: z.literal('tool_use'),
      id: text,
      name: text,
      input: anyObject,
      _meta: anyObject.optional(),
    }),
  ToolResultContent: (type) =>
    z.looseObject({
      type: z.literal('tool_result'),
      toolUseId: text,
      content: list(type('ContentBlock')),
      structuredContent: anyObject.optional(),
      isError: flag.optional(),
      _meta: anyObject.optional(),
    }),
  SamplingContent: (type) =>
    discriminatedBy('type', type, [
      'TextContent',
      'ImageContent',
      'AudioContent',
      'ToolUseContent',
      'ToolResultContent',
    ]),
  SamplingMessage: (type, before) =>
    before().extend({ content: oneOrMore(type('SamplingContent')), _meta: anyObject.optional() }),
  ToolChoice: () => z.looseObject({ mode: z.enum(['auto', 'required', 'none']).optional() }),
  CreateMessageRequestParams: (type, before) =>
    before().extend({
      tools: list(type('Tool')).optional(),
      toolChoice: type('ToolChoice').optional(),
      task: type('TaskMetadata').optional(),
    }),
  // `_meta` of a message and `_meta` of a result are the same key here; the result's has more in it.
  CreateMessageResult: (type, before) => before().extend({ _meta: type('ResultMeta').optional() }),
};
