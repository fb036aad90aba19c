import type { Fault } from '#shared/contract/fault.ts';
import type { Outcome } from '#session/rpc/outcome.ts';
import type { Peer, RequestOptions } from '#session/rpc/peer.ts';
import { paramsOf } from './task-protocol.ts';
import { readTask, type SaidTask } from './said-task.ts';
import { isUnknownTask, noTaskInAnswer, notAnswered } from './task-faults.ts';

/** What came of the question how a task stands. */
export type AskedTask =
  | { readonly said: SaidTask }
  | {
      readonly fault: Fault;
      readonly outcome: Outcome;
      /** Asking again is of no use. */
      readonly isFinal: boolean;
    };

/** Asks the server how a task stands. */
export async function askTask(peer: Peer, taskId: string, options: RequestOptions): Promise<AskedTask> {
  const outcome = await peer.request('tasks/get', paramsOf(taskId), options).outcome;
  if (outcome.type !== 'result') {
    const isFinal = outcome.type === 'closed' || isUnknownTask(outcome);
    return { fault: notAnswered(taskId, outcome), outcome, isFinal };
  }
  const said = readTask(outcome.result, outcome.recorded, ['result']);
  if (said?.id === taskId) return { said };
  return { fault: noTaskInAnswer(taskId, outcome.result), outcome, isFinal: false };
}
