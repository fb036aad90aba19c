import { z } from 'zod';
import {
  type Define,
  notificationParams,
  type RevisionSchema,
  requestParams,
  result,
} from '../definitions.ts';
import { anyObject, anything, flag, integer, objectsByKey, text, textOrInteger, texts } from '../kit.ts';
import { inputRequired, inputRequiredShapes } from './input-required.ts';
import { taskShapes, tasks } from './tasks.ts';

const ownKey = (name: string): string => `io.modelcontextprotocol/${name}`;

const cacheHints = { ttlMs: integer.min(0), cacheScope: z.enum(['public', 'private']) };
const cacheable: Define = (_, before) => before().extend(cacheHints);

/** What MCP 2026-07-28 changed: `_meta` on every request in place of sessions, and results that ask back. */
export const revision20260728: RevisionSchema = {
  types: {
    ...inputRequired,
    ...tasks,

    RequestMeta: (type) =>
      z.looseObject({
        progressToken: textOrInteger.optional(),
        [ownKey('protocolVersion')]: text,
        [ownKey('clientCapabilities')]: type('ClientCapabilities'),
        [ownKey('clientInfo')]: type('Implementation').optional(),
        [ownKey('logLevel')]: type('LoggingLevel').optional(),
      }),
    RequestParams: (type) => z.looseObject({ _meta: type('RequestMeta') }),
    NotificationMeta: () => z.looseObject({ [ownKey('subscriptionId')]: textOrInteger.optional() }),
    ResultMeta: (type) => z.looseObject({ [ownKey('serverInfo')]: type('Implementation').optional() }),
    Result: (_, before) => before().extend({ resultType: z.literal('complete') }),

    DiscoverResult: (type) =>
      result(type, {
        supportedVersions: texts,
        capabilities: type('ServerCapabilities'),
        instructions: text.optional(),
        ...cacheHints,
      }),
    ListToolsResult: cacheable,
    ListPromptsResult: cacheable,
    ListResourcesResult: cacheable,
    ListResourceTemplatesResult: cacheable,
    ReadResourceResult: cacheable,

    Tool: (type, before) =>
      before()
        .omit({ execution: true })
        .extend({ outputSchema: type('ToolOutputSchema').optional() }),
    // Arguments are still an object, structured content may be any JSON (MCP 2026-07-28 tools); of the schemas of both
    // nothing else is laid down here.
    ToolSchema: () => z.looseObject({ type: z.literal('object'), $schema: text.optional() }),
    ToolOutputSchema: () => z.looseObject({ $schema: text.optional() }),
    CallToolResult: (_, before) => before().extend({ structuredContent: anything.optional() }),

    ClientCapabilities: (_, before) =>
      before()
        .omit({ tasks: true })
        .extend({ roots: anyObject.optional(), extensions: objectsByKey.optional() }),
    ServerCapabilities: (_, before) =>
      before().omit({ tasks: true }).extend({ extensions: objectsByKey.optional() }),

    CancelledNotificationParams: (_, before) => before().extend({ requestId: textOrInteger }),
    SubscriptionFilter: () =>
      z.looseObject({
        toolsListChanged: flag.optional(),
        promptsListChanged: flag.optional(),
        resourcesListChanged: flag.optional(),
        resourceSubscriptions: texts.optional(),
        taskIds: texts.optional(),
      }),
    SubscriptionsListenRequestParams: (type) =>
      requestParams(type, { notifications: type('SubscriptionFilter') }),
    SubscriptionsAcknowledgedNotificationParams: (type) =>
      notificationParams(type, { notifications: type('SubscriptionFilter') }),
    SubscriptionsListenResult: (type) =>
      result(type, {
        _meta: type.object('ResultMeta').extend({ [ownKey('subscriptionId')]: textOrInteger }),
      }),

    MissingRequiredClientCapabilityData: (type) =>
      z.looseObject({ requiredCapabilities: type('ClientCapabilities') }),
    UnsupportedProtocolVersionData: () => z.looseObject({ supported: texts, requested: text }),
  },
  removedTypes: [
    'InitializeRequestParams',
    'InitializeResult',
    'SetLevelRequestParams',
    'TaskMetadata',
    'RelatedTaskMetadata',
    'TaskResult',
    'ListTasksResult',
    'TaskStatusNotificationParams',
    'CreateMessageAnswer',
    'ElicitAnswer',
    'ElicitationCompleteNotificationParams',
    'URLElicitationRequiredData',
  ],
  shapes: {
    ...inputRequiredShapes,
    ...taskShapes,
    'server/discover': { params: 'RequestParams', result: 'DiscoverResult' },
    'subscriptions/listen': {
      params: 'SubscriptionsListenRequestParams',
      result: 'SubscriptionsListenResult',
    },
    'notifications/subscriptions/acknowledged': { params: 'SubscriptionsAcknowledgedNotificationParams' },
  },
  errorData: {
    [-32021]: 'MissingRequiredClientCapabilityData',
    [-32022]: 'UnsupportedProtocolVersionData',
  },
  retiredErrors: [-32042],
};
