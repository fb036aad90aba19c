import { z } from 'zod';
import { type RevisionSchema, discriminatedBy } from '../definitions.ts';
import {
  anyObject,
  chosenObject,
  flag,
  fraction,
  integer,
  list,
  objectsByKey,
  text,
  textOrInteger,
  texts,
} from '../kit.ts';

/** What the features of MCP 2024-11-05 are made of: content, tools, resources, prompts, roots, sampling. */
export const features: RevisionSchema['types'] = {
  Role: () => z.enum(['user', 'assistant']),
  LoggingLevel: () =>
    z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']),

  Annotations: (type) =>
    z.looseObject({ audience: list(type('Role')).optional(), priority: fraction.optional() }),
  TextContent: (type) =>
    z.looseObject({ type: z.literal('text'), text, annotations: type('Annotations').optional() }),
  // Base64 and media types are looked at where content is, not here: the schema says no more than string.
  ImageContent: (type) =>
    z.looseObject({
      type: z.literal('image'),
      data: text,
      mimeType: text,
      annotations: type('Annotations').optional(),
    }),
  ResourceContents: () => z.looseObject({ uri: text, mimeType: text.optional() }),
  TextResourceContents: (type) => type.object('ResourceContents').extend({ text }),
  BlobResourceContents: (type) => type.object('ResourceContents').extend({ blob: text }),
  AnyResourceContents: (type) => {
    const asText = type('TextResourceContents');
    const asBlob = type('BlobResourceContents');
    return chosenObject([asText, asBlob], (contents) => {
      if (Object.hasOwn(contents, 'text')) return asText;
      if (Object.hasOwn(contents, 'blob')) return asBlob;
      return { message: 'neither text nor blob' };
    });
  },
  EmbeddedResource: (type) =>
    z.looseObject({
      type: z.literal('resource'),
      resource: type('AnyResourceContents'),
      annotations: type('Annotations').optional(),
    }),
  ContentBlock: (type) => discriminatedBy('type', type, ['TextContent', 'ImageContent', 'EmbeddedResource']),

  Tool: (type) =>
    z.looseObject({ name: text, description: text.optional(), inputSchema: type('ToolSchema') }),
  /** What a tool takes; later also what it gives. */
  ToolSchema: () =>
    z.looseObject({
      type: z.literal('object'),
      properties: objectsByKey.optional(),
      required: texts.optional(),
    }),

  Resource: (type) =>
    z.looseObject({
      uri: text,
      name: text,
      description: text.optional(),
      mimeType: text.optional(),
      size: integer.optional(),
      annotations: type('Annotations').optional(),
    }),
  ResourceTemplate: (type) =>
    z.looseObject({
      uriTemplate: text,
      name: text,
      description: text.optional(),
      mimeType: text.optional(),
      annotations: type('Annotations').optional(),
    }),

  Prompt: (type) =>
    z.looseObject({
      name: text,
      description: text.optional(),
      arguments: list(type('PromptArgument')).optional(),
    }),
  PromptArgument: () =>
    z.looseObject({ name: text, description: text.optional(), required: flag.optional() }),
  PromptMessage: (type) => z.looseObject({ role: type('Role'), content: type('ContentBlock') }),

  PromptReference: () => z.looseObject({ type: z.literal('ref/prompt'), name: text }),
  ResourceTemplateReference: () => z.looseObject({ type: z.literal('ref/resource'), uri: text }),
  CompletionReference: (type) =>
    discriminatedBy('type', type, ['PromptReference', 'ResourceTemplateReference']),

  Root: () => z.looseObject({ uri: text, name: text.optional() }),

  SamplingContent: (type) => discriminatedBy('type', type, ['TextContent', 'ImageContent']),
  SamplingMessage: (type) => z.looseObject({ role: type('Role'), content: type('SamplingContent') }),
  ModelHint: () => z.looseObject({ name: text.optional() }),
  ModelPreferences: (type) =>
    z.looseObject({
      hints: list(type('ModelHint')).optional(),
      costPriority: fraction.optional(),
      speedPriority: fraction.optional(),
      intelligencePriority: fraction.optional(),
    }),

  Implementation: () => z.looseObject({ name: text, version: text }),
  ListChanged: () => z.looseObject({ listChanged: flag.optional() }),
  ClientCapabilities: (type) =>
    z.looseObject({
      experimental: objectsByKey.optional(),
      roots: type('ListChanged').optional(),
      sampling: anyObject.optional(),
    }),
  ServerCapabilities: (type) =>
    z.looseObject({
      experimental: objectsByKey.optional(),
      logging: anyObject.optional(),
      prompts: type('ListChanged').optional(),
      resources: type.object('ListChanged').extend({ subscribe: flag.optional() }).optional(),
      tools: type('ListChanged').optional(),
    }),

  RequestMeta: () => z.looseObject({ progressToken: textOrInteger.optional() }),
  NotificationMeta: () => anyObject,
  ResultMeta: () => anyObject,
};
