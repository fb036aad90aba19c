import type { Answer } from '#session/rpc/incoming-request.ts';
import { withMetaDefaults } from '#session/rpc/request.ts';
import { memberText } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The member of `_meta` that names the task of a message (MCP 2025-11-25 tasks, related task metadata). */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The id of the task that a message is about; null if it names none. */
export function relatedTask(params: unknown): string | null {
  if (!isObject(params) || !isObject(params._meta)) return null;
  const related = params._meta[RELATED_TASK];
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : null;
}

/** The same of params as JSON text, which may be cut. */
export function relatedTaskIn(params: string): string | null {
  const taskId = memberText(params, ['_meta', RELATED_TASK, 'taskId']);
  return taskId?.startsWith('"') === true ? String(JSON.parse(taskId)) : null;
}

/** The response with the id of its task, which every message of a task must carry; an error cannot. */
export const withRelatedTask = (answer: Answer, taskId: string | null): Answer =>
  taskId === null || !('result' in answer)
    ? answer
    : { result: withMetaDefaults(answer.result, { [RELATED_TASK]: { taskId } }) };
