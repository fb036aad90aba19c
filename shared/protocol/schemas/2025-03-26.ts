import { z } from 'zod';
import { type RevisionSchema, discriminatedBy } from './definitions.ts';
import { anyObject, flag, text } from './kit.ts';

/** What MCP 2025-03-26 changed: audio, annotations of tools, `completions`, the text of a progress. */
export const revision20250326: RevisionSchema = {
  types: {
    AudioContent: (type) =>
      z.looseObject({
        type: z.literal('audio'),
        data: text,
        mimeType: text,
        annotations: type('Annotations').optional(),
      }),
    ContentBlock: (type) =>
      discriminatedBy('type', type, ['TextContent', 'ImageContent', 'AudioContent', 'EmbeddedResource']),
    SamplingContent: (type) => discriminatedBy('type', type, ['TextContent', 'ImageContent', 'AudioContent']),

    Tool: (type, before) => before().extend({ annotations: type('ToolAnnotations').optional() }),
    ToolAnnotations: () =>
      z.looseObject({
        title: text.optional(),
        readOnlyHint: flag.optional(),
        destructiveHint: flag.optional(),
        idempotentHint: flag.optional(),
        openWorldHint: flag.optional(),
      }),

    ServerCapabilities: (_, before) => before().extend({ completions: anyObject.optional() }),
    ProgressNotificationParams: (_, before) => before().extend({ message: text.optional() }),
  },
  shapes: {},
};
