import { z } from 'zod';
import { type Define, notificationParams, type RevisionSchema } from '../definitions.ts';
import { anyObject, list, text, textOrInteger, texts } from '../kit.ts';
import { elicitation } from './elicitation.ts';
import { sampling } from './sampling.ts';
import { taskShapes, tasks } from './tasks.ts';

const withIcons: Define = (type, before) => before().extend({ icons: list(type('Icon')).optional() });
const perRequest = (...names: readonly string[]) =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, anyObject.optional()]))).optional();

/** What MCP 2025-11-25 changed: tasks, icons, pages and richer forms in elicitation, tools in sampling. */
export const revision20251125: RevisionSchema = {
  types: {
    ...elicitation,
    ...sampling,
    ...tasks,

    Icon: () =>
      z.looseObject({
        src: text,
        mimeType: text.optional(),
        sizes: texts.optional(),
        theme: z.enum(['light', 'dark']).optional(),
      }),
    Resource: withIcons,
    ResourceTemplate: withIcons,
    Prompt: withIcons,
    Tool: (type, before) =>
      before().extend({
        icons: list(type('Icon')).optional(),
        execution: z
          .looseObject({ taskSupport: z.enum(['forbidden', 'optional', 'required']).optional() })
          .optional(),
      }),
    ToolSchema: (_, before) => before().extend({ $schema: text.optional() }),
    Implementation: (type, before) =>
      before().extend({
        icons: list(type('Icon')).optional(),
        description: text.optional(),
        websiteUrl: text.optional(),
      }),

    ClientCapabilities: (_, before) =>
      before().extend({
        sampling: z.looseObject({ context: anyObject.optional(), tools: anyObject.optional() }).optional(),
        elicitation: z.looseObject({ form: anyObject.optional(), url: anyObject.optional() }).optional(),
        tasks: z
          .looseObject({
            list: anyObject.optional(),
            cancel: anyObject.optional(),
            requests: z
              .looseObject({ sampling: perRequest('createMessage'), elicitation: perRequest('create') })
              .optional(),
          })
          .optional(),
      }),
    ServerCapabilities: (_, before) =>
      before().extend({
        tasks: z
          .looseObject({
            list: anyObject.optional(),
            cancel: anyObject.optional(),
            requests: z.looseObject({ tools: perRequest('call') }).optional(),
          })
          .optional(),
      }),

    // A task is cancelled with `tasks/cancel`, so the request need not be named here.
    CancelledNotificationParams: (_, before) => before().extend({ requestId: textOrInteger.optional() }),
    ElicitationCompleteNotificationParams: (type) => notificationParams(type, { elicitationId: text }),
  },
  shapes: {
    ...taskShapes,
    'notifications/elicitation/complete': { params: 'ElicitationCompleteNotificationParams' },
  },
  errorData: { [-32042]: 'URLElicitationRequiredData' },
};
