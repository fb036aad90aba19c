import type { Outcome } from '#session/rpc/outcome.ts';
import type { PendingRequest } from '#session/rpc/peer.ts';
import { type TaskProtocolContext, paramsOf, type TaskProtocol } from './task-protocol.ts';
import type { SaidTask } from './said-task.ts';

/** An answer that comes when the task has ended, whenever that is; the time of the task itself is its ttl. */
const WITHOUT_LIMIT = { timeout: Number.POSITIVE_INFINITY, maxTimeout: Number.POSITIVE_INFINITY };

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
    const { times } = this.#context;
    if (this.#open === null) return this.#request(times).outcome;
    const open = this.#open;
    const timer = setTimeout(() => open.cancel('the task has ended'), times.timeout);
    const outcome = await open.outcome;
    clearTimeout(timer);
    return outcome.type === 'cancelled' ? { type: 'timeout', waited: times.timeout } : outcome;
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

  #request(times: TaskProtocolContext['times']): PendingRequest {
    const { peer, taskId } = this.#context;
    return peer.request('tasks/result', paramsOf(taskId), { origin: 'automatic', ...times });
  }
}
