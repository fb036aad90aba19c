import { z } from 'zod';
import { type Define, type RevisionSchema, requestParams, result, discriminatedBy } from './definitions.ts';
import { described, formField } from './form-field.ts';
import { anyObject, byKey, flag, integer, number, text, texts, textsByKey } from './kit.ts';

const withMeta: Define = (_, before) => before().extend({ _meta: anyObject.optional() });
const withTitle: Define = (_, before) => before().extend({ title: text.optional() });
const withTitleAndMeta: Define = (_, before) =>
  before().extend({ title: text.optional(), _meta: anyObject.optional() });

/** What MCP 2025-06-18 changed: elicitation, structured output, resource links, titles, `_meta` on most types. */
export const revision20250618: RevisionSchema = {
  types: {
    Annotations: (_, before) => before().extend({ lastModified: text.optional() }),
    TextContent: withMeta,
    ImageContent: withMeta,
    AudioContent: withMeta,
    EmbeddedResource: withMeta,
    ResourceContents: withMeta,
    ResourceLink: (type) => type.object('Resource').extend({ type: z.literal('resource_link') }),
    ContentBlock: (type) =>
      discriminatedBy('type', type, [
        'TextContent',
        'ImageContent',
        'AudioContent',
        'ResourceLink',
        'EmbeddedResource',
      ]),

    Tool: (type, before) =>
      before().extend({
        title: text.optional(),
        outputSchema: type('ToolSchema').optional(),
        _meta: anyObject.optional(),
      }),
    CallToolResult: (_, before) => before().extend({ structuredContent: anyObject.optional() }),

    Resource: withTitleAndMeta,
    ResourceTemplate: withTitleAndMeta,
    Prompt: withTitleAndMeta,
    PromptArgument: withTitle,
    PromptReference: withTitle,
    Implementation: withTitle,
    Root: withMeta,

    CompleteRequestParams: (_, before) =>
      before().extend({ context: z.looseObject({ arguments: textsByKey.optional() }).optional() }),

    ClientCapabilities: (_, before) => before().extend({ elicitation: anyObject.optional() }),
    ElicitRequestFormParams: (type) =>
      requestParams(type, { message: text, requestedSchema: type('ElicitationSchema') }),
    ElicitationSchema: (type) =>
      z.looseObject({
        type: z.literal('object'),
        properties: byKey(type('PrimitiveSchemaDefinition')),
        required: texts.optional(),
      }),
    ElicitResult: (type) =>
      result(type, {
        action: z.enum(['accept', 'decline', 'cancel']),
        content: byKey(type('ElicitationValue')).optional(),
      }),
    ElicitationValue: () => z.union([text, number, flag]),

    StringSchema: () =>
      z.looseObject({
        type: z.literal('string'),
        ...described,
        minLength: integer.optional(),
        maxLength: integer.optional(),
        format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
      }),
    NumberSchema: () =>
      z.looseObject({
        type: z.enum(['number', 'integer']),
        ...described,
        minimum: number.optional(),
        maximum: number.optional(),
      }),
    BooleanSchema: () =>
      z.looseObject({
        type: z.literal('boolean'),
        ...described,
        default: flag.optional(),
      }),
    EnumSchema: () =>
      z.looseObject({
        type: z.literal('string'),
        ...described,
        enum: texts,
        enumNames: texts.optional(),
      }),
    PrimitiveSchemaDefinition: formField(['enum']),
  },
  shapes: { 'elicitation/create': { params: 'ElicitRequestFormParams', result: 'ElicitResult' } },
};
