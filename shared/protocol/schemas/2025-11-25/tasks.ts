import { z } from 'zod';
import {
  type Define,
  type MethodShape,
  notificationParams,
  type RevisionSchema,
  requestParams,
  result,
} from '../definitions.ts';
import { chosenObject, integer, list, text } from '../kit.ts';

const relatedTask = 'io.modelcontextprotocol/related-task';
const mayNameItsTask: Define = (type, before) =>
  before().extend({ [relatedTask]: type('RelatedTaskMetadata').optional() });

/** The result that was asked for or, when `ownKey` is not in it but `task` is, the task that will have it. */
const orTask =
  (ownResult: string, ownKey: string): Define =>
  (type) => {
    const own = type(ownResult);
    const task = type('CreateTaskResult');
    return chosenObject([own, task], (answer) =>
      Object.hasOwn(answer, 'task') && !Object.hasOwn(answer, ownKey) ? task : own,
    );
  };

/** Tasks as MCP 2025-11-25 has them in its core (basic/utilities/tasks). */
export const tasks: RevisionSchema['types'] = {
  RelatedTaskMetadata: () => z.looseObject({ taskId: text }),
  RequestMeta: mayNameItsTask,
  NotificationMeta: mayNameItsTask,
  ResultMeta: mayNameItsTask,

  TaskStatus: () => z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  TaskMetadata: () => z.looseObject({ ttl: integer.optional() }),
  Task: (type) =>
    z.looseObject({
      taskId: text,
      status: type('TaskStatus'),
      statusMessage: text.optional(),
      createdAt: text,
      lastUpdatedAt: text,
      ttl: integer.nullable(),
      pollInterval: integer.optional(),
    }),
  CallToolRequestParams: (type, before) => before().extend({ task: type('TaskMetadata').optional() }),

  CreateTaskResult: (type) => result(type, { task: type('Task') }),
  CallToolAnswer: orTask('CallToolResult', 'content'),
  CreateMessageAnswer: orTask('CreateMessageResult', 'role'),
  ElicitAnswer: orTask('ElicitResult', 'action'),

  TaskRequestParams: (type) => requestParams(type, { taskId: text }),
  TaskResult: (type) => result(type, type.object('Task').shape),
  ListTasksResult: (type) => result(type, { tasks: list(type('Task')), nextCursor: text.optional() }),
  TaskStatusNotificationParams: (type) => notificationParams(type, type.object('Task').shape),
};

export const taskShapes: Readonly<Record<string, MethodShape>> = {
  'tools/call': { params: 'CallToolRequestParams', result: 'CallToolAnswer' },
  'sampling/createMessage': { params: 'CreateMessageRequestParams', result: 'CreateMessageAnswer' },
  'elicitation/create': { params: 'ElicitRequestParams', result: 'ElicitAnswer' },
  'tasks/get': { params: 'TaskRequestParams', result: 'TaskResult' },
  // Whatever the request that became a task would have had for a result.
  'tasks/result': { params: 'TaskRequestParams', result: 'Result' },
  'tasks/list': { params: 'PaginatedRequestParams', result: 'ListTasksResult' },
  'tasks/cancel': { params: 'TaskRequestParams', result: 'TaskResult' },
  'notifications/tasks/status': { params: 'TaskStatusNotificationParams' },
};
