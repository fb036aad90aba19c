import type { SessionState } from '#session/session-state.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import { type GatheredInputs, gatherInputs, type Inputs } from '#session/inbox/inputs.ts';
import type { Peer, PendingRequest, RequestOptions } from '#session/rpc/peer.ts';
import { type Outcome, withMember, objectOnOneLine, withMetaOverrides } from '#session/rpc/request.ts';
import type { AdoptTask, Followed } from '#session/tasks/follower.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { errorCodes, isObject } from '#shared/protocol/jsonrpc.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { memberText, elementTexts } from '#shared/json/members.ts';
import { messageTextOf } from '#trace/units/read-unit.ts';

/** Limit of rounds after the first; a server that requires more input never ends. */
const MAX_FURTHER_ROUNDS = 20;

/** Requests whose result may require more input (MCP 2026-07-28 multi-round-trip requests). */
const mayAskForInput: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export interface ConversationContext {
  readonly state: SessionState;
  readonly peer: Peer;
  readonly inbox: Inbox;
  readonly adoptTask: AdoptTask;
}

/** Gets notified of the steps of a conversation. */
interface ConversationWatcher {
  /** The request of a further round was sent, or one was sent again; the first one is known when this watcher is made. */
  onFurtherRequest(request: PendingRequest): void;
  /** A response was received that is not the final one. */
  onIntermediateResponse(recorded: RecordedMessage): void;
  /** The server created a task for the request. */
  onTask(taskId: string): void;
}

interface ConversationOptions {
  readonly request: {
    readonly method: string;
    readonly params: string | null;
    readonly options: RequestOptions;
  };
  readonly callId: string;
  readonly watcher: ConversationWatcher;
}

/**
 * One request up to its final result, with as many rounds as the server requires input. Each round repeats the first
 * request with a new id, the user's answers, and the server's state byte by byte (MCP 2026-07-28 multi-round-trip requests).
 * If the server creates a task for it, the task is polled until it ends.
 */
export class Conversation {
  readonly first: PendingRequest;
  readonly outcome: Promise<Outcome>;
  readonly #context: ConversationContext;
  readonly #watcher: ConversationWatcher;
  readonly #method: string;
  readonly #params: string | null;
  readonly #options: RequestOptions;
  #request: PendingRequest;
  #gathering: GatheredInputs | null = null;
  #task: Followed | null = null;
  #isCancelled = false;

  constructor(context: ConversationContext, { request, callId, watcher }: ConversationOptions) {
    this.#context = context;
    this.#method = request.method;
    this.#params = request.params;
    this.#watcher = watcher;
    this.#options = {
      ...request.options,
      onRetry: (outcome, retry) => {
        if ('recorded' in outcome) watcher.onIntermediateResponse(outcome.recorded);
        watcher.onFurtherRequest(retry);
      },
    };
    this.first = context.peer.request(request.method, request.params, this.#options);
    this.#request = this.first;
    this.outcome = this.#run(callId);
  }

  cancel(reason: string | undefined): void {
    this.#isCancelled = true;
    this.#gathering?.withdraw();
    if (this.#task === null) this.#request.cancel(reason);
    else this.#task.cancel(reason);
  }

  async #run(callId: string): Promise<Outcome> {
    for (let round = 1; ; round++) {
      const outcome = await this.#request.outcome;
      if (outcome.type !== 'result' || this.#isCancelled) return outcome;
      const { result, recorded } = outcome;
      this.#task = this.#context.adoptTask({ method: this.#method, result, recorded, callId });
      if (this.#task !== null) {
        this.#watcher.onIntermediateResponse(recorded);
        this.#watcher.onTask(this.#task.taskId);
        return this.#task.outcome;
      }
      if (!this.#wantsInput(result)) return outcome;
      this.#watcher.onIntermediateResponse(recorded);
      const { row } = recorded;
      if (round > MAX_FURTHER_ROUNDS) return { type: 'failed', fault: tooManyRounds(this.#method), row };
      const text = messageTextOf(recorded);
      const inputs = await this.#gather(text, row, callId);
      if (this.#isCancelled || inputs.type === 'withdrawn') return { type: 'cancelled' };
      if (inputs.type === 'lost')
        return { type: 'closed', reason: 'The session ended while it waited for input.' };
      if (inputs.type !== 'given') return { type: 'failed', fault: noInput(this.#method, inputs), row };
      this.#request = this.#context.peer.request(
        this.#method,
        nextParams(this.#params, inputs.responses, memberText(text, ['result', 'requestState'])),
        this.#options,
      );
      inputs.noteRow(this.#request.row);
      this.#watcher.onFurtherRequest(this.#request);
    }
  }

  #wantsInput(result: unknown): boolean {
    return (
      this.#context.state.isModern &&
      mayAskForInput.has(this.#method) &&
      isObject(result) &&
      result.resultType === 'input_required'
    );
  }

  async #gather(text: string, row: number, callId: string): Promise<Inputs> {
    const inputRequests = memberText(text, ['result', 'inputRequests']) ?? '{}';
    this.#gathering = gatherInputs(this.#context.inbox, inputRequests, { row, callId });
    const inputs = await this.#gathering.inputs;
    this.#gathering = null;
    return inputs;
  }
}

/** The params of the next round: the first ones with the user's answers, and with the server's state exactly as received. */
function nextParams(params: string | null, responses: string, state: string | null): string {
  const withAnswers = withMember(params ?? '{}', 'inputResponses', responses);
  return state === null ? withAnswers : withMember(withAnswers, 'requestState', state);
}

const tooManyRounds = (method: string): Fault => ({
  code: 'too-many-rounds',
  what: `The server asked for input ${MAX_FURTHER_ROUNDS + 1} times for one ${method}, so it was given up.`,
  why: 'It does not accept the answers, or does not recognise its own state.',
  next: 'Compare the requestState and the inputResponses of the rounds in the trace.',
});

const noInput = (method: string, inputs: Exclude<Inputs, { type: 'given' | 'withdrawn' | 'lost' }>): Fault =>
  inputs.type === 'refused'
    ? {
        code: 'input-refused',
        what: `${method} was given up, because its question "${inputs.key}" was answered with an error: ${inputs.message}.`,
        why: 'A result that asks for input has no place for errors: the request is repeated with all answers, or not at all.',
      }
    : {
        code: 'input-unanswerable',
        what: `${method} was given up: the server asks "${inputs.key}" with ${inputs.method}, which no client answers.`,
        next: 'Only elicitation/create, sampling/createMessage and roots/list may be asked in a result.',
      };

/** Additional members for the params of a call. */
export interface ParamsOptions {
  /** JSON text of an object for `_meta`. */
  readonly meta?: string | undefined;
  /**
   * Requests a task with this lifetime in milliseconds (MCP 2025-11-25 tasks); with null the server chooses the lifetime.
   */
  readonly task?: { readonly ttl: number | null } | undefined;
}

/** The params of a tool call. @throws FaultError if the arguments are not a JSON object */
export const toolParams = (tool: string, args: string, options: ParamsOptions): string =>
  withOptions(`{"name":${JSON.stringify(tool)},"arguments":${textOf('arguments', args)}}`, options);

/** The params of any request; null for none. @throws FaultError if they are not a JSON object */
export function requestParams(params: string | null, options: ParamsOptions): string | null {
  const text = params === null ? null : textOf('params', params);
  if (options.meta === undefined && options.task === undefined) return text;
  return withOptions(text ?? '{}', options);
}

function withOptions(params: string, { meta, task }: ParamsOptions): string {
  let whole = params;
  if (task !== undefined) {
    whole = withMember(whole, 'task', JSON.stringify(task.ttl === null ? {} : { ttl: task.ttl }));
  }
  if (meta !== undefined) whole = withMetaOverrides(whole, textOf('_meta', meta));
  return whole;
}

/** @throws FaultError if it is not a JSON object */
function textOf(what: string, json: string): string {
  const written = objectOnOneLine(json);
  if ('why' in written) throw new FaultError(noObject(what, written.why));
  return written.text;
}

const noObject = (what: string, why: string): Fault => ({
  code: 'bad-arguments',
  what: `The ${what} are not a JSON object.`,
  why,
  next: `Write the ${what} as an object, for example {"message": "hello"}.`,
});

/**
 * An error may require the user to visit URLs before the request is repeated (-32042, MCP 2025-11-25
 * elicitation). Adds each URL to the inbox. These entries need no answer: the user visits the URLs and repeats the call.
 */
export function askUrls(
  inbox: Inbox,
  { error, recorded }: Outcome & { type: 'error' },
  callId: string,
): void {
  if (error.code !== errorCodes.urlElicitationRequired || !isObject(error.data)) return;
  const message = messageTextOf(recorded);
  const texts = elementTexts(memberText(message, ['error', 'data', 'elicitations']) ?? '');
  for (const text of texts.filter((one) => one.startsWith('{'))) {
    inbox.add({
      method: 'elicitation/create',
      params: text,
      by: 'error',
      key: null,
      row: recorded.row,
      callId,
      pauses: [],
      deliver: () => null,
    });
  }
}
