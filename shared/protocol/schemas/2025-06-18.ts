import { z } from 'zod';
import { type Define, type RevisionSchema, requestParams, result, toldApartBy } from './definitions.ts';
import { anyObject, byKey, chosenObject, flag, integer, number, text, texts, textsByKey } from './kit.ts';

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
      toldApartBy('type', type, [
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
        title: text.optional(),
        description: text.optional(),
        minLength: integer.optional(),
        maxLength: integer.optional(),
        format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
      }),
    NumberSchema: () =>
      z.looseObject({
        type: z.enum(['number', 'integer']),
        title: text.optional(),
        description: text.optional(),
        minimum: number.optional(),
        maximum: number.optional(),
      }),
    BooleanSchema: () =>
      z.looseObject({
        type: z.literal('boolean'),
        title: text.optional(),
        description: text.optional(),
        default: flag.optional(),
      }),
    EnumSchema: () =>
      z.looseObject({
        type: z.literal('string'),
        title: text.optional(),
        description: text.optional(),
        enum: texts,
        enumNames: texts.optional(),
      }),
    PrimitiveSchemaDefinition: (type) => {
      const kinds = {
        text: type('StringSchema'),
        number: type('NumberSchema'),
        flag: type('BooleanSchema'),
        choice: type('EnumSchema'),
      };
      return chosenObject(Object.values(kinds), (field) => {
        switch (field.type) {
          case 'string':
            return Object.hasOwn(field, 'enum') ? kinds.choice : kinds.text;
          case 'number':
          case 'integer':
            return kinds.number;
          case 'boolean':
            return kinds.flag;
          default:
            return { key: 'type', expected: ['string', 'number', 'integer', 'boolean'] };
        }
      });
    },
  },
  shapes: { 'elicitation/create': { params: 'ElicitRequestFormParams', result: 'ElicitResult' } },
};
