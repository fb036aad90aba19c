import type { SessionState } from '#session/session-state.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { type GatheredInputs, gatherInputs } from '#session/inbox/inputs.ts';
import type { Peer, PendingRequest, RequestOptions, Answer } from '#session/rpc/peer.ts';
import { type Outcome, outcomeFault, withMember, withMeta } from '#session/rpc/request.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isObject, isRpcError } from '#shared/protocol/jsonrpc.ts';
import { memberText, memberTexts, messageTextOf } from '#trace/units/raw-json.ts';
import { type SaidTask, readTask } from './known-tasks.ts';
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
interface TaskProtocolContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
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

/** An answer that comes when the task has ended, whenever that is; the time of the task itself is its ttl. */
const WITHOUT_LIMIT: RequestOptions = {
  origin: 'automatic',
  timeout: Number.POSITIVE_INFINITY,
  maxTimeout: Number.POSITIVE_INFINITY,
};

/**
 * Tasks of the revision 2025-11-25: the result is had with `tasks/result`. That is sent as soon as the task waits for
 * input too, because its answer is where the server may deliver what it asks (MCP 2025-11-25 tasks, input required).
 */
export class CoreTaskProtocol implements TaskProtocol {
  readonly #context: TaskProtocolContext;
  /** `tasks/result` that waits for the end. */
  #open: PendingRequest | null = null;
  /** What was answered to it instead of the end; of use only if the next message says that it has ended. */
  #refusal: Outcome | null = null;
  #hasAsked = false;
  #hasEnded = false;

  constructor(context: TaskProtocolContext) {
    this.#context = context;
  }

  wantsInput(): void {
    this.#refusal = null;
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#open = this.#request(WITHOUT_LIMIT);
    void this.#listen(this.#open);
  }

  goesOn(): void {
    this.#refusal = null;
    // One that is open serves for the next question too.
    this.#hasAsked = this.#open !== null;
  }

  async outcomeOf({ status }: SaidTask): Promise<Outcome> {
    this.#hasEnded = true;
    // What was cancelled has no answer.
    if (status === 'cancelled') return { type: 'cancelled' };
    if (this.#refusal?.type === 'error') return this.#refusal;
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
    if (!isSessionOver) this.#open?.cancel('the task is not followed any more');
  }

  async #listen(request: PendingRequest): Promise<void> {
    const outcome = await request.outcome;
    this.#open = null;
    if (this.#hasEnded) return;
    if (outcome.type === 'result') return this.#context.finish(outcome);
    // It is the end, or the server does not wait with its answer as it should: the status tells.
    this.#refusal = outcome;
    this.#context.ask();
  }

  #request(options: RequestOptions): PendingRequest {
    const { peer, taskId } = this.#context;
    return peer.request('tasks/result', paramsOf(taskId), options);
  }
}

/** A task that asks more than this is taken for one that never ends. */
const MAX_INPUTS = 100;

/** Questions of one message, under way to the user. */
interface Gathering {
  readonly keys: readonly string[];
  readonly gathered: GatheredInputs;
}

/**
 * Tasks of the extension of 2026-07-28: result, error and questions stand in the task; answers go out with
 * `tasks/update`. A key means one question for the whole life of a task, so each is asked once.
 */
export class ExtensionTaskProtocol implements TaskProtocol {
  readonly #context: TaskProtocolContext;
  readonly #asked = new Set<string>();
  readonly #gatherings = new Set<Gathering>();

  constructor(context: TaskProtocolContext) {
    this.#context = context;
  }

  wantsInput(said: SaidTask): void {
    const text = memberText(messageTextOf(said.recorded), [...said.path, 'inputRequests']);
    const requests = said.members.inputRequests;
    // A task that was only just made does not say what it asks; the answer to tasks/get does.
    if (text === null || !isObject(requests)) return;
    this.#withdraw(({ keys }) => !keys.some((key) => Object.hasOwn(requests, key)));
    const fresh = Object.keys(requests).filter((key) => !this.#asked.has(key));
    if (fresh.length === 0) return;
    for (const key of fresh) this.#asked.add(key);
    const { row } = said.recorded;
    if (this.#asked.size > MAX_INPUTS) return this.#context.fail(tooManyInputs(MAX_INPUTS), row);
    void this.#ask(fresh, text, row);
  }

  goesOn(): void {
    this.#withdraw(() => true);
  }

  outcomeOf({ status, members, recorded, path }: SaidTask, isAnswer: boolean): Promise<Outcome | null> {
    if (status === 'cancelled') return Promise.resolve({ type: 'cancelled' });
    const member = status === 'failed' ? 'error' : 'result';
    const { result, error } = members;
    if (member === 'result' && isObject(result)) {
      return Promise.resolve({ type: 'result', result, recorded, path: [...path, 'result'] });
    }
    if (member === 'error' && isRpcError(error)) return Promise.resolve({ type: 'error', error, recorded });
    if (!isAnswer) return Promise.resolve(null);
    return Promise.resolve({ type: 'undelivered', fault: lacks(status, member), row: recorded.row });
  }

  stop(): void {
    this.#withdraw(() => true);
  }

  async #ask(keys: readonly string[], requests: string, row: number): Promise<void> {
    const { state, peer, inbox, taskId, callId } = this.#context;
    // As they were written, so that numbers in them survive.
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
        // They were not answered, so they are asked again should the task still want to know.
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

/** Where a message says which task it is about (MCP 2025-11-25 tasks, related task metadata). */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

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
