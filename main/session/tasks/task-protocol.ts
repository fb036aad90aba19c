import type { Fault } from '#shared/contract/fault.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import type { TimeoutOptions } from '#session/rpc/request-timeout.ts';
import type { Outcome } from '#session/rpc/outcome.ts';
import type { Peer } from '#session/rpc/peer.ts';
import type { SaidTask } from './said-task.ts';

/** What the two revisions of tasks do differently, apart from polling the status. */
export interface TaskProtocol {
  /** A message says that the task waits for input. */
  wantsInput(said: SaidTask): void;
  /** The task does not wait for input, or no longer does. */
  goesOn(): void;
  /** The outcome of a task that has ended; null if it takes another `tasks/get`. */
  outcomeOf(said: SaidTask, isAnswer: boolean): Promise<Outcome | null>;
  /** Stops following the task. @param isSessionOver whether the server is gone as well */
  stop(isSessionOver: boolean): void;
}

/** What both of them need. */
export interface TaskProtocolContext {
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly times: TimeoutOptions;
  readonly taskId: string;
  readonly callId: string | null;
  /** Polls the status now. */
  ask(): void;
  /** Ends the task with this outcome, whatever its status says. */
  finish(outcome: Outcome): void;
  /** Ends the task with a fault. @param row the row that shows it */
  fail(fault: Fault, row: number): void;
}

/** The params of a request about one task. */
export const paramsOf = (taskId: string): string => JSON.stringify({ taskId });
