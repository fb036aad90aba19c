import { isObject, isRpcError } from '#shared/protocol/jsonrpc.ts';
import { type GatheredInputs, gatherInputs } from '#session/inbox/inputs.ts';
import { type Outcome, outcomeFault } from '#session/rpc/outcome.ts';
import { withMember } from '#session/rpc/request-text.ts';
import { memberText, memberTexts, messageTextOf } from '#trace/units/raw-json.ts';
import { type TaskProtocolContext, paramsOf, type TaskProtocol } from './task-protocol.ts';
import type { SaidTask } from './said-task.ts';
import { inputRefused, inputUnanswerable, lacks, tooManyInputs, updateRefused } from './task-faults.ts';

/** A task that asks more than this is taken for one that never ends. */
const MOST_INPUTS = 100;

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
    if (this.#asked.size > MOST_INPUTS) return this.#context.fail(tooManyInputs(MOST_INPUTS), row);
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
    const { peer, inbox, times, taskId, callId } = this.#context;
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
        const request = peer.request('tasks/update', params, { origin: 'automatic', ...times });
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
