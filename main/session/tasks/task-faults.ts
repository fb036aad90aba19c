import type { Fault } from '#shared/contract/fault.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';

/** Faults of tasks: unknown, unsupported operations, polling given up. */

export const noSuchTask = (taskId: string): Fault => ({
  code: 'no-such-task',
  what: `No task ${taskId} is known in this session.`,
  next: 'A task of an earlier session can be followed by its id.',
});

export const noTaskList: Fault = {
  code: 'no-task-list',
  what: 'This server cannot list its tasks.',
  why: 'The tasks extension of 2026-07-28 has no tasks/list: who may see which task would not be clear.',
  next: 'Follow a task by its id.',
};

export const tooManyTasks = (most: number): Fault => ({
  code: 'too-many-tasks',
  what: `The server lists more than ${most} tasks, so reading stopped there.`,
  next: 'Send tasks/list as a request of your own, with the cursor of the last page in the trace.',
});

/** An operation that the server did not declare under `tasks` (MCP 2025-11-25 tasks, capabilities). */
export const notDeclared = (operation: 'list' | 'cancel'): Fault => ({
  code: 'not-announced',
  what: `tasks/${operation} was not sent: the server did not announce tasks.${operation}.`,
  next: 'Send it as a raw request to see how the server responds.',
});

export const ownTask: Fault = {
  code: 'own-task',
  what: 'This is a task of the client: the server polls it.',
  next: 'Answer its question in the inbox.',
};

/** The code of the fault that the server does not know a task. */
export const GONE = 'task-gone';

/** The fault of a failed poll. */
export function notAnswered(taskId: string, outcome: Exclude<Outcome, { type: 'result' }>): Fault {
  const fault = outcomeFault('tasks/get', outcome);
  if (!isUnknownTask(outcome)) return fault;
  return {
    code: GONE,
    what: `The server does not know task ${taskId}. ${fault.what}`,
    why: 'Its time to live is over, it never existed, or the server was restarted or has forgotten this client.',
    ...(fault.evidence !== undefined && { evidence: fault.evidence }),
  };
}

/**
 * Whether the response is the error for an unknown task (MCP 2025-11-25 tasks, error handling; the same in the
 * extension).
 */
export const isUnknownTask = (outcome: Outcome): boolean =>
  outcome.type === 'error' && outcome.error.code === errorCodes.invalidParams;

export const noTaskInAnswer = (taskId: string, result: unknown): Fault => ({
  code: 'no-task-in-answer',
  what: `The response to tasks/get is not about task ${taskId}.`,
  why: 'Its taskId differs, or its taskId or status is not a string.',
  evidence: JSON.stringify(result, null, 2)?.slice(0, 10_000) ?? 'undefined',
});

export const unreachable = (times: number, last: Fault): Fault => ({
  ...last,
  code: 'task-unanswered',
  what: `The last ${times} requests for the status of the task failed, so it is no longer followed. ${last.what}`,
  next: 'Follow it again by its id.',
});

export const overdue = (ttl: number, status: string): Fault => ({
  code: 'task-overdue',
  what: `The task still says "${status}" after its time to live of ${ttl / 1000} s, so it is no longer followed.`,
  why: 'It hangs, or the server gave it less time than it takes.',
  next: 'Ask for more time when it is made, or follow it again by its id.',
});

export const lacks = (status: string, member: 'result' | 'error'): Fault => ({
  code: 'task-without-result',
  what: `The task is ${status}, but has no ${member}.`,
  why: `The tasks extension requires "${member}" in the response to tasks/get with that status.`,
});

export const inputRefused = (key: string, message: string): Fault => ({
  code: 'input-refused',
  what: `The task is no longer followed, because its input request "${key}" was answered with an error: ${message}.`,
  why: 'tasks/update cannot carry errors, so the server got no answer and still waits.',
  next: 'Cancel the task, or follow it again to answer again.',
});

export const inputUnanswerable = (key: string, method: string): Fault => ({
  code: 'input-unanswerable',
  what: `The task is no longer followed: its input request "${key}" uses ${method}, which clients do not answer.`,
  next: 'Only elicitation/create, sampling/createMessage and roots/list are allowed.',
});

export const tooManyInputs = (most: number): Fault => ({
  code: 'too-many-inputs',
  what: `The task sent more than ${most} input requests, so it is no longer followed.`,
  why: 'The server repeats its input requests with new keys, or does not accept the answers.',
});

export const updateRefused = (fault: Fault): Fault => ({
  ...fault,
  code: 'update-refused',
  what: `The answers did not reach the task, so it is no longer followed. ${fault.what}`,
  next: 'Follow it again to answer again.',
});

/** The user cancelled, but the server did not end the task. */
export const abandoned = (why: string): Fault => ({
  code: 'task-let-go',
  what: 'The task is no longer followed, but may still run on the server.',
  why,
  next: 'Follow it again by its id to see what becomes of it.',
});
