import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { Answer } from '#session/rpc/peer.ts';
import { withMeta } from '#session/rpc/request-text.ts';

/** Where a message says which task it is about (MCP 2025-11-25 tasks, related task metadata). */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The id of the task that a message is about; null when it says none. */
export function relatedTask(params: unknown): string | null {
  if (!isObject(params) || !isObject(params._meta)) return null;
  const related = params._meta[RELATED_TASK];
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : null;
}

/** The same answer with the task it is about, which all messages of a task have to name; an error has no place for it. */
export const withRelatedTask = (answer: Answer, taskId: string | null): Answer =>
  taskId === null || !('result' in answer)
    ? answer
    : { result: withMeta(answer.result, { [RELATED_TASK]: { taskId } }) };
