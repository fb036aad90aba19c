import { z } from 'zod';
import { type MethodShape, type RevisionSchema, requestParams, result, type TypeOf } from '../definitions.ts';
import { anyObject, integer, text } from '../kit.ts';

/** A task with what its status brings along, on top of what every result or every notification has. */
function detailedTask(type: TypeOf, base: 'Result' | 'NotificationParams'): z.ZodType {
  const task = type.object(base).extend(type.object('Task').shape);
  return z.discriminatedUnion('status', [
    task.extend({ status: z.enum(['working', 'cancelled']) }),
    task.extend({ status: z.literal('input_required'), inputRequests: type('InputRequests') }),
    task.extend({ status: z.literal('completed'), result: anyObject }),
    task.extend({ status: z.literal('failed'), error: type('Error') }),
  ]);
}

/** Tasks as the extension io.modelcontextprotocol/tasks has them for MCP 2026-07-28. */
export const tasks: RevisionSchema['types'] = {
  Task: (type) =>
    z.looseObject({
      taskId: text,
      status: type('TaskStatus'),
      statusMessage: text.optional(),
      createdAt: text,
      lastUpdatedAt: text,
      ttlMs: integer.nullable(),
      pollIntervalMs: integer.optional(),
    }),
  CreateTaskResult: (type) => result(type, { ...type.object('Task').shape, resultType: z.literal('task') }),
  GetTaskResult: (type) => detailedTask(type, 'Result'),
  TaskNotificationParams: (type) => detailedTask(type, 'NotificationParams'),
  UpdateTaskRequestParams: (type) =>
    requestParams(type, { taskId: text, inputResponses: type('InputResponses') }),
};

export const taskShapes: Readonly<Record<string, MethodShape>> = {
  'tasks/get': { params: 'TaskRequestParams', result: 'GetTaskResult' },
  'tasks/update': { params: 'UpdateTaskRequestParams', result: 'Result' },
  'tasks/cancel': { params: 'TaskRequestParams', result: 'Result' },
  'notifications/tasks': { params: 'TaskNotificationParams' },
};
