import { z } from 'zod';
import { notificationParams, type RevisionSchema, requestParams, result } from '../definitions.ts';
import {
  anyObject,
  anything,
  flag,
  integer,
  list,
  number,
  text,
  textOrInteger,
  texts,
  textsByKey,
} from '../kit.ts';

/** Params and results of MCP 2024-11-05. */
export const messages: RevisionSchema['types'] = {
  RequestParams: (type) => z.looseObject({ _meta: type('RequestMeta').optional() }),
  NotificationParams: (type) => z.looseObject({ _meta: type('NotificationMeta').optional() }),
  Result: (type) => z.looseObject({ _meta: type('ResultMeta').optional() }),
  Error: () => z.looseObject({ code: integer, message: text, data: anything.optional() }),

  PaginatedRequestParams: (type) => requestParams(type, { cursor: text.optional() }),
  ResourceRequestParams: (type) => requestParams(type, { uri: text }),

  InitializeRequestParams: (type) =>
    requestParams(type, {
      protocolVersion: text,
      capabilities: type('ClientCapabilities'),
      clientInfo: type('Implementation'),
    }),
  InitializeResult: (type) =>
    result(type, {
      protocolVersion: text,
      capabilities: type('ServerCapabilities'),
      serverInfo: type('Implementation'),
      instructions: text.optional(),
    }),

  ListToolsResult: (type) => result(type, { tools: list(type('Tool')), nextCursor: text.optional() }),
  CallToolRequestParams: (type) => requestParams(type, { name: text, arguments: anyObject.optional() }),
  CallToolResult: (type) => result(type, { content: list(type('ContentBlock')), isError: flag.optional() }),

  ListResourcesResult: (type) =>
    result(type, { resources: list(type('Resource')), nextCursor: text.optional() }),
  ListResourceTemplatesResult: (type) =>
    result(type, { resourceTemplates: list(type('ResourceTemplate')), nextCursor: text.optional() }),
  ReadResourceResult: (type) => result(type, { contents: list(type('AnyResourceContents')) }),

  ListPromptsResult: (type) => result(type, { prompts: list(type('Prompt')), nextCursor: text.optional() }),
  GetPromptRequestParams: (type) => requestParams(type, { name: text, arguments: textsByKey.optional() }),
  GetPromptResult: (type) =>
    result(type, { description: text.optional(), messages: list(type('PromptMessage')) }),

  CompleteRequestParams: (type) =>
    requestParams(type, {
      ref: type('CompletionReference'),
      argument: z.looseObject({ name: text, value: text }),
    }),
  // The limit of 100 values is prose, not schema.
  CompleteResult: (type) =>
    result(type, {
      completion: z.looseObject({ values: texts, total: integer.optional(), hasMore: flag.optional() }),
    }),

  SetLevelRequestParams: (type) => requestParams(type, { level: type('LoggingLevel') }),

  ListRootsResult: (type) => result(type, { roots: list(type('Root')) }),
  CreateMessageRequestParams: (type) =>
    requestParams(type, {
      messages: list(type('SamplingMessage')),
      modelPreferences: type('ModelPreferences').optional(),
      systemPrompt: text.optional(),
      includeContext: z.enum(['none', 'thisServer', 'allServers']).optional(),
      temperature: number.optional(),
      maxTokens: integer,
      stopSequences: texts.optional(),
      metadata: anyObject.optional(),
    }),
  CreateMessageResult: (type) =>
    result(type, {
      ...type.object('SamplingMessage').shape,
      model: text,
      stopReason: text.optional(),
    }),

  CancelledNotificationParams: (type) =>
    notificationParams(type, { requestId: textOrInteger, reason: text.optional() }),
  ProgressNotificationParams: (type) =>
    notificationParams(type, { progressToken: textOrInteger, progress: number, total: number.optional() }),
  LoggingMessageNotificationParams: (type) =>
    notificationParams(type, { level: type('LoggingLevel'), logger: text.optional(), data: anything }),
  ResourceUpdatedNotificationParams: (type) => notificationParams(type, { uri: text }),
};

export const shapes: RevisionSchema['shapes'] = {
  initialize: { params: 'InitializeRequestParams', result: 'InitializeResult' },
  ping: { params: 'RequestParams', result: 'Result' },
  'tools/list': { params: 'PaginatedRequestParams', result: 'ListToolsResult' },
  'tools/call': { params: 'CallToolRequestParams', result: 'CallToolResult' },
  'resources/list': { params: 'PaginatedRequestParams', result: 'ListResourcesResult' },
  'resources/templates/list': { params: 'PaginatedRequestParams', result: 'ListResourceTemplatesResult' },
  'resources/read': { params: 'ResourceRequestParams', result: 'ReadResourceResult' },
  'resources/subscribe': { params: 'ResourceRequestParams', result: 'Result' },
  'resources/unsubscribe': { params: 'ResourceRequestParams', result: 'Result' },
  'prompts/list': { params: 'PaginatedRequestParams', result: 'ListPromptsResult' },
  'prompts/get': { params: 'GetPromptRequestParams', result: 'GetPromptResult' },
  'completion/complete': { params: 'CompleteRequestParams', result: 'CompleteResult' },
  'logging/setLevel': { params: 'SetLevelRequestParams', result: 'Result' },
  'roots/list': { params: 'RequestParams', result: 'ListRootsResult' },
  'sampling/createMessage': { params: 'CreateMessageRequestParams', result: 'CreateMessageResult' },
  'notifications/initialized': { params: 'NotificationParams' },
  'notifications/cancelled': { params: 'CancelledNotificationParams' },
  'notifications/progress': { params: 'ProgressNotificationParams' },
  'notifications/message': { params: 'LoggingMessageNotificationParams' },
  'notifications/roots/list_changed': { params: 'NotificationParams' },
  'notifications/tools/list_changed': { params: 'NotificationParams' },
  'notifications/prompts/list_changed': { params: 'NotificationParams' },
  'notifications/resources/list_changed': { params: 'NotificationParams' },
  'notifications/resources/updated': { params: 'ResourceUpdatedNotificationParams' },
};
