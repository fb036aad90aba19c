import type { Fault } from '#shared/contract/fault.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import type { TimeoutOptions } from '#session/rpc/request-timeout.ts';
import type { Outcome } from '#session/rpc/outcome.ts';
import type { Peer } from '#session/rpc/peer.ts';
import type { SaidTask } from './said-task.ts';

/** What is said about one task beside asking how it stands. */
export interface TaskProtocol {
  /** It waits for input, this message says. */
  wantsInput(said: SaidTask): void;
  /** It does not wait for input, or not any more. */
  goesOn(): void;
  /** What it came to when it has ended; null when that has to be asked for with another `tasks/get`. */
  outcomeOf(said: SaidTask, isAnswer: boolean): Promise<Outcome | null>;
  /** It is not followed any more. @param isSessionOver whether there is nobody left to tell */
  stop(isSessionOver: boolean): void;
}

/** What both generations need for that. */
export interface TaskProtocolContext {
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly times: TimeoutOptions;
  readonly taskId: string;
  readonly callId: string | null;
  /** How it stands has to be asked now. */
  ask(): void;
  /** It came to this, whatever its status says. */
  finish(outcome: Outcome): void;
  /** It cannot go on. @param row where that shows */
  fail(fault: Fault, row: number): void;
}

/** Params of a request that is about one task. */
export const paramsOf = (taskId: string): string => JSON.stringify({ taskId });
