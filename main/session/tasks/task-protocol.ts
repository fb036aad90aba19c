import type { SessionState } from '#session/session-state.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { type GatheredInputs, gatherInputs } from '#session/inbox/inputs.ts';
import type { Peer, PendingRequest, RequestOptions } from '#session/rpc/peer.ts';
import { type Outcome, outcomeFault, withMember } from '#session/rpc/request.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isObject, isRpcError } from '#shared/protocol/jsonrpc.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';
import { type ReportedTask, readTask } from './known-tasks.ts';
import {
  inputRefused,
  inputUnanswerable,
  lacks,
  tooManyInputs,
  updateRefused,
  isUnknownTask,
  noTaskInAnswer,
  notAnswered,
} from './task-faults.ts';

/** What the two revisions of tasks do differently, apart from polling the status. */
export interface TaskProtocol {
  /** The task waits for input. */
  onInputRequired(reported: ReportedTask): void;
  /** The task does not wait for input. */
  onWorking(): void;
  /** The outcome of a task that has ended; null if it takes another `tasks/get`. */
  outcomeOf(reported: ReportedTask, isPolled: boolean): Promise<Outcome | null>;
  /** Stops following the task. @param isSessionOver whether the server is gone as well */
  stop(isSessionOver: boolean): void;
}

interface TaskProtocolContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly taskId: string;
  readonly callId: string | null;
  /** Polls the status now. */
  poll(): void;
  /** Ends the task with this outcome, regardless of its status. */
  finish(outcome: Outcome): void;
  /** Ends the task with a fault. @param row the row that shows it */
  fail(fault: Fault, row: number): void;
}

/** The params of a request about one task. */
export const paramsOf = (taskId: string): string => JSON.stringify({ taskId });

/** The timeout of `tasks/result`, whose response comes only when the task has ended: the ttl of the task limits it. */
const NO_TIMEOUT: RequestOptions = {
  origin: 'automatic',
  timeout: Number.POSITIVE_INFINITY,
  maxTimeout: Number.POSITIVE_INFINITY,
};

/**
 * Tasks of revision 2025-11-25: `tasks/result` returns the result. It is also sent when the task waits for input,
 * because the server may send its requests on the stream of that response (MCP 2025-11-25 tasks, input required).
 */
export class CoreTaskProtocol implements TaskProtocol {
  readonly #context: TaskProtocolContext;
  /** A pending `tasks/result`. */
  #open: PendingRequest | null = null;
  /** A response to `tasks/result` other than a result. It is the outcome if the next message says that the task has ended. */
  #failure: Outcome | null = null;
  #hasAsked = false;
  #hasEnded = false;

  constructor(context: TaskProtocolContext) {
    this.#context = context;
  }

  onInputRequired(): void {
    this.#failure = null;
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#open = this.#request(NO_TIMEOUT);
    void this.#awaitResult(this.#open);
  }

  onWorking(): void {
    this.#failure = null;
    // A pending `tasks/result` also serves for the next request of the server.
    this.#hasAsked = this.#open !== null;
  }

  async outcomeOf({ status }: ReportedTask): Promise<Outcome> {
    this.#hasEnded = true;
    // A cancelled task has no result.
    if (status === 'cancelled') return { type: 'cancelled' };
    if (this.#failure?.type === 'error') return this.#failure;
    const options = this.#context.state.requestOptions('automatic');
    if (this.#open === null) return this.#request(options).outcome;
    const open = this.#open;
    const timer = setTimeout(() => open.cancel('the task has ended'), options.timeout);
    const outcome = await open.outcome;
    clearTimeout(timer);
    return outcome.type === 'cancelled' ? { type: 'timeout', waited: options.timeout } : outcome;
  }

  stop(isSessionOver: boolean): void {
    this.#hasEnded = true;
    if (!isSessionOver) this.#open?.cancel('the task is no longer followed');
  }

  async #awaitResult(request: PendingRequest): Promise<void> {
    const outcome = await request.outcome;
    this.#open = null;
    if (this.#hasEnded) return;
    if (outcome.type === 'result') return this.#context.finish(outcome);
    // Either the task has ended, or the server responded too early: the status shows which.
    this.#failure = outcome;
    this.#context.poll();
  }

  #request(options: RequestOptions): PendingRequest {
    const { peer, taskId } = this.#context;
    return peer.request('tasks/result', paramsOf(taskId), options);
  }
}

/** A task with more input requests than this is given up: it may never end. */
const MAX_INPUTS = 100;

/** The input requests of one message that wait for the user. */
interface Gathering {
  readonly keys: readonly string[];
  readonly gathered: GatheredInputs;
}

/**
 * Tasks of the extension of 2026-07-28: the task contains its result, error and input requests; responses are sent with
 * `tasks/update`. A key identifies one input request for the whole life of a task, so each is shown once.
 */
export class ExtensionTaskProtocol implements TaskProtocol {
  readonly #context: TaskProtocolContext;
  readonly #asked = new Set<string>();
  readonly #gatherings = new Set<Gathering>();

  constructor(context: TaskProtocolContext) {
    this.#context = context;
  }

  onInputRequired(reported: ReportedTask): void {
    const text = memberText(messageTextOf(reported.recorded), [...reported.path, 'inputRequests']);
    const requests = reported.members.inputRequests;
    // A task that was just created lacks its input requests; the response to tasks/get has them.
    if (text === null || !isObject(requests)) return;
    this.#withdraw(({ keys }) => !keys.some((key) => Object.hasOwn(requests, key)));
    const fresh = Object.keys(requests).filter((key) => !this.#asked.has(key));
    if (fresh.length === 0) return;
    for (const key of fresh) this.#asked.add(key);
    const { row } = reported.recorded;
    if (this.#asked.size > MAX_INPUTS) return this.#context.fail(tooManyInputs(MAX_INPUTS), row);
    void this.#gather(fresh, text, row);
  }

  onWorking(): void {
    this.#withdraw(() => true);
  }

  outcomeOf({ status, members, recorded, path }: ReportedTask, isPolled: boolean): Promise<Outcome | null> {
    if (status === 'cancelled') return Promise.resolve({ type: 'cancelled' });
    const member = status === 'failed' ? 'error' : 'result';
    const { result, error } = members;
    if (member === 'result' && isObject(result)) {
      return Promise.resolve({ type: 'result', result, recorded, path: [...path, 'result'] });
    }
    if (member === 'error' && isRpcError(error)) return Promise.resolve({ type: 'error', error, recorded });
    if (!isPolled) return Promise.resolve(null);
    return Promise.resolve({ type: 'failed', fault: lacks(status, member), row: recorded.row });
  }

  stop(): void {
    this.#withdraw(() => true);
  }

  async #gather(keys: readonly string[], requests: string, row: number): Promise<void> {
    const { state, peer, inbox, taskId, callId } = this.#context;
    // As text, so that numbers keep their digits.
    const texts = memberTexts(requests);
    const members = keys.map((key) => `${JSON.stringify(key)}:${texts.get(key) ?? 'null'}`);
    const gathered = gatherInputs(inbox, `{${members.join(',')}}`, { row, callId });
    const gathering = { keys, gathered };
    this.#gatherings.add(gathering);
    const inputs = await gathered.inputs;
    this.#gatherings.delete(gathering);
    switch (inputs.type) {
      case 'withdrawn':
      case 'lost':
        // Not answered: shown again if the task still requests them.
        for (const key of keys) this.#asked.delete(key);
        return;
      case 'refused':
        return this.#context.fail(inputRefused(inputs.key, inputs.message), row);
      case 'unanswerable':
        return this.#context.fail(inputUnanswerable(inputs.key, inputs.method), row);
      case 'given': {
        const params = withMember(paramsOf(taskId), 'inputResponses', inputs.responses);
        const request = peer.request('tasks/update', params, state.requestOptions('automatic'));
        inputs.noteRow(request.row);
        const outcome = await request.outcome;
        if (outcome.type === 'result') return;
        this.#context.fail(updateRefused(outcomeFault('tasks/update', outcome)), request.row);
      }
    }
  }

  #withdraw(isOver: (gathering: Gathering) => boolean): void {
    for (const gathering of this.#gatherings) if (isOver(gathering)) gathering.gathered.withdraw();
  }
}

/** The outcome of one poll. */
export type PollResult =
  | { readonly reported: ReportedTask }
  | {
      readonly fault: Fault;
      readonly outcome: Outcome;
      /** Whether polling again is useless. */
      readonly isFinal: boolean;
    };

/** Sends `tasks/get`. */
export async function pollTask(peer: Peer, taskId: string, options: RequestOptions): Promise<PollResult> {
  const outcome = await peer.request('tasks/get', paramsOf(taskId), options).outcome;
  if (outcome.type !== 'result') {
    const isFinal = outcome.type === 'closed' || isUnknownTask(outcome);
    return { fault: notAnswered(taskId, outcome), outcome, isFinal };
  }
  const reported = readTask(outcome.result, outcome.recorded, ['result']);
  if (reported?.id === taskId) return { reported };
  return { fault: noTaskInAnswer(taskId, outcome.result), outcome, isFinal: false };
}
