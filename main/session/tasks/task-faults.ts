import type { Fault } from '#shared/contract/fault.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import { type Outcome, outcomeFault } from '#session/rpc/request.ts';

/** Why a task is not known, cannot be asked for something, or is not asked after any longer. */

export const noSuchTask = (taskId: string): Fault => ({
  code: 'no-such-task',
  what: `No task ${taskId} is known in this session.`,
  next: 'A task of an earlier session can be followed by its id.',
});

export const noTaskList: Fault = {
  code: 'no-task-list',
  what: 'This server cannot be asked which tasks it has.',
  why: 'The tasks extension of 2026-07-28 has no tasks/list: who may see which task would not be clear.',
  next: 'Follow a task by its id.',
};

export const tooManyTasks = (most: number): Fault => ({
  code: 'too-many-tasks',
  what: `The server lists more than ${most} tasks, so reading stopped there.`,
  next: 'Send tasks/list as a request of your own, with the cursor of the last page in the trace.',
});

/** What the server did not announce under `tasks` (MCP 2025-11-25 tasks, capabilities). */
export const notAnnounced = (operation: 'list' | 'cancel'): Fault => ({
  code: 'not-announced',
  what: `tasks/${operation} was not sent: the server did not announce tasks.${operation}.`,
  next: 'Send it as a request of your own to see what the server makes of it.',
});

export const ownTask: Fault = {
  code: 'own-task',
  what: 'This task is ours: it is the server that asks after it.',
  next: 'Answer its question in the inbox.',
};

/** What a failed question after a task means; it is the last when the server does not know the task any more. */
export function notAnswered(taskId: string, outcome: Exclude<Outcome, { type: 'result' }>): Fault {
  const fault = outcomeFault('tasks/get', outcome);
  if (!isUnknownTask(outcome)) return fault;
  return {
    code: 'task-gone',
    what: `The server does not know task ${taskId}. ${fault.what}`,
    why: 'Its time to live is over, it was never there, or the server was restarted or has forgotten this client.',
    ...(fault.evidence !== undefined && { evidence: fault.evidence }),
  };
}

/** The error that stands for an unknown task (MCP 2025-11-25 tasks, error handling; the same in the extension). */
export const isUnknownTask = (outcome: Outcome): boolean =>
  outcome.type === 'error' && outcome.error.code === errorCodes.invalidParams;

export const noTaskInAnswer = (taskId: string, result: unknown): Fault => ({
  code: 'no-task-in-answer',
  what: `The answer to tasks/get is not about task ${taskId}.`,
  why: 'Its taskId is another one, or its taskId or status is no text.',
  evidence: JSON.stringify(result, null, 2)?.slice(0, 10_000) ?? 'undefined',
});

export const unreachable = (times: number, last: Fault): Fault => ({
  ...last,
  code: 'task-unanswered',
  what: `The task was asked after ${times} times in vain and is not followed any more. ${last.what}`,
  next: 'Follow it again by its id.',
});

export const overdue = (ttl: number, status: string): Fault => ({
  code: 'task-overdue',
  what: `The task still says "${status}" though the ${ttl / 1000} s it was to live are over, so it is not followed any more.`,
  why: 'It hangs, or the server gave it less time than it takes.',
  next: 'Ask for more time when it is made, or follow it again by its id.',
});

export const lacks = (status: string, member: 'result' | 'error'): Fault => ({
  code: 'task-without-result',
  what: `The task says it is ${status}, but there is no ${member} in it.`,
  why: `The tasks extension wants "${member}" to stand in the answer to tasks/get with that status.`,
});

export const inputRefused = (key: string, message: string): Fault => ({
  code: 'input-refused',
  what: `The task is not followed any more, because its question "${key}" was answered with an error: ${message}.`,
  why: 'tasks/update has no place for errors, so the server was told nothing and waits.',
  next: 'Cancel the task, or follow it again to be asked again.',
});

export const inputUnanswerable = (key: string, method: string): Fault => ({
  code: 'input-unanswerable',
  what: `The task is not followed any more: it asks "${key}" with ${method}, which no client answers.`,
  next: 'Only elicitation/create, sampling/createMessage and roots/list may be asked.',
});

export const tooManyInputs = (most: number): Fault => ({
  code: 'too-many-inputs',
  what: `The task asked more than ${most} questions, so it is not followed any more.`,
  why: 'The server asks the same under ever new keys, or does not accept the answers.',
});

export const updateRefused = (fault: Fault): Fault => ({
  ...fault,
  code: 'update-refused',
  what: `The answers did not reach the task, so it is not followed any more. ${fault.what}`,
  next: 'Follow it again to be asked again.',
});

/** The user cancelled, and the server did not end the task. */
export const letGo = (why: string): Fault => ({
  code: 'task-let-go',
  what: 'The task is not followed any more, but may go on at the server.',
  why,
  next: 'Follow it again by its id to see what becomes of it.',
});
